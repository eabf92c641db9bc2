import fc, { type Arbitrary } from "fast-check";
import { fragment } from "./texts.js";
import { json } from "./values.js";

/** Chooses a place, all alike: numbers between 0 and 1 are mostly tiny, and would choose the first one. */
const place = fc.nat();

/** A change of some bytes. */
type Mutation = { at: number; length: number; bytes: Uint8Array };

const mutation: Arbitrary<Mutation> = fc.record({
  at: place,
  length: fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min: 0, max: 4 }) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 2000 }) },
  ),
  bytes: fc.oneof(
    fc.uint8Array({ maxLength: 4 }),
    fragment.map((text) => Buffer.from(text)),
  ),
});

/** What comes of a text when some of its bytes are replaced, left out or added. */
export function mutated(texts: Arbitrary<string>): Arbitrary<Uint8Array> {
  return fc.tuple(texts, fc.array(mutation, { minLength: 1, maxLength: 4 })).map(([text, mutations]) =>
    mutations.reduce<Uint8Array>((bytes, { at, length, bytes: put }) => {
      const start = at % (bytes.length + 1);
      return Buffer.concat([bytes.subarray(0, start), put, bytes.subarray(start + length)]);
    }, Buffer.from(text)),
  );
}

/** What comes of JSON when some of its values are replaced, left out or added. */
export type JsonChange = { at: number; act: "replace" | "remove" | "add" | "double"; name: string; value: unknown };

/** @param values those that take the place of others, by default any JSON. @param names of the fields that are added */
export const jsonChange = (values: Arbitrary<unknown> = json, names = fragment): Arbitrary<JsonChange> =>
  fc.record({
    at: place,
    act: fc.constantFrom("replace", "replace", "replace", "remove", "add", "double"),
    name: names,
    value: values,
  });

interface Slot {
  holder: Record<string, unknown> | unknown[];
  name: string;
}

function findSlots(value: unknown): Slot[] {
  if (typeof value !== "object" || value === null) return [];
  const holder = value as Slot["holder"];
  return Object.keys(value).flatMap((name) => [
    { holder, name },
    ...findSlots((value as Record<string, unknown>)[name]),
  ]);
}

/** Changes a value of JSON, and answers it. What is put in is copied: a later change of it may put the same value there. */
export function changeJson<Value>(value: Value, changes: readonly JsonChange[]): Value {
  for (const { at, act, name, value: given } of changes) {
    const put = structuredClone(given);
    const slots = findSlots(value);
    const slot = slots[at % slots.length];
    if (slot === undefined) continue;
    const holder = slot.holder as Record<string, unknown>;
    if (act === "replace") setField(holder, slot.name, put);
    else if (Array.isArray(slot.holder)) {
      const index = Number(slot.name);
      if (act === "remove") slot.holder.splice(index, 1);
      else slot.holder.splice(index, 0, act === "add" ? put : structuredClone(slot.holder[index]));
    } else if (act === "remove") delete holder[slot.name];
    else setField(holder, name, act === "add" ? put : structuredClone(holder[slot.name]));
  }
  return value;
}

/** `__proto__` as a field, as `JSON.parse` has it. */
function setField(holder: object, name: string, value: unknown): void {
  Object.defineProperty(holder, name, { value, writable: true, enumerable: true, configurable: true });
}
