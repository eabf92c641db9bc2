/** An aggregation expression. The driver types them as `any`-filled documents; here they are opaque values. */
export type Expression = string | number | boolean | null | Date | { [operator: string]: unknown } | Expression[];

/** User text and paths go in only through here: outside `$literal` the server evaluates a leading `$`. */
export const literal = (value: unknown): Expression => ({ $literal: value });

export const isNull = (value: Expression): Expression => ({ $eq: [value, null] });

/** Its bytes of UTF-8; null for null. */
export const textBytes = (text: Expression): Expression => ({ $binarySize: text });

/**
 * How many bytes the server may compare to find a text, three times over, in a tenth of a second at most. It compares
 * the whole of a text at every place: for one of half a megabyte in a megabyte it takes an hour, and cannot be stopped.
 */
export const maxComparedBytes = 20_000_000;

export const where = (condition: Expression, value: Expression, otherwise: Expression): Expression => ({
  $cond: [condition, value, otherwise],
});

export type Variables = [name: string, value: Expression][];

/** The value of `body`, which knows each variable as `$$name`; so do the variables after it. */
export const bound = (variables: Variables, body: Expression): Expression =>
  variables.reduceRight<Expression>((inner, [name, value]) => ({ $let: { vars: { [name]: value }, in: inner } }), body);
