import type { MemorySnapshot } from "../../core/memory.js";
import { about } from "../errors.js";
import type { OpenTarget } from "../targets/open-target.js";

/** Reads a memory at one moment. @throws CommandError for a file of a folder that is no text */
export async function readSnapshot({ memory, name, stored }: OpenTarget): Promise<MemorySnapshot> {
  const snapshot = await about(name, () => memory.snapshot());
  if (stored !== null) return snapshot;
  // The snapshot of a folder leaves out files that are no text. An export must not.
  const texts = new Set(snapshot.files.map(({ path }) => path));
  const { files } = await about(name, () => memory.outline());
  for (const { path } of files) if (!texts.has(path)) await about(path, () => memory.read(path));
  return snapshot;
}
