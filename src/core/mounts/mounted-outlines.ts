import type { Memory } from "../memory.js";
import { sumBytes } from "../tree/memory-tree.js";
import type { MemoryOutline, OutlineOptions } from "../tree/snapshot.js";
import { compareCodeUnits } from "../values/text.js";
import { ROOT } from "../values/paths.js";
import type { MountTable } from "./mount-table.js";
import type { Mount } from "./mounts.js";

/** The outline of one mounted memory, with paths of the tree. */
export interface MountOutline {
  mount: Mount;
  outline: MemoryOutline;
}

/** Reads the outline of each memory, in code-unit order of the mount points. */
export async function readOutlines(table: MountTable, options: OutlineOptions): Promise<MountOutline[]> {
  const outlines = await table.runInEach(ROOT, (memory, { mount }) => readOutline(table, mount, memory, options));
  return outlines.toSorted((a, b) => compareCodeUnits(a.mount.point, b.mount.point));
}

/** Merges the outlines. The result has contents only if all contents together are at most `maxContentBytes`. */
export async function mergeOutlines(
  table: MountTable,
  outlines: readonly MountOutline[],
  { maxContentBytes = 0 }: OutlineOptions,
): Promise<MemoryOutline> {
  const { files, directories, revision } = await table.merge(outlines.map(({ outline }) => outline));
  const hasContents = sumBytes(files) <= maxContentBytes && files.every(({ content }) => content !== undefined);
  return {
    files: hasContents ? files : files.map(({ content: _content, ...file }) => file),
    directories,
    revision,
  };
}

/** Reads the outline of a memory as the tree shows it. */
export async function readOutline(
  table: MountTable,
  mount: Mount,
  memory: Memory,
  options: OutlineOptions,
): Promise<MountOutline> {
  return { mount, outline: table.toTree(mount, await memory.outline(options)) };
}
