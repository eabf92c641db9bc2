/*
 * Functions that read values of any type: thrown values, arguments of programs without types, and objects of another
 * copy of a library.
 */

/** Returns true for arrays too. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** Whether a value is an object but not an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return isObject(value) && !Array.isArray(value);
}

/** Returns an object's fields, or no fields for any other value. */
export function toRecord(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

/** Returns undefined if the value has no such field. */
export function getField(value: unknown, name: PropertyKey): unknown {
  return isObject(value) || typeof value === "function" ? Reflect.get(value, name) : undefined;
}

export function hasMethod(value: unknown, name: string): boolean {
  return typeof getField(value, name) === "function";
}

/** Returns undefined if the value has no such method. */
export function callMethod(value: unknown, name: string, ...args: readonly unknown[]): unknown {
  const method = getField(value, name);
  return typeof method === "function" ? Reflect.apply(method, value, args) : undefined;
}
