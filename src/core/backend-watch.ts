import { snapshotSince } from "./contract/backend.js";
import { type MemoryContext, runCall } from "./pipeline.js";
import { type Call, createUnlimitedCall } from "./runtime/call.js";
import type { Memory } from "./memory.js";
import type { MemoryChanges, WatchOptions } from "./watch/memory-changes.js";
import { watchMemory } from "./watch/memory-watch.js";
import { listenHere } from "./watch/own-changes.js";

/** A memory whose backend may count its versions. */
export interface VersionedMemory extends Memory {
  /** Differs after each change. Null if the backend keeps no count. @internal */
  version(): Promise<string | null>;
}

/** Reads the version of a memory, and nothing else. Null if its storage keeps no count. */
export async function readVersion(memory: Memory | VersionedMemory): Promise<string | null> {
  return "version" in memory ? memory.version() : null;
}

/** Watches a memory over a backend. @throws TypeError for bad options */
export function watchBackend(memory: MemoryContext, options?: WatchOptions): MemoryChanges {
  const { address, backend, signals } = memory;
  // Polls create no spans: there would be one every few seconds.
  const run = <R>(poll: (call: Call) => Promise<R>): Promise<R> => runCall(memory, null, poll);
  const watched = {
    version: () => run(async (call) => (await backend.features?.version?.(call)) ?? null),
    snapshot: (known: ReadonlyMap<string, string>) => run((call) => snapshotSince(backend, known, call)),
    // The listener stays open after the call, so the limits of the call do not apply to it.
    listen: () => run(async () => (await backend.features?.listen?.(createUnlimitedCall())) ?? null),
    listenHere: (listener: () => void) => listenHere(backend, address, listener),
    signals,
  };
  return watchMemory(watched, options);
}
