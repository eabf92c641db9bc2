import type { Arbitrary } from "fast-check";
import type { MongoClient } from "mongodb";

/** What all targets share. */
export interface Environment {
  client: MongoClient;
  /** The connection string of the client. */
  uri: string;
  dbName: string;
  /** A folder that is removed at the end. */
  folder: string;
}

/** Measures the call itself, and not what prepares it or checks its answer. */
export type Measure = <T>(call: () => Promise<T>) => Promise<T>;

/** Runs cases one after another: each finds what those before it have left. */
export interface Sandbox<Input> {
  inputs: Arbitrary<Input>;
  /**
   * Makes a call and checks its answer.
   * @returns the outcome in a word, such as `ok` or `EINVAL`
   * @throws for every answer that is a fault
   */
  call(input: Input, measure: Measure): Promise<string>;
  /** Checks that nothing of others has changed, and clears away. */
  close(): Promise<void>;
}

/** One way into the package, called with random inputs. */
export interface Target {
  name: string;
  /** For people: what its inputs are. */
  tries: string;
  casesPerSandbox: number;
  /** @param id of no other sandbox. @param seed chooses what is not part of an input, such as the storage */
  open(environment: Environment, id: string, seed: number): Promise<Sandbox<unknown>>;
}

/** Forgets the type of the inputs, once the compiler has compared `inputs` with `call`. */
export const toSandbox = <Input>(sandbox: Sandbox<Input>): Sandbox<unknown> => sandbox;
