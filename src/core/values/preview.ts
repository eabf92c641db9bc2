import { shorten } from "./text.js";

/** Returns a value as refusals quote it: short, and without the contents of objects. */
export function preview(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(shorten(value, 64));
  return typeof value === "object" && value !== null ? "an object" : String(value);
}
