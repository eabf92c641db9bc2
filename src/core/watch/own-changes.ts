import type { CheckedAddress } from "../values/address.js";
import type { MemoryBackend } from "../backend.js";
import { idOf } from "../values/object-ids.js";

/** Those who want to know of changes that this process makes, by memory. */
const listeners = new Map<string, Set<() => void>>();

function keyOf(backend: MemoryBackend, address: CheckedAddress): string {
  return `${idOf(backend.storage ?? backend)} ${JSON.stringify(address)}`;
}

/** @param listener called after each change. @returns what ends it */
export function listenHere(backend: MemoryBackend, address: CheckedAddress, listener: () => void): () => void {
  const key = keyOf(backend, address);
  const all = listeners.get(key) ?? new Set();
  listeners.set(key, all.add(listener));
  return () => {
    all.delete(listener);
    if (all.size === 0 && listeners.get(key) === all) listeners.delete(key);
  };
}

/** Whether anybody wants to know of any memory: most processes watch none, and then a change costs nothing more. */
export function isHeardHere(): boolean {
  return listeners.size > 0;
}

export function tellHere(backend: MemoryBackend, address: CheckedAddress): void {
  listeners.get(keyOf(backend, address))?.forEach((listener) => listener());
}
