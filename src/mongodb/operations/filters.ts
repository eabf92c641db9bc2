import { types } from "node:util";
import { invalid } from "../../core/values/errors.js";
import { shorten } from "../../core/values/text.js";
import { isObject } from "../../core/values/unknown-values.js";
import { isPlainObject, describeType } from "./values.js";

/** The conditions for the value of an item. */
export interface ItemFilter {
  matches(value: Record<string, unknown>): boolean;
  /** Conditions for the server. They select every item that matches, and may select others. */
  query: object[];
  /** There are no conditions. */
  matchesAll: boolean;
  /** No item can match. */
  matchesNone: boolean;
  /** Conditions that a field is one of some texts, numbers or booleans. A search index can decide them. */
  equalities: Equality[];
}

interface Equality {
  key: string;
  operands: (string | number | boolean)[];
}

const comparisons = {
  $gt: (a: number, b: number) => a > b,
  $gte: (a: number, b: number) => a >= b,
  $lt: (a: number, b: number) => a < b,
  $lte: (a: number, b: number) => a <= b,
} as const;

type Comparison = keyof typeof comparisons;

/** `$eq` and `$ne` are `$in` and `$nin` with one operand. */
type Condition = { key: string } & (
  | { operator: "$in"; operands: unknown[] }
  | { operator: "$nin"; operands: unknown[] }
  | { operator: "$exists"; exists: boolean }
  | { operator: Comparison; operand: unknown }
);

/**
 * Parses a filter. Keys are literal names of top-level fields. Values and operators are compared as in InMemoryStore
 * 1.2: with `===` for equality (so no object equals another), and with `Number()` for order. Two differences: a date is
 * an instant, for equality too, and `$exists` is an operator.
 * @throws MemoryError EINVAL or TypeError for what the reference would silently ignore
 */
export function parseFilter(filter: unknown): ItemFilter {
  if (filter !== undefined && filter !== null && !isPlainObject(filter)) {
    throw new TypeError(`a filter must be a plain object (given ${describeType(filter)})`);
  }
  const conditions = Object.entries(filter ?? {}).flatMap(([key, value]) => parseConditions(key, value));
  return {
    matches: (value) => conditions.every((condition) => satisfies(value, condition)),
    query: conditions.flatMap(serverConditions),
    matchesAll: conditions.length === 0,
    matchesNone: conditions.some(isUnsatisfiable),
    equalities: conditions.flatMap(findEqualities),
  };
}

/** MongoDB's operators that combine filters. No list equals a field, so each would match nothing. */
const combining = new Set(["$and", "$or", "$nor"]);

function parseConditions(key: string, value: unknown): Condition[] {
  if (combining.has(key) && Array.isArray(value))
    throw invalid(`a filter has fields with conditions, which must all be true; it cannot have ${key}`);
  checkOperand(key, value);
  if (isObject(value) && !types.isDate(value)) {
    const operators = Object.entries(value);
    if (operators.length === 0) throw invalid(`an empty array or object is not a condition ${inFilterOn(key)}`);
    if (operators.some(([name]) => name.startsWith("$"))) {
      return operators.map(([operator, operand]) => parseCondition(key, operator, operand));
    }
  }
  return [parseCondition(key, "$eq", value)];
}

function parseCondition(key: string, operator: string, operand: unknown): Condition {
  const where = inFilterOn(key);
  if (operator === "$in" || operator === "$nin") {
    if (!Array.isArray(operand)) throw invalid(`${operator} takes an array ${where}`);
    for (const element of operand) checkOperand(key, element);
    return { key, operator, operands: Array.from(operand).filter(isComparable) };
  }
  if (operator === "$exists") {
    if (typeof operand !== "boolean") throw invalid(`$exists takes true or false ${where}`);
    return { key, operator, exists: operand };
  }
  if (operator !== "$eq" && operator !== "$ne" && !isComparison(operator)) {
    throw invalid(`unknown operator ${JSON.stringify(shorten(operator, 64))} ${where}`);
  }
  checkOperand(key, operand);
  if (isPlainObject(operand) && Object.keys(operand).some((name) => name.startsWith("$"))) {
    throw invalid(`${operator} takes a value, not operators, ${where}`);
  }
  if (isComparison(operator)) return { key, operator, operand };
  // `includes` finds NaN, but `===` does not.
  const operands = [operand].filter((one) => isComparable(one) && !Number.isNaN(one));
  return { key, operator: operator === "$eq" ? "$in" : "$nin", operands };
}

