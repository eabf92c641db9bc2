import type { SnapshotFile } from "../../core/tree/snapshot.js";
import { comparePaths } from "../../core/values/text.js";
import { readFolder as readItems } from "../../move-in/read/folder.js";
import { about } from "../errors.js";
import type { OpenTarget } from "../targets/open-target.js";
import type { ImportedMemory } from "./read-archive.js";

/** An entry of a folder that no memory can take. */
export interface SkippedEntry {
  path: string;
  reason: string;
}

/** Reads a folder of any program, such as a workspace. */
export async function readFolder(
  { memory, name }: OpenTarget,
  dir: string,
): Promise<{ memory: ImportedMemory; skipped: SkippedEntry[] }> {
  const files: SnapshotFile[] = [];
  const directories: string[] = [];
  const skipped: SkippedEntry[] = [];
  await about(name, async () => {
    for await (const item of readItems(memory, dir))
      if ("why" in item) skipped.push({ path: item.what, reason: item.why });
      else if ("directory" in item) directories.push(item.directory);
      else files.push(item);
  });
  skipped.sort(comparePaths);
  return { memory: { address: null, files, directories }, skipped };
}
