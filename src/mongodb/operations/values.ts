import { types } from "node:util";
import { invalid, MemoryError } from "../../core/values/errors.js";
import { shorten, utf8Bytes } from "../../core/values/text.js";
import { isObject, isRecord } from "../../core/values/unknown-values.js";

/** MongoDB's limit of a document, less the bytes of an item and its update other than id, namespace and value. */
export const maxItemBytes = 16 * 1024 * 1024 - 1024;
/** MongoDB stores 180 levels. This lower limit gives the same result on all its versions, and ends cycles. */
const maxLevels = 150;

/**
 * The driver reads an object with `$ref` and `$id` as one of its own classes, and splits `$ref` at a dot. Any other
 * field that begins with `$` prevents that. So such an object is stored with this field added. If the object has a
 * field of this name, its value is kept inside the added field.
 */
const plainMarker = "$plain";
const isReferenceLike = (value: object): boolean => Object.hasOwn(value, "$ref") && Object.hasOwn(value, "$id");

/**
 * Returns a copy of `value` that MongoDB stores and returns unchanged: JSON-like data, dates, bytes and 64-bit
 * integers. Undefined fields are removed; inside arrays they become null.
 * @param otherBytes size in bytes of the document without the value
 * @returns the copy, and the size in bytes of the document with the value
 * @throws TypeError for values that are no data, MemoryError EINVAL or EFBIG for data that cannot be stored
 */
export function encodeValue(value: unknown, otherBytes: number): { value: Record<string, unknown>; sizeBytes: number } {
  if (!isPlainObject(value)) {
    throw new TypeError(
      `an item's value must be a plain object, or null to delete the item (given ${describeType(value)})`,
    );
  }
  const encoder = new ValueEncoder(otherBytes);
  const stored = encoder.encodeObject(value, "value", 1);
  checkItemSize(encoder.sizeBytes);
  return { value: stored, sizeBytes: encoder.sizeBytes };
}

/** @throws MemoryError EFBIG */
export function checkItemSize(sizeBytes: number): void {
  if (sizeBytes > maxItemBytes) throw itemTooLarge(`${sizeBytes} bytes`);
}

function itemTooLarge(size: string): MemoryError {
  return new MemoryError("EFBIG", `EFBIG: the item would be ${size}, over its limit of ${maxItemBytes} bytes`);
}

/** Counts the bytes of BSON while encoding, because the driver's own counting would load the driver. */
class ValueEncoder {
  sizeBytes: number;

  constructor(otherBytes: number) {
    this.sizeBytes = otherBytes;
  }

  encode(value: unknown, path: string, level: number): unknown {
    if (value === null || value === undefined) return null;
    if (typeof value === "boolean") return this.#sized(value, 1);
    if (typeof value === "number") return this.#sized(value, isInt32(value) ? 4 : 8);
    if (typeof value === "string") return this.#sized(checkedText(value, path), 5 + utf8Bytes(value));
    if (typeof value === "bigint") return this.#sized(checkedInteger(value, path), 8);
    if (typeof value !== "object") throw notStorable(path, describeType(value));
    if (types.isDate(value)) return this.#sized(checkedDate(value, path), 8);
    if (types.isUint8Array(value)) return this.#sized(value, 5 + value.byteLength);
    // An object that occurs in many places is encoded in each, which could take too long without this check.
    if (this.sizeBytes > maxItemBytes) throw itemTooLarge("too large");
    if (level >= maxLevels) throw invalid(`an item's value is nested more than ${maxLevels} levels deep, or in itself`);
    if (Array.isArray(value)) return this.#encodeArray(value, path, level + 1);
    if (isPlainObject(value)) return this.encodeObject(value, path, level + 1);
    throw notStorable(path, describeType(value));
  }

