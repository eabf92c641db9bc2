import { ROOT } from "../../../core/paths.js";
import { utf8Bytes } from "../../../core/text.js";
import {
  type Change,
  change,
  isDirectory,
  isLegacy,
  type Limits,
  parentIsFile,
  refusableChange,
  type Refusals,
  roomFor,
  withParents,
} from "./change.js";
import { directoryKeyBytes, keyOfPath, parentKeys } from "./document.js";
import {
  type Branch,
  entriesWhere,
  type Expression,
  firstOf,
  isText,
  keyIsWithin,
  mapEntries,
  orEmpty,
  recordMoved,
  recordsWhere,
  valueAt,
  where,
  withoutKey,
  withValueAt,
} from "./expressions.js";

/**
 * What a delete does with a directory: takes it, refuses it, only reports what lies in it, or takes it if the memory is still at
 * that revision.
 */
export type DeleteMode = "delete" | "fail" | "report" | number;

export function deleteChange(path: string, mode: DeleteMode, now: Date): Change {
  if (path === ROOT) return deleteEverything(mode, now);
  const key = keyOfPath(path);
  const fileDeleted = { data: withoutKey("$data", key), meta: withoutKey("$meta", key) };
  const directoryDeleted = recordsWhere(["data", "meta", "dirs"], { $not: [keyIsWithin(key)] });
  const refusals: Refusals = [[{ $not: [{ $or: ["$$text", isDirectory(path)] }] }, "missing"], ...refusalsFor(mode, path)];
  const counts = where("$$text", [1, 0], countsOf(["$data", "$dirs"], keyIsWithin(key)));
  const report = mode === "report" ? { counts, ...treeReport(path) } : { counts };
  return refusableChange(refusals, where("$$text", fileDeleted, directoryDeleted), now, report, [["text", valueAt("$data", key)]]);
}

function refusalsFor(mode: DeleteMode, path: string): Refusals {
  if (mode === "delete") return [];
  return [typeof mode === "number" ? [{ $ne: ["$revision", mode] }, "raced"] : [isDirectory(path), "directory"]];
}

/** What lies in a directory, it included, and at which revision. */
function treeReport(path: string): Record<string, Expression> {
  const isWithin = path === ROOT ? true : keyIsWithin(keyOfPath(path));
  const keysWithin = (record: Expression): Expression =>
    where(isDirectory(path), mapEntries(entriesWhere(record, isWithin), "$$entry.k"), "$$REMOVE");
  return { keys: { $concatArrays: [keysWithin("$data"), keysWithin("$dirs")] }, revision: "$revision" };
}

/** The directory alone: "exists" says that something lies in it. */
export function deleteEmptyDirectoryChange(path: string, now: Date): Change {
  const key = keyOfPath(path);
  const within = { $sum: countsOf(["$data", "$dirs"], keyIsWithin(key)) };
  const refusals: Refusals = [
    [{ $not: [isDirectory(path)] }, "missing"],
    [{ $gt: [within, 1] }, "exists"],
  ];
  return refusableChange(refusals, { dirs: withoutKey("$dirs", key) }, now, {});
}

function deleteEverything(mode: DeleteMode, now: Date): Change {
  const counts = ["$data", "$dirs"].map((record): Expression => ({ $size: { $objectToArray: orEmpty(record) } }));
  const nothing = { data: {}, dirs: {}, meta: {} };
  const refusals: Refusals = [[{ $eq: [counts, [0, 0]] }, "missing"], ...refusalsFor(mode, ROOT)];
  return refusableChange(refusals, nothing, now, mode === "report" ? { counts, ...treeReport(ROOT) } : { counts });
}

/** How many entries of each record satisfy the condition. */
function countsOf(records: string[], condition: Expression): Expression {
  return { $map: { input: records, as: "record", in: { $size: entriesWhere("$$record", condition) } } };
}

/** Where the source is a directory this only reports it, with what lies below: those paths are checked first. */
export function renameFileChange(from: string, to: string, now: Date, limits: Limits): Change {
  const key = keyOfPath(from);
  // One key in `data`, one in `meta`.
  const growth = growthOf(from, to, 2);
  const text = valueAt("$data", key);
  const moved = (record: Expression): Expression =>
    withValueAt(withoutKey(record, key), keyOfPath(to), valueAt(record, key));
  const status = renameStatus(
    to,
    [
      [isDirectory(from), "directory"],
      [{ $not: [isText(text)] }, "missing"],
    ],
    [{ $gt: [growth, roomFor(limits)] }, "memoryFull"],
  );
  return change(status, { data: moved("$data"), meta: moved("$meta"), dirs: withParents("$dirs", to) }, now, {
    ...treeReport(from),
    memoryBytes: { $add: [{ $bsonSize: "$$ROOT" }, growth] },
  });
}

/** Moves a directory if the memory is still at `revision`. */
export function renameDirectoryChange(from: string, to: string, revision: number, now: Date, limits: Limits): Change {
  const growth = growthOf(from, to, { $sum: countsOf(["$data", "$meta", "$dirs"], keyIsWithin(keyOfPath(from))) });
  const moved = (record: Expression): Expression => recordMoved(record, keyOfPath(from), keyOfPath(to));
  const full: Branch = [{ $gt: [growth, roomFor(limits)] }, "memoryFull"];
  const status = renameStatus(to, [[{ $ne: ["$revision", revision] }, "raced"]], full);
  const fields = { data: moved("$data"), meta: moved("$meta"), dirs: withParents(moved("$dirs"), to) };
  return change(status, fields, now, { memoryBytes: { $add: [{ $bsonSize: "$$ROOT" }, growth] } });
}

/** By how many bytes the document grows: `keys` keys begin with `to` instead of `from`, and parents may be new. */
function growthOf(from: string, to: string, keys: Expression): Expression {
  const longer = utf8Bytes(keyOfPath(to)) - utf8Bytes(keyOfPath(from));
  const parents = parentKeys(keyOfPath(to)).map((key) => where(valueAt("$dirs", key), 0, directoryKeyBytes(key)));
  return { $add: [{ $multiply: [longer, keys] }, ...parents] };
}

function renameStatus(to: string, first: Branch[], last: Branch): Expression {
  return firstOf(
    [
      [isLegacy, "legacy"],
      ...first,
      [{ $or: [isText(valueAt("$data", keyOfPath(to))), isDirectory(to)] }, "exists"],
      [parentIsFile(to), "parentIsFile"],
      last,
    ],
    "ok",
  );
}
