import { MemoryError } from "../../../core/values/errors.js";

const reasons = new WeakMap<MemoryError, "moved" | "missing">();

/**
 * A layout throws this error if a forwarding record says that another layout keeps the memory. Callers see it only if
 * the memory moves again and again.
 */
export function movedAway(): MemoryError {
  return elsewhere("moved", "ECONFLICT: the memory was moved to another layout meanwhile; try again");
}

/** A layout that creates no memories throws this error if it has no memory at the address. */
export function notHere(): MemoryError {
  return elsewhere("missing", "ECONFLICT: the memory was removed meanwhile; try again");
}

/** Returns why the memory must be searched in another layout. Null for all other errors. */
export function reasonToFollow(error: unknown): "moved" | "missing" | null {
  return MemoryError.isInstance(error) ? (reasons.get(error) ?? null) : null;
}

/** EEXIST: both layouts have a memory of the same address. */
export function alreadyThere(layout: string): MemoryError {
  return new MemoryError(
    "EEXIST",
    `EEXIST: the layout "${layout}" has a memory of this address, too, and two memories cannot be made one; nothing was moved`,
  );
}

function elsewhere(reason: "moved" | "missing", message: string): MemoryError {
  const error = new MemoryError("ECONFLICT", message);
  reasons.set(error, reason);
  return error;
}
