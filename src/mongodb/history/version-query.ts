import { actorFields, type MemoryActor } from "../../core/values/actor.js";
import type { VersionFilter } from "../../core/history/history.js";
import { isWithin } from "../../core/values/paths.js";
import type { VersionDocument } from "./version-document.js";

/** Selects the versions of one memory that match all of these fields. */
export interface VersionQuery extends Pick<
  VersionFilter,
  "actor" | "operation" | "sources" | "redacted" | "after" | "before"
> {
  /** The versions at this path, and the versions of the file of `last`, up to `last`. */
  ofFile?: { path: string; last: VersionDocument | null };
  /** The versions of a directory. */
  below?: string;
}

/** Returns the query as a filter for the server. */
export function createFilter({
  ofFile,
  below,
  actor,
  operation,
  sources,
  redacted,
  after,
  before,
}: VersionQuery): object {
  const at = { ...(after && { $gt: after }), ...(before && { $lt: before }) };
  return {
    operation: operation ?? { $exists: true },
    ...(ofFile && { $or: [{ path: ofFile.path }, { from: ofFile.path }, ...createLineageFilters(ofFile.last)] }),
    ...(below !== undefined && { $or: [below, rangeBelow(below)].flatMap((path) => [{ path }, { from: path }]) }),
    ...Object.fromEntries(listActorFields(actor).map(([field, fact]) => [`actor.${field}`, fact])),
    ...(sources && { sources: { $in: sources } }),
    ...(redacted && { redactedAt: { $exists: true } }),
    ...(Object.keys(at).length > 0 && { at }),
  };
}

/** Whether a loaded version matches the query. */
export function fits(
  version: VersionDocument,
  { ofFile, below, actor, operation, sources, redacted, after, before }: VersionQuery,
): boolean {
  const { path, from, file } = version;
  const paths = [path, from].filter((each) => each !== undefined);
  return (
    version.operation !== undefined &&
    (operation === undefined || version.operation === operation) &&
    (ofFile === undefined ||
      paths.includes(ofFile.path) ||
      (ofFile.last !== null && file === ofFile.last.file && version._id <= ofFile.last._id)) &&
    (below === undefined || paths.some((each) => isWithin(each, below))) &&
    listActorFields(actor).every(([field, fact]) => version.actor?.[field] === fact) &&
    (sources === undefined || sources.some((each) => version.sources?.includes(each))) &&
    (redacted === undefined || version.redactedAt !== undefined) &&
    (after === undefined || version.at > after) &&
    (before === undefined || version.at < before)
  );
}

function createLineageFilters(last: VersionDocument | null): object[] {
  return last?.file === undefined ? [] : [{ file: last.file, _id: { $lte: last._id } }];
}

/** Returns a range of all keys in a directory. "0" is the character after "/". */
export function rangeBelow(directory: string): object {
  return { $gt: `${directory}/`, $lt: `${directory}0` };
}

function listActorFields(actor: MemoryActor = {}): [keyof MemoryActor, string][] {
  return actorFields.flatMap((field) => (actor[field] === undefined ? [] : [[field, actor[field]]]));
}