function checkOperand(key: string, operand: unknown): void {
  const isData = isObject(operand)
    ? Array.isArray(operand) || isPlainObject(operand) || types.isDate(operand) || types.isUint8Array(operand)
    : typeof operand !== "function" && typeof operand !== "symbol";
  if (!isData) {
    const where = JSON.stringify(shorten(key, 64));
    throw new TypeError(`a filter compares with data only (given ${describeType(operand)} for ${where})`);
  }
  if (types.isDate(operand) && Number.isNaN(operand.getTime()))
    throw invalid(`a date must be valid ${inFilterOn(key)}`);
}

function inFilterOn(key: string): string {
  return `in the filter on ${JSON.stringify(shorten(key, 64))}`;
}

function isComparison(operator: string): operator is Comparison {
  return Object.hasOwn(comparisons, operator);
}

/** Whether a stored value can equal the operand. */
function isComparable(operand: unknown): boolean {
  if (typeof operand === "string") return operand.isWellFormed();
  if (typeof operand === "bigint") return BigInt.asIntN(64, operand) === operand;
  return !isObject(operand) || types.isDate(operand);
}

function satisfies(value: Record<string, unknown>, condition: Condition): boolean {
  const field = Object.hasOwn(value, condition.key) ? value[condition.key] : undefined;
  if (condition.operator === "$in") return isAmong(field, condition.operands);
  if (condition.operator === "$nin") return !isAmong(field, condition.operands);
  if (condition.operator === "$exists") return (field !== undefined) === condition.exists;
  return comparisons[condition.operator](toNumber(field), toNumber(condition.operand));
}

function isAmong(field: unknown, operands: readonly unknown[]): boolean {
  if (!types.isDate(field)) return operands.includes(field);
  return operands.some((operand) => types.isDate(operand) && operand.getTime() === field.getTime());
}

/** Works like `Number()`, which throws for an object whose own `toString` or `valueOf` is not a function. */
function toNumber(value: unknown): number {
  try {
    return Number(value);
  } catch {
    return Number.NaN;
  }
}

function isUnsatisfiable(condition: Condition): boolean {
  if (condition.operator === "$in") return condition.operands.length === 0;
  return "operand" in condition && Number.isNaN(toNumber(condition.operand));
}

function findEqualities(condition: Condition): Equality[] {
  if (condition.operator !== "$in" || !isPathOfOneField(condition.key)) return [];
  const { key, operands } = condition;
  return operands.every(isScalar) ? [{ key, operands }] : [];
}

function isScalar(operand: unknown): operand is string | number | boolean {
  return typeof operand === "string" || typeof operand === "boolean" || Number.isFinite(operand);
}

/** The server would read a dot as a path, and a dollar as an operator. */
const isPathOfOneField = (key: string): boolean => /^[^.$\0][^.\0]*$/u.test(key) && key.isWellFormed();

/** Types that `Number()` may turn into a number, and that the server orders differently. */
const convertedTypes = ["string", "object", "array", "binData", "bool", "null", "long"];

function serverConditions(condition: Condition): object[] {
  if (!isPathOfOneField(condition.key)) return [];
  const field = `value.${condition.key}`;
  // The server also matches a missing field with null.
  if (condition.operator === "$in") return [{ [field]: { $in: condition.operands.map((operand) => operand ?? null) } }];
  if (condition.operator === "$exists") return [{ [field]: { $exists: condition.exists } }];
  if (condition.operator === "$nin") {
    // Excludes only texts and booleans, because a number equals a bigint on the server. The server also compares the
    // elements of an array.
    const excluded = condition.operands.filter(
      (operand) => typeof operand === "string" || typeof operand === "boolean",
    );
    return [{ $or: [{ [field]: { $nin: excluded } }, { [field]: { $type: "array" } }] }];
  }
  const { operator, operand } = condition;
  const ofDates = types.isDate(operand) ? { [operator]: operand } : { $type: "date" };
  return [
    {
      $or: [
        { [field]: { [operator]: toNumber(operand) } },
        { [field]: ofDates },
        { [field]: { $type: convertedTypes } },
      ],
    },
  ];
}
