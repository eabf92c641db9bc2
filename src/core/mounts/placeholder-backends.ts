import type { MemoryBackend } from "../contract/backend.js";
import { BackendMemory } from "../backend-memory.js";
import type { Memory } from "../memory.js";
import { memoryDefaults } from "../memory-options.js";
import { MemoryTree } from "../tree/memory-tree.js";
import { MemoryError } from "../values/errors.js";
import { ROOT } from "../values/paths.js";

const emptyTree = new MemoryTree();

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
    snapshot: async () => emptyTree.snapshot(),
    outline: async (options) => emptyTree.outline(options),
    features: { storage: emptyTree },
    read: refuse,
    list: refuse,
    change: refuse,
    stat: (path) => (path === ROOT ? Promise.resolve(emptyTree.stat(path)) : refuse()),
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
  });
}
