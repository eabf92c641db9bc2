import type { MemorySnapshot } from "../../src/index.js";

/** Creates files with these texts, by path, all with the same times. */
export function createFiles(texts: Record<string, string>, createdAt: Date): MemorySnapshot["files"] {
  return Object.entries(texts).map(([path, content]) => ({
    kind: "file",
    path,
    content,
    sizeBytes: Buffer.byteLength(content),
    createdAt,
    updatedAt: createdAt,
  }));
}
