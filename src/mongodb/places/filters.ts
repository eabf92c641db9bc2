import { types } from "node:util";
import { invalid } from "../../core/values/errors.js";
import { shorten } from "../../core/values/text.js";
import { isPlainObject, kindOf } from "./values.js";

/** What an item's value must satisfy, and as much of it as the server can decide. */
export interface ItemFilter {
  matches(value: Record<string, unknown>): boolean;
  /** False for no item that matches. */
  query: object[];
  /** Whether every item that the query admits matches. */
  exact: boolean;
  /** No item can match. */
  never: boolean;
  /** Of the conditions those that a field is one of some texts, numbers or booleans, as a search index can know. */
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
type Operator = Comparison | "$eq" | "$ne" | "$in" | "$nin" | "$exists";

interface Condition {
  key: string;
  operator: Operator;
  operand: unknown;
}

/** A condition as a query: `true` and `false` where it does not depend on the item. */
interface ServerCondition {
  query: object | boolean;
  exact: boolean;
}

/**
 * Keys are literal names of top-level fields, values and operators as InMemoryStore 1.2 compares them: `===` for
 * equality (so no object equals another), and `Number()` for order. Unlike there a date is an instant, for equality
 * too, and `$exists` is an operator.
 * @throws MemoryError EINVAL or TypeError for what the reference would silently ignore
 */
export function parseFilter(filter: unknown): ItemFilter {
  if (filter === undefined || filter === null) {
    return { matches: () => true, query: [], exact: true, never: false, equalities: [] };
  }
  if (!isPlainObject(filter)) throw new TypeError(`a filter must be a plain object (given ${kindOf(filter)})`);
  const conditions = Object.entries(filter).flatMap(([key, value]) => conditionsOf(key, value));
  const parts = conditions.map(serverCondition);
  return {
    matches: (value) => conditions.every((condition) => satisfies(value, condition)),
    query: parts.map((part) => part.query).filter((query) => typeof query === "object"),
    exact: parts.every((part) => part.exact),
    never: parts.some((part) => part.query === false),
    equalities: conditions.flatMap(equalityOf),
  };
}

function equalityOf({ key, operator, operand }: Condition): Equality[] {
  if (!isPathOfOneField(key) || (operator !== "$eq" && operator !== "$in")) return [];
  const operands: unknown[] = operator === "$eq" ? [operand] : (operand as unknown[]);
  return operands.every(isScalar) ? [{ key, operands }] : [];
}

function isScalar(operand: unknown): operand is string | number | boolean {
  return typeof operand === "string"
    ? operand.isWellFormed()
    : typeof operand === "boolean" || Number.isFinite(operand);
}

/** A dot or a dollar would be read as a path or an operator. */
const isPathOfOneField = (key: string): boolean => /^[^.$\0][^.\0]*$/u.test(key) && key.isWellFormed();

function conditionsOf(key: string, value: unknown): Condition[] {
  checkOperand(key, value);
  if (typeof value !== "object" || value === null || types.isDate(value))
    return [{ key, operator: "$eq", operand: value }];
  const names = Object.keys(value);
  if (names.length === 0) throw invalid(`an empty array or object is no condition ${inFilterOn(key)}`);
  if (!names.some((name) => name.startsWith("$"))) return [{ key, operator: "$eq", operand: value }];
  return Object.entries(value).map(([operator, operand]) => checkedCondition(key, operator, operand));
}

function checkedCondition(key: string, operator: string, operand: unknown): Condition {
  const where = inFilterOn(key);
  if (operator === "$in" || operator === "$nin") {
    if (!Array.isArray(operand)) throw invalid(`${operator} takes an array ${where}`);
    for (const element of operand) checkOperand(key, element);
    return { key, operator, operand: Array.from(operand as unknown[]) };
  }
  if (operator === "$exists") {
    if (typeof operand !== "boolean") throw invalid(`$exists takes true or false ${where}`);
    return { key, operator, operand };
  }
  if (operator !== "$eq" && operator !== "$ne" && !isComparison(operator)) {
    throw invalid(`unknown operator ${JSON.stringify(shorten(operator, 64))} ${where}`);
  }
  checkOperand(key, operand);
  if (isPlainObject(operand) && Object.keys(operand).some((name) => name.startsWith("$"))) {
    throw invalid(`${operator} takes a value, not operators, ${where}`);
  }
  return { key, operator, operand };
}

function checkOperand(key: string, operand: unknown): void {
  const isData =
    typeof operand === "object" && operand !== null
      ? Array.isArray(operand) || isPlainObject(operand) || types.isDate(operand) || types.isUint8Array(operand)
      : typeof operand !== "function" && typeof operand !== "symbol";
  if (!isData) {
    const where = JSON.stringify(shorten(key, 64));
    throw new TypeError(`a filter compares with data only (given ${kindOf(operand)} for ${where})`);
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

function satisfies(value: Record<string, unknown>, { key, operator, operand }: Condition): boolean {
  const field = Object.hasOwn(value, key) ? value[key] : undefined;
  if (operator === "$eq") return field === operand || isSameInstant(field, operand);
  if (operator === "$ne") return field !== operand && !isSameInstant(field, operand);
  if (operator === "$in") return isOneOf(field, operand as unknown[]);
  if (operator === "$nin") return !isOneOf(field, operand as unknown[]);
  if (operator === "$exists") return (field !== undefined) === operand;
  return comparisons[operator](toNumber(field), toNumber(operand));
}

function isOneOf(field: unknown, operands: readonly unknown[]): boolean {
  return operands.includes(field) || operands.some((operand) => isSameInstant(field, operand));
}

function isSameInstant(a: unknown, b: unknown): boolean {
  return types.isDate(a) && types.isDate(b) && a.getTime() === b.getTime();
}

/** As `Number()`, which throws for an object whose own `toString` or `valueOf` is no function. */
function toNumber(value: unknown): number {
  try {
    return Number(value);
  } catch {
    return Number.NaN;
  }
}

function serverCondition({ key, operator, operand }: Condition): ServerCondition {
  // Decided by `matches` alone.
  if (!isPathOfOneField(key)) return { query: true, exact: false };
  const field = `value.${key}`;
  if (operator === "$eq") return anyOf(field, Number.isNaN(operand) ? [] : [operand]);
  if (operator === "$ne") return noneOf(field, Number.isNaN(operand) ? [] : [operand]);
  if (operator === "$in") return anyOf(field, operand as unknown[]);
  if (operator === "$nin") return noneOf(field, operand as unknown[]);
  if (operator === "$exists") return { query: { [field]: { $exists: operand } }, exact: true };
  return { query: numberWhere(field, operator, toNumber(operand)), exact: false };
}

/** Equality of MongoDB where it is that of `isOneOf`: not inside arrays, and a bigint is no number. */
function anyOf(field: string, operands: readonly unknown[]): ServerCondition {
  const ofType = (...names: string[]): unknown[] => operands.filter((operand) => names.includes(typeof operand));
  const texts = ofType("string", "boolean").filter((operand) => typeof operand !== "string" || operand.isWellFormed());
  const dates = operands.filter((operand) => types.isDate(operand));
  const numbers = ofType("number");
  const integers = ofType("bigint").filter((operand) => BigInt.asIntN(64, operand as bigint) === operand);
  const alternatives = [
    ...(dates.length > 0 ? [{ [field]: { $in: dates, $not: { $type: "array" } } }] : []),
    ...(texts.length > 0 ? [{ [field]: { $in: texts, $not: { $type: "array" } } }] : []),
    ...(numbers.length > 0 ? [{ [field]: { $in: numbers, $not: { $type: ["array", "long"] } } }] : []),
    ...(integers.length > 0 ? [{ [field]: { $in: integers, $type: "long", $not: { $type: "array" } } }] : []),
    ...(operands.includes(null) ? [{ [field]: { $type: "null", $not: { $type: "array" } } }] : []),
    ...(operands.includes(undefined) ? [{ [field]: { $exists: false } }] : []),
  ];
  const [only, ...others] = alternatives;
  if (only === undefined) return { query: false, exact: true };
  return { query: others.length === 0 ? only : { $or: alternatives }, exact: true };
}

function noneOf(field: string, operands: readonly unknown[]): ServerCondition {
  const { query } = anyOf(field, operands);
  return { query: typeof query === "object" ? { $nor: [query] } : true, exact: true };
}

/** Decides numbers and dates. What else `Number()` could turn into one is admitted. */
function numberWhere(field: string, operator: Comparison, limit: number): object | false {
  if (Number.isNaN(limit)) return false;
  const date = new Date(limit);
  const isDate = date.getTime() === limit;
  const coerced = ["string", "object", "array", "binData", "bool", "null", "long", ...(isDate ? [] : ["date"])];
  return {
    $or: [
      { [field]: { [operator]: limit } },
      ...(isDate ? [{ [field]: { [operator]: date } }] : []),
      { [field]: { $type: coerced } },
    ],
  };
}
