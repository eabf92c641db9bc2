import { randomUUID } from "node:crypto";
import { type MemoryBackend, openMemoryOver } from "../../src/custom-backend/index.js";
import type { Memory, MemoryOptions, MemorySnapshot } from "../../src/index.js";

/** Opens a memory that has these files and never changes, so that all its searches use one index. */
export function openUnchanged({ files, directories }: MemorySnapshot, options: MemoryOptions = {}): Memory {
  const features: MemoryBackend["features"] = {
    version: async () => "1",
    snapshotSince: async () => ({ files: files.map((file) => ({ ...file, version: "1" })), directories }),
  };
  return openMemoryOver(
    () => ({ features }) as MemoryBackend,
    { nodeId: randomUUID() },
    { paths: "posix", ...options },
  );
}