  encodeObject(value: Record<string, unknown>, path: string, level: number): Record<string, unknown> {
    if (Object.getOwnPropertySymbols(value).some((key) => Object.prototype.propertyIsEnumerable.call(value, key))) {
      throw notStorable(path, "an object with symbols for keys");
    }
    this.sizeBytes += 5;
    const stored: Record<string, unknown> = {};
    for (const name of Object.keys(value)) {
      const field = value[name];
      if (field === undefined) continue;
      this.sizeBytes += 2 + utf8Bytes(checkedName(name, path));
      setField(stored, name, this.encode(field, `${path}.${name}`, level));
    }
    if (!isReferenceLike(stored)) return stored;
    const replaces = Object.hasOwn(stored, plainMarker);
    this.sizeBytes += replaces ? 8 : plainMarker.length + 7;
    return { ...stored, [plainMarker]: replaces ? [stored[plainMarker]] : [] };
  }

  #encodeArray(values: readonly unknown[], path: string, level: number): unknown[] {
    this.sizeBytes += 5;
    const stored: unknown[] = [];
    // `map` would skip the holes of an array.
    for (let index = 0; index < values.length; index += 1) {
      this.sizeBytes += 2 + String(index).length;
      stored.push(this.encode(values[index], `${path}[${index}]`, level));
    }
    return stored;
  }

  #sized<Value>(value: Value, bytes: number): Value {
    this.sizeBytes += bytes;
    return value;
  }
}

/** Returns the value as it was put. Reads request 64-bit integers as bigint; only bigints are stored as such. */
export function decodeValue(stored: Record<string, unknown>): Record<string, unknown> {
  const value: Record<string, unknown> = {};
  const isMarked = isReferenceLike(stored);
  for (const name of Object.keys(stored)) {
    const field = stored[name];
    if (isMarked && name === plainMarker && Array.isArray(field))
      for (const replaced of field) setField(value, name, decodeField(replaced));
    else setField(value, name, decodeField(field));
  }
  return value;
}

/** Assignment costs a third of `Object.fromEntries`, but would make `__proto__` the prototype. */
function setField(object: Record<string, unknown>, name: string, field: unknown): void {
  if (name !== "__proto__") object[name] = field;
  else Object.defineProperty(object, name, { value: field, writable: true, enumerable: true, configurable: true });
}

function decodeField(stored: unknown): unknown {
  if (!isObject(stored) || types.isDate(stored)) return stored;
  // The driver's bytes are a view of its whole reply, and would keep the reply in memory.
  if (types.isUint8Array(stored)) return Uint8Array.from(stored);
  return Array.isArray(stored) ? stored.map(decodeField) : decodeValue(stored);
}

/** Whether the value is an object as an object literal, JSON or `Object.create(null)` creates it, in any realm. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (!isRecord(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

export function describeType(value: unknown): string {
  if (value === null) return "null";
  if (typeof value !== "object") return typeof value === "undefined" ? "undefined" : `a ${typeof value}`;
  const { constructor }: { constructor?: unknown } = value;
  return typeof constructor === "function" && constructor.name !== "" ? `a ${constructor.name}` : "an object";
}

/** Whether the driver stores the number in four bytes. */
function isInt32(value: number): boolean {
  return (value | 0) === value && !Object.is(value, -0);
}

function checkedName(name: string, path: string): string {
  if (name.includes("\0")) throw invalid(`an item's value cannot have NUL in a field name (in ${shorten(path, 128)})`);
  if (name === "_bsontype") throw invalid(`an item's value cannot have a field "_bsontype" (in ${shorten(path, 128)})`);
  return checkedText(name, path);
}

function checkedText(text: string, path: string): string {
  if (text.isWellFormed()) return text;
  throw invalid(
    `an item's value is not well-formed Unicode at ${shorten(path.toWellFormed(), 128)} (a lone surrogate)`,
  );
}

function checkedInteger(value: bigint, path: string): bigint {
  if (BigInt.asIntN(64, value) === value) return value;
  throw notStorable(path, "a bigint beyond 64 bits");
}

function checkedDate(date: Date, path: string): Date {
  if (Number.isNaN(date.getTime())) throw notStorable(path, "an invalid Date");
  return date;
}

function notStorable(path: string, kind: string): TypeError {
  const stored = "JSON-like data, Date, Uint8Array and bigint";
  return new TypeError(
    `an item's value contains ${kind} at ${shorten(path.toWellFormed(), 128)}; only ${stored} can be stored`,
  );
}
