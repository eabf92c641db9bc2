import { ROOT } from "../../core/paths.js";
import { type Change, change, isDirectory, isLegacy, parentIsFile, refusableChange, withParents } from "./change.js";
import { keyOf } from "./document.js";
import {
  type Branch,
  entriesWhere,
  type Expression,
  firstOf,
  isText,
  keyIsWithin,
  literal,
  mapEntries,
  recordMoved,
  recordsWhere,
  valueAt,
  where,
  withoutKey,
  withValueAt,
} from "./expressions.js";

export function deleteChange(path: string, now: Date): Change {
  if (path === ROOT) return deleteEverything(now);
  const key = keyOf(path);
  const fileDeleted = { data: withoutKey("$data", key), meta: withoutKey("$meta", key) };
  const directoryDeleted = recordsWhere(["data", "meta", "dirs"], { $not: [keyIsWithin(key)] });
  return refusableChange(
    [[{ $not: [{ $or: ["$$text", isDirectory(path)] }] }, "missing"]],
    where("$$text", fileDeleted, directoryDeleted),
    now,
    { counts: where("$$text", [1, 0], countsOf(["$data", "$dirs"], keyIsWithin(key))) },
    [["text", valueAt("$data", key)]],
  );
}

function deleteEverything(now: Date): Change {
  const counts = countsOf(["$data", "$dirs"], true);
  const nothing = { data: literal({}), dirs: literal({}), meta: literal({}) };
  return refusableChange([[{ $eq: [counts, [0, 0]] }, "missing"]], nothing, now, { counts });
}

/** How many entries of each record satisfy the condition. */
function countsOf(records: string[], condition: Expression): Expression {
  return { $map: { input: records, as: "record", in: { $size: entriesWhere("$$record", condition) } } };
}

/** Where the source is a directory this only reports it, with what lies below: those paths are checked first. */
export function renameFileChange(from: string, to: string, now: Date): Change {
  const key = keyOf(from);
  const text = valueAt("$data", key);
  const moved = (record: Expression): Expression =>
    withValueAt(withoutKey(record, key), keyOf(to), valueAt(record, key));
  const status = renameStatus(to, [
    [isDirectory(from), "directory"],
    [{ $not: [isText(text)] }, "missing"],
  ]);
  const keysWithin = (record: Expression): Expression =>
    where(isDirectory(from), mapEntries(entriesWhere(record, keyIsWithin(key)), "$$entry.k"), "$$REMOVE");
  return change(status, { data: moved("$data"), meta: moved("$meta"), dirs: withParents("$dirs", to) }, now, {
    keys: { $concatArrays: [keysWithin("$data"), keysWithin("$dirs")] },
    revision: "$revision",
  });
}

/** Moves a directory if the memory is still at `revision`. */
export function renameDirectoryChange(from: string, to: string, revision: number, now: Date): Change {
  const moved = (record: Expression): Expression => recordMoved(record, keyOf(from), keyOf(to));
  const status = renameStatus(to, [[{ $ne: ["$revision", revision] }, "raced"]]);
  const fields = { data: moved("$data"), meta: moved("$meta"), dirs: withParents(moved("$dirs"), to) };
  return change(status, fields, now, {});
}

function renameStatus(to: string, first: Branch[]): Expression {
  return firstOf(
    [
      [isLegacy, "legacy"],
      ...first,
      [{ $or: [isText(valueAt("$data", keyOf(to))), isDirectory(to)] }, "exists"],
      [parentIsFile(to), "parentIsFile"],
    ],
    "ok",
  );
}
