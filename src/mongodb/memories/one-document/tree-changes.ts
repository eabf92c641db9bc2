import { ROOT } from "../../../core/values/paths.js";
import { utf8Bytes } from "../../../core/values/text.js";
import {
  type Change,
  change,
  type Circumstances,
  isDirectory,
  isLegacy,
  parentIsFile,
  refusableChange,
  type RefusableParts,
  type Refusals,
  roomFor,
  withParents,
} from "./change.js";
import { directoryKeyBytes, keyOfPath, parentKeys } from "./document.js";
import { type Branch, type Expression, firstOf, literal, textBytes, where } from "../expressions.js";
import {
  entriesWhere,
  isText,
  keyIsWithin,
  mapEntries,
  movedKey,
  orEmpty,
  recordMoved,
  recordsWhere,
  valueAt,
  withoutKey,
  withValueAt,
} from "./expressions.js";
import {
  largeBytes,
  type Recorded,
  type RecordedTree,
  recordedTree,
  type Recording,
  textEntry,
  treeEntry,
} from "./outbox-expressions.js";

/**
 * What a delete does with a directory: takes it, refuses it, only reports what lies in it, or takes it if the memory is
 * still at that revision.
 */
export type DeleteMode = "delete" | "fail" | "report" | number;

/** Changes nothing where the path is not that of a file. It answers nothing, and tells the history nothing. */
export function deleteFileChange(path: string, circumstances: Circumstances): Change {
  const key = keyOfPath(path);
  return refusableChange(
    { refusals: [[{ $not: [valueAt("$data", key)] }, "missing"]], fields: withoutFile(key), recorded: null },
    circumstances,
  );
}

function withoutFile(key: string): { data: Expression; meta: Expression } {
  return { data: withoutKey("$data", key), meta: withoutKey("$meta", key) };
}

export function deleteChange(path: string, mode: DeleteMode, circumstances: Circumstances): Change {
  if (path === ROOT) return deleteEverything(mode, circumstances);
  const key = keyOfPath(path);
  const directoryDeleted = recordsWhere(["data", "meta", "dirs"], { $not: [keyIsWithin(key)] });
  const isMissing: Expression = { $not: [{ $or: ["$$text", isDirectory(path)] }] };
  const counts = where("$$text", [1, 0], countsOf(["$data", "$dirs"], keyIsWithin(key)));
  const file = { key, gone: true, before: { text: "$$text" } } as const;
  const recorded: Recorded = {
    entry: (recording) =>
      where("$$text", textEntry(recording, file), treeEntry(recording, deletedTree(keyIsWithin(key)))),
  };
  return refusableChange(
    {
      refusals: [[isMissing, "unchanged"], ...refusalsFor(mode, isDirectory(path))],
      fields: where("$$text", withoutFile(key), directoryDeleted),
      recorded,
      ...reported(mode, path, counts),
      recordedBytes: { $ifNull: [textBytes("$$text"), largeBytes] },
      variables: [["text", valueAt("$data", key)]],
    },
    circumstances,
  );
}

function deletedTree(condition: Expression): RecordedTree {
  return {
    files: mapEntries(entriesWhere("$data", condition), { key: "$$entry.k", before: "$$entry.v", gone: true }),
    directories: { removed: mapEntries(entriesWhere("$dirs", condition), "$$entry.k") },
  };
}

function refusalsFor(mode: DeleteMode, isThere: Expression): Refusals {
  if (mode === "delete") return [];
  return [typeof mode === "number" ? [{ $ne: ["$revision", mode] }, "raced"] : [isThere, "directory"]];
}

function reported(mode: DeleteMode, path: string, counts: Expression): Partial<RefusableParts> {
  return { report: { counts, ...(mode === "report" && treeReport(path)) }, leavesReceipt: false };
}

/** What lies in a directory, it included, and at which revision. */
function treeReport(path: string): Record<string, Expression> {
  const isWithin = path === ROOT ? true : keyIsWithin(keyOfPath(path));
  const keysWithin = (record: Expression): Expression =>
    where(isDirectory(path), mapEntries(entriesWhere(record, isWithin), "$$entry.k"), "$$REMOVE");
  return { keys: { $concatArrays: [keysWithin("$data"), keysWithin("$dirs")] }, revision: "$revision" };
}

