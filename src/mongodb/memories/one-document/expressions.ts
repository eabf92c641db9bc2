import { utf8Bytes } from "../../../core/text.js";

/** An aggregation expression. The driver types them as `any`-filled documents; here they are opaque values. */
export type Expression = string | number | boolean | null | Date | { [operator: string]: unknown } | Expression[];

/** User text and paths go in only through here: outside `$literal` the server evaluates a leading `$`. */
export const literal = (value: unknown): Expression => ({ $literal: value });

/** `record[key]` where the key may hold dots and dollars; missing where either is. */
export const valueAt = (record: Expression, key: string): Expression => ({
  $getField: { field: literal(key), input: record },
});

export const withValueAt = (record: Expression, key: string, value: Expression): Expression => ({
  $setField: { field: literal(key), input: orEmpty(record), value },
});

/** `$unsetField` is the same, but not in the Stable API. */
export const withoutKey = (record: Expression, key: string): Expression => withValueAt(record, key, "$$REMOVE");

export const orEmpty = (record: Expression): Expression => ({ $ifNull: [record, {}] });

export const isText = (value: Expression): Expression => ({ $eq: [{ $type: value }, "string"] });

export const isNull = (value: Expression): Expression => ({ $eq: [value, null] });

export const exists = (value: Expression): Expression => ({ $ne: [{ $type: value }, "missing"] });

/** The value where it is a text, else null. Guards operators that throw on other types, as the earlier layout may hold. */
export const textOrNull = (value: Expression): Expression => ({
  $convert: { input: value, to: "string", onError: null },
});

/** Its bytes of UTF-8; null for null. */
export const textBytes = (text: Expression): Expression => ({ $binarySize: text });

/**
 * How many bytes the server may compare to find a text, three times over, in a tenth of a second at most. It compares the
 * whole of a text at every place: for one of half a megabyte in a megabyte it takes an hour, and cannot be stopped.
 */
export const maxComparedBytes = 20_000_000;

export type Branch = [condition: Expression, value: Expression];

/** The value of the first branch whose condition holds. */
export const firstOf = (branches: Branch[], otherwise: Expression): Expression => ({
  $switch: { branches: branches.map(([condition, value]) => ({ case: condition, then: value })), default: otherwise },
});

export const where = (condition: Expression, value: Expression, otherwise: Expression): Expression => ({
  $cond: [condition, value, otherwise],
});

export type Variables = [name: string, value: Expression][];

/** The value of `body`, which knows each variable as `$$name`; so do the variables after it. */
export const bound = (variables: Variables, body: Expression): Expression =>
  variables.reduceRight<Expression>((inner, [name, value]) => ({ $let: { vars: { [name]: value }, in: inner } }), body);

const key: Expression = "$$entry.k";

/**
 * Whether a key begins with that of `directory` and a dot, after which "/" is the next character. A search for it would go
 * on behind the start of the key, and `$substrBytes` throws inside a multibyte character.
 */
const beginsBelow = (text: Expression, directory: string): Expression => ({
  $and: [{ $gte: [text, literal(`${directory}.`)] }, { $lt: [text, literal(`${directory}/`)] }],
});

/** Whether the key of `$$entry` is that of the directory `directory` or of something below it. */
export const keyIsWithin = (directory: string): Expression => beginsBelow({ $concat: [key, "."] }, directory);

/** Whether the key of `$$entry` is that of an immediate child of `directory` ("" is the root). */
export const keyIsChildOf = (directory: string): Expression => {
  if (directory === "") return { $eq: [{ $indexOfBytes: [key, "."] }, -1] };
  const rest = utf8Bytes(`${directory}.`);
  return { $and: [beginsBelow(key, directory), { $eq: [{ $indexOfBytes: [key, ".", rest] }, -1] }] };
};

/** The entries `{ k, v }` of a record that satisfy a condition on `$$entry`. */
export const entriesWhere = (record: Expression, condition: Expression): Expression => ({
  $filter: { input: { $objectToArray: orEmpty(record) }, as: "entry", cond: condition },
});

/** These fields of the document, each with the entries that satisfy the condition only. */
export const recordsWhere = (fields: string[], condition: Expression): Expression => ({
  $arrayToObject: {
    $map: {
      input: fields.map((field) => ({ k: field, v: `$${field}` })),
      as: "record",
      in: { k: "$$record.k", v: { $arrayToObject: entriesWhere("$$record.v", condition) } },
    },
  },
});

export const mapEntries = (entries: Expression, value: Expression): Expression => ({
  $map: { input: entries, as: "entry", in: value },
});

/** The key of `$$entry`, which is that of the directory `from` or below it, with `to` in its place. */
export const movedKey = (from: string, to: string): Expression => ({ $concat: [literal(to), { $substrBytes: [key, utf8Bytes(from), -1] }] });

/** The record with the directory `from` and all below it under the key `to`. */
export const recordMoved = (record: Expression, from: string, to: string): Expression => {
  const moved = where(keyIsWithin(from), { k: movedKey(from, to), v: "$$entry.v" }, "$$entry");
  return { $arrayToObject: mapEntries({ $objectToArray: orEmpty(record) }, moved) };
};
