import { utf8Bytes } from "../../../core/values/text.js";
/** An aggregation expression. The driver types expressions as documents full of `any`; this type makes them opaque. */
export type Expression = string | number | boolean | null | Date | { [operator: string]: unknown } | Expression[];

/** Wraps user text and paths. Outside `$literal` the server evaluates a leading `$`; other texts need no wrapping. */
export const literal = (value: unknown): Expression =>
  typeof value === "string" && !value.startsWith("$") ? value : { $literal: value };

export const isNull = (value: Expression): Expression => ({ $eq: [value, null] });

/** Returns the size in bytes of UTF-8. Null for null. */
export const textBytes = (text: Expression): Expression => ({ $binarySize: text });

/**
 * The most bytes that the server may compare to find a text. Three such searches take a tenth of a second at most. The
 * server compares the whole search text at every position: for half a megabyte in a megabyte that takes an hour, and
 * cannot be stopped.
 */
export const maxComparedBytes = 20_000_000;

export const where = (condition: Expression, value: Expression, otherwise: Expression): Expression => ({
  $cond: [condition, value, otherwise],
});

export type Variables = [name: string, value: Expression][];

/** Returns the value of `body`. The body and all later variables can use each variable as `$$name`. */
export const bound = (variables: Variables, body: Expression): Expression =>
  variables.reduceRight<Expression>((inner, [name, value]) => ({ $let: { vars: { [name]: value }, in: inner } }), body);

/** Whether a page is one of several. @param prefix stands before the names of its fields */
export const isOfSeveral = (prefix = "$"): Expression => ({ $gt: [`${prefix}lo`, null] });

/** `record[key]` for keys with dots and dollars. Missing if the record or the key is missing. */
export const valueAt = (record: Expression, key: string): Expression => ({
  $getField: { field: literal(key), input: record },
});

export const withValueAt = (record: Expression, key: string, value: Expression): Expression =>
  withValueIn(orEmpty(record), key, value);

/** Sets `record[key]` in a record that exists. */
export const withValueIn = (record: Expression, key: string, value: Expression): Expression => ({
  $setField: { field: literal(key), input: record, value },
});

/** `$unsetField` does the same, but is not in the Stable API. */
export const withoutKey = (record: Expression, key: string): Expression => withValueAt(record, key, "$$REMOVE");

export const orEmpty = (record: Expression): Expression => ({ $ifNull: [record, {}] });

/** Whether a field or variable has a value. */
export const isPresent = (value: Expression): Expression => ({ $gt: [value, null] });

const key: Expression = "$$entry.k";

/**
 * Whether a text begins with the key of `directory` and a dot. A search would continue after the start of the text, and
 * `$substrBytes` throws inside a multibyte character. A range comparison takes the server twice as long.
 */
const beginsBelow = (text: Expression, directory: string): Expression => {
  const start = `${directory}.`;
  return { $eq: [{ $substrCP: [text, 0, Array.from(start).length] }, literal(start)] };
};

/** Whether the key of `$$entry` is `directory` or below it. */
export const keyIsWithin = (directory: string): Expression => beginsBelow({ $concat: [key, "."] }, directory);

/** Returns the entries `{ k, v }` of a record that satisfy a condition on `$$entry`. */
export const entriesWhere = (record: Expression, condition: Expression): Expression => ({
  $filter: { input: { $objectToArray: orEmpty(record) }, as: "entry", cond: condition },
});

export const mapEntries = (entries: Expression, value: Expression): Expression => ({
  $map: { input: entries, as: "entry", in: value },
});

/** The sizes of the texts of a page together. */
export const totalTextBytes: Expression = {
  $sum: mapEntries(entriesWhere("$data", true), textBytes("$$entry.v")),
};

/** Returns the key of `$$entry`, which is `from` or below it, with `from` replaced by `to`. */
const movedKey = (from: string, to: string): Expression => ({
  $concat: [literal(to), { $substrBytes: [key, utf8Bytes(from), -1] }],
});

/** Returns the record with the directory `from` and everything below it moved to the key `to`. */
export const recordMoved = (record: Expression, from: string, to: string): Expression => {
  const moved = where(keyIsWithin(from), { k: movedKey(from, to), v: "$$entry.v" }, "$$entry");
  return { $arrayToObject: mapEntries({ $objectToArray: orEmpty(record) }, moved) };
};
