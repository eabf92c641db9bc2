import { ROOT } from "../../../core/values/paths.js";
import { utf8Bytes } from "../../../core/values/text.js";
import { literal, type Expression, where } from "../expressions.js";
import { keyOfPath } from "./document.js";

/** True or missing: the values of `dirs` are all true. */
export function isDirectory(path: string): Expression {
  return path === ROOT ? literal(true) : valueAt("$dirs", keyOfPath(path));
}

/** `record[key]` where the key may hold dots and dollars; missing where either is. */
export const valueAt = (record: Expression, key: string): Expression => ({
  $getField: { field: literal(key), input: record },
});

export const withValueAt = (record: Expression, key: string, value: Expression): Expression =>
  withValueIn(orEmpty(record), key, value);

/** The same where the record is there. */
export const withValueIn = (record: Expression, key: string, value: Expression): Expression => ({
  $setField: { field: literal(key), input: record, value },
});

/** `$unsetField` is the same, but not in the Stable API. */
export const withoutKey = (record: Expression, key: string): Expression => withValueAt(record, key, "$$REMOVE");

export const orEmpty = (record: Expression): Expression => ({ $ifNull: [record, {}] });

export const isText = (value: Expression): Expression => ({ $eq: [{ $type: value }, "string"] });

/**
 * The value where it is a text, else null. Guards operators that throw on other types, as the earlier layout may hold.
 */
export const textOrNull = (value: Expression): Expression => ({
  $convert: { input: value, to: "string", onError: null },
});

const key: Expression = "$$entry.k";

/**
 * Whether a text begins with the key of `directory` and a dot. A search for it would go on behind the start of the
 * text, and `$substrBytes` throws inside a multibyte character. To compare a range takes the server twice as long.
 */
const beginsBelow = (text: Expression, directory: string): Expression => {
  const start = `${directory}.`;
  return { $eq: [{ $substrCP: [text, 0, Array.from(start).length] }, literal(start)] };
};

/** Whether the key of `$$entry` is that of something below `directory`. */
export const keyIsBelow = (directory: string): Expression => beginsBelow(key, directory);

/** Whether the key of `$$entry` is that of the directory `directory` or of something below it. */
export const keyIsWithin = (directory: string): Expression => beginsBelow({ $concat: [key, "."] }, directory);

/** Whether the key of `$$entry` is that of an immediate child of `directory` ("" is the root). */
export const keyIsDirectlyBelow = (directory: string): Expression => {
  if (directory === "") return { $eq: [{ $indexOfBytes: [key, "."] }, -1] };
  const rest = utf8Bytes(`${directory}.`);
  return { $and: [beginsBelow(key, directory), { $eq: [{ $indexOfBytes: [key, ".", rest] }, -1] }] };
};

/** The entries `{ k, v }` of a record that satisfy a condition on `$$entry`. */
export const entriesWhere = (record: Expression, condition: Expression): Expression => ({
  $filter: { input: { $objectToArray: orEmpty(record) }, as: "entry", cond: condition },
});

export const mapEntries = (entries: Expression, value: Expression): Expression => ({
  $map: { input: entries, as: "entry", in: value },
});

/** The key of `$$entry`, which is that of the directory `from` or below it, with `to` in its place. */
export const movedKey = (from: string, to: string): Expression => ({
  $concat: [literal(to), { $substrBytes: [key, utf8Bytes(from), -1] }],
});

/** The record with the directory `from` and all below it under the key `to`. */
export const recordMoved = (record: Expression, from: string, to: string): Expression => {
  const moved = where(keyIsWithin(from), { k: movedKey(from, to), v: "$$entry.v" }, "$$entry");
  return { $arrayToObject: mapEntries({ $objectToArray: orEmpty(record) }, moved) };
};
