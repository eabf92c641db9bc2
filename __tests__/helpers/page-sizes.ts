import { pageBytesOption } from "../../src/mongodb/store/store-options.js";
import type { ServerKind } from "./mongo-servers.js";
import { isLong } from "./repetitions.js";

/** A server, and the size in bytes from which on a page of a memory is split. Undefined: the usual size. */
export type Place = readonly [kind: ServerKind, pageBytes: number | undefined];

/**
 * Each file gets a page of its own at 200 bytes, because an empty page is larger already, and every change that adds
 * something is a transaction. At 1,000 bytes there are several pages, and most changes are one command. A standalone
 * splits nothing.
 */
export const places: readonly Place[] = isLong
  ? (["standalone", "replicaSet"] as const).flatMap((kind) =>
      [200, 1_000, 100_000, undefined].map((pageBytes): Place => [kind, pageBytes]),
    )
  : [
      ["standalone", 200],
      ["replicaSet", 200],
      ["replicaSet", 1_000],
      // No usual test fills it, and none fills a page of 100,000 bytes.
      ["replicaSet", undefined],
    ];

/** A place with or without a history. */
export interface Variant {
  place: Place;
  history: boolean;
}

/** In the usual run, each place has a history or has none. */
export const variants: readonly Variant[] = isLong
  ? places.flatMap((place) => [false, true].map((history) => ({ place, history })))
  : places.map((place, index) => ({ place, history: index % 2 === 1 }));

/** Options of a store whose pages have this size. */
export function withPageBytes(pageBytes: number | undefined): { [pageBytesOption]?: number } {
  return pageBytes === undefined ? {} : { [pageBytesOption]: pageBytes };
}

/** The argument of a process for a size of pages. */
export function toArgument(pageBytes: number | undefined): string {
  return pageBytes === undefined ? "" : String(pageBytes);
}

export function parsePageBytes(argument: string | undefined): number | undefined {
  return argument === undefined || argument === "" ? undefined : Number(argument);
}

/** Describes a variant in titles. */
export function describeVariant({ place, history }: Variant): string {
  return `${describePlace(place)}, ${history ? "with" : "without"} a history`;
}

/** Describes a place in titles. */
export function describePlace([kind, pageBytes]: Place): string {
  return `${kind}, pages of ${pageBytes === undefined ? "the usual size" : `${pageBytes} bytes`}`;
}
