import type { ChangeListener } from "../contract/change-listener.js";
import type { MemoryChanges, WatchOptions } from "./memory-changes.js";
import { watchMemory } from "./memory-watch.js";

/** Of what never changes. */
export const silence: ChangeListener = {
  latest: null,
  heard: () => new Promise(() => undefined),
  close: () => undefined,
};

/** Of what holds nothing. @throws TypeError for bad options */
export function watchNothing(options?: WatchOptions): MemoryChanges {
  const nothing = {
    version: async () => null,
    snapshot: async () => ({ files: [], directories: [] }),
    listen: async () => silence,
    listenHere: () => () => undefined,
    signals: [],
  };
  return watchMemory(nothing, options);
}
