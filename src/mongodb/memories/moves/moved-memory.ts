import { MemoryError } from "../../../core/values/errors.js";

const reasons = new WeakMap<MemoryError, "moved" | "missing">();

/**
 * What a layout throws where a mark says that another one keeps the memory. A caller only sees it if the memory moves
 * again and again.
 */
export function movedAway(): MemoryError {
  return elsewhere("moved", "ECONFLICT: the memory was moved to another layout meanwhile; try again");
}

/** What a layout throws that makes no memories, and has none at the address. */
export function notHere(): MemoryError {
  return elsewhere("missing", "ECONFLICT: the memory was removed meanwhile; try again");
}

/** Whether and why the memory has to be looked for in another layout. Null for all other errors. */
export function reasonToFollow(error: unknown): "moved" | "missing" | null {
  return MemoryError.isInstance(error) ? (reasons.get(error) ?? null) : null;
}

/** EEXIST: there are two memories of one address, one in each layout. */
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