/** The directory alone: "exists" says that something lies in it. */
export function deleteEmptyDirectoryChange(path: string, circumstances: Circumstances): Change {
  const key = keyOfPath(path);
  const within = { $sum: countsOf(["$data", "$dirs"], keyIsWithin(key)) };
  const refusals: Refusals = [
    [{ $not: [isDirectory(path)] }, "missing"],
    [{ $gt: [within, 1] }, "exists"],
  ];
  const recorded = recordedTree({ files: [], directories: { removed: [literal(key)] } });
  return refusableChange({ refusals, fields: { dirs: withoutKey("$dirs", key) }, recorded }, circumstances);
}

function deleteEverything(mode: DeleteMode, circumstances: Circumstances): Change {
  const counts = ["$data", "$dirs"].map((record): Expression => ({ $size: { $objectToArray: orEmpty(record) } }));
  const nothing = { data: {}, dirs: {}, meta: {} };
  const isEmpty: Expression = { $eq: [counts, [0, 0]] };
  const refusals: Refusals = [[isEmpty, "unchanged"], ...refusalsFor(mode, { $not: [isEmpty] })];
  const recorded = recordedTree(deletedTree(true));
  return refusableChange(
    { refusals, fields: nothing, recorded, ...reported(mode, ROOT, counts), recordedBytes: largeBytes },
    circumstances,
  );
}

/** How many entries of each record satisfy the condition. */
function countsOf(records: string[], condition: Expression): Expression {
  return { $map: { input: records, as: "record", in: { $size: entriesWhere("$$record", condition) } } };
}

/** Where the source is a directory this only reports it, with what lies below: those paths are checked first. */
export function renameFileChange(from: string, to: string, circumstances: Circumstances): Change {
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
    [{ $gt: [growth, roomFor(circumstances)] }, "memoryFull"],
  );
  const file = { key: keyOfPath(to), from: key, parents: parentKeys(keyOfPath(to)), before: null };
  const parts = {
    fields: { data: moved("$data"), meta: moved("$meta"), dirs: withParents("$dirs", to) },
    recorded: { entry: (recording: Recording) => textEntry(recording, file) },
    report: { ...treeReport(from), memoryBytes: { $add: [{ $bsonSize: "$$ROOT" }, growth] } },
  };
  return change(status, parts, circumstances);
}

/** Moves a directory if the memory is still at `revision`. */
export function renameDirectoryChange(
  from: string,
  to: string,
  revision: number,
  circumstances: Circumstances,
): Change {
  const growth = growthOf(from, to, { $sum: countsOf(["$data", "$meta", "$dirs"], keyIsWithin(keyOfPath(from))) });
  const moved = (record: Expression): Expression => recordMoved(record, keyOfPath(from), keyOfPath(to));
  const full: Branch = [{ $gt: [growth, roomFor(circumstances)] }, "memoryFull"];
  const status = renameStatus(to, [[{ $ne: ["$revision", revision] }, "raced"]], full);
  const fields = { data: moved("$data"), meta: moved("$meta"), dirs: withParents(moved("$dirs"), to) };
  const fromKey = keyOfPath(from);
  const movedFile = { key: movedKey(fromKey, keyOfPath(to)), from: "$$entry.k" };
  const recorded = recordedTree({
    files: mapEntries(entriesWhere("$data", keyIsWithin(fromKey)), movedFile),
    directories: { ...newParents(to), moved: literal({ from: fromKey, to: keyOfPath(to) }) },
  });
  return change(
    status,
    { fields, recorded, report: { memoryBytes: { $add: [{ $bsonSize: "$$ROOT" }, growth] } } },
    circumstances,
  );
}

function newParents(to: string): { added: Expression } {
  return { added: parentKeys(keyOfPath(to)).map((key) => where(valueAt("$dirs", key), null, literal(key))) };
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
