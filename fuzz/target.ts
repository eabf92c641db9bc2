import type { Arbitrary } from "fast-check";
import type { MongoClient } from "mongodb";

/** What all targets share. */
export interface Ground {
  uri: string;
  client: MongoClient;
  dbName: string;
  /** A folder that is removed at the end. */
  folder: string;
}

/** Measures the call itself, and not what prepares it or checks its answer. */
export type Timed = <T>(call: () => Promise<T>) => Promise<T>;

/** Somewhere to call, where a case finds what those before it have left. */
export interface Place<Input> {
  inputs: Arbitrary<Input>;
  /**
   * Makes a call and checks what it answers.
   * @returns in a word what came of it, such as `ok` or `EINVAL`
   * @throws for whatever must not be
   */
  call(input: Input, timed: Timed): Promise<string>;
  /** Checks that what belongs to others is as it was, and clears away. */
  end(): Promise<void>;
}

/** One way into the package, which is given whatever chance thinks of. */
export interface Target {
  name: string;
  /** How many of 1,000 cases are its own. */
  share: number;
  /** How many cases one place is for. */
  casesAPlace: number;
  /** @param id of no other place. @param seed of all that chance decides */
  begin(ground: Ground, id: string, seed: number): Promise<Place<unknown>>;
}

/** Lets the cases of a place know their type. */
export const placeOf = <Input>(place: Place<Input>): Place<unknown> => place;
