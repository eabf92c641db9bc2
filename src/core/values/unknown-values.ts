/*
 * Reading values of any type: what was thrown, what a program without types passes, and objects of another copy of a
 * library.
 */

/** Lists are objects too. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** Undefined for a value that has no such field. */
export function getField(value: unknown, name: PropertyKey): unknown {
  return isObject(value) || typeof value === "function" ? Reflect.get(value, name) : undefined;
}

export function hasMethod(value: unknown, name: string): boolean {
  return typeof getField(value, name) === "function";
}

/** Undefined for a value that has no such method. */
export function callMethod(value: unknown, name: string, ...args: readonly unknown[]): unknown {
  const method = getField(value, name);
  return typeof method === "function" ? Reflect.apply(method, value, args) : undefined;
}
