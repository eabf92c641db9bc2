/** An aggregation expression. The driver types expressions as documents full of `any`; this type makes them opaque. */
export type Expression = string | number | boolean | null | Date | { [operator: string]: unknown } | Expression[];

/** Wraps user text and paths. Outside `$literal` the server evaluates a leading `$`. */
export const literal = (value: unknown): Expression => ({ $literal: value });

export const isNull = (value: Expression): Expression => ({ $eq: [value, null] });

/** Returns the size in bytes of UTF-8. Null for null. */
export const textBytes = (text: Expression): Expression => ({ $binarySize: text });

/**
 * How many bytes the server may compare to find a text. Three such searches take a tenth of a second at most. The
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
