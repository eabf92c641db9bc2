import type { MemoryBackend } from "../contract/backend.js";
import { BackendMemory } from "../backend-memory.js";
import type { Memory } from "../memory.js";
import { memoryDefaults } from "../memory-options.js";
import { applyChange } from "../tree/apply-change.js";
import { createsMissing } from "../tree/change.js";
import { MemoryTree } from "../tree/memory-tree.js";
import { MemoryError } from "../values/errors.js";
import { ROOT } from "../values/paths.js";

const emptyTree = new MemoryTree();

/** Reads of the whole tree, which find nothing. */
const emptyReads = {
  snapshot: async () => emptyTree.snapshot(),
  outline: async (options) => emptyTree.outline(options),
  features: { storage: emptyTree },
} as const satisfies Pick<MemoryBackend, "snapshot" | "outline" | "features">;

/**
 * Creates the backend of a memory that a run cannot have. Calls on a path reject with the reason, and calls on the
 * whole tree find nothing. Its root is a directory.
 */
export function createUnavailableBackend(reason: MemoryError): MemoryBackend {
  // A new error for each call, because it gets the path of the call.
  const refuse = async (): Promise<never> => {
    throw new MemoryError(reason.code, reason.message, { cause: reason });
  };
  return {
    ...emptyReads,
    read: refuse,
    list: refuse,
    change: refuse,
    stat: (path) => (path === ROOT ? Promise.resolve(emptyTree.stat(path)) : refuse()),
  };
}

/** Creates the backend of the root of a tree without a memory at "/". It is empty, and refuses every change. */
export function createBareRootBackend(): MemoryBackend {
  return {
    ...emptyReads,
    read: async (path) => emptyTree.file(path).content,
    list: async (path) => emptyTree.list(path),
    stat: async (path) => emptyTree.stat(path),
    change: async (change, options) => {
      if (change.path !== ROOT && createsMissing(change))
        throw new MemoryError(
          "EACCES",
          "EACCES: no memory is mounted at /, so nothing can be created there; create below a mount point",
        );
      return applyChange(emptyTree, change, { now: new Date(), maxFileBytes: Infinity }, options).result;
    },
  };
}

/** @param like a memory of the same tree: the placeholder shows its address and its rule for names */
export function openPlaceholder(backend: MemoryBackend, { address, paths }: Pick<Memory, "address" | "paths">): Memory {
  return new BackendMemory({
    backend,
    address,
    options: { ...memoryDefaults, paths, timeoutMs: Infinity },
    signals: [],
    actor: null,
    run: null,
    policies: null,
    origin: { isUntraced: true },
  });
}
