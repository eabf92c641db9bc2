import type { CheckedAddress } from "../values/address.js";
import type { MemoryBackend } from "../contract/backend.js";
import { getObjectId } from "../values/object-ids.js";

/** The listeners of this process, by memory. */
const listeners = new Map<string, Set<() => void>>();

function getKey(backend: MemoryBackend, address: CheckedAddress): string {
  return `${getObjectId(backend.features?.storage ?? backend)} ${JSON.stringify(address)}`;
}

/** Calls `listener` after each change that this process makes. @returns a function that stops this */
export function listenHere(backend: MemoryBackend, address: CheckedAddress, listener: () => void): () => void {
  const key = getKey(backend, address);
  const all = listeners.get(key) ?? new Set();
  listeners.set(key, all.add(listener));
  return () => {
    all.delete(listener);
    if (all.size === 0 && listeners.get(key) === all) listeners.delete(key);
  };
}

/** Does nothing if this process watches no memory, as most do: then a change costs nothing more. */
export function notifyListeners(backend: MemoryBackend, address: CheckedAddress): void {
  if (listeners.size > 0) listeners.get(getKey(backend, address))?.forEach((listener) => listener());
}
