import type { Memory } from "../memory.js";
import type { MemoryOutline, OutlineOptions } from "../tree/outline.js";
import { MemoryError } from "../values/errors.js";
import { compareCodeUnits } from "../values/text.js";
import { findHiddenDirectory, getPathPrefix, ROOT } from "../values/paths.js";
import type { MountTable } from "./mount-table.js";
import type { Mount } from "./mounts.js";

/** The outline of one mounted memory, with paths of the tree. */
export interface MountOutline {
  mount: Mount;
  outline: MemoryOutline;
}

/** The outline of each memory, in code-unit order of the mount points. */
export async function readOutlines(table: MountTable, options: OutlineOptions): Promise<MountOutline[]> {
  const outlines = await table.runInEach(ROOT, (memory, { mount }) => readOutline(table, mount, memory, options));
  return outlines.toSorted((a, b) => compareCodeUnits(a.mount.point, b.mount.point));
}

/** One outline of all. It has contents only if all contents together are at most `maxContentBytes`. */
export async function mergeOutlines(
  table: MountTable,
  outlines: readonly MemoryOutline[],
  { maxContentBytes = 0 }: OutlineOptions,
): Promise<MemoryOutline> {
  const { files, directories, revision } = await table.merge(outlines);
  const sizeBytes = files.reduce((sum, file) => sum + file.sizeBytes, 0);
  const hasContents = sizeBytes <= maxContentBytes && files.every(({ content }) => content !== undefined);
  const moreThan = outlines.find((outline) => outline.moreThan !== undefined)?.moreThan;
  const uncounted = outlines.flatMap((outline) => outline.uncounted ?? []);
  return {
    files: hasContents ? files : files.map(({ content: _content, ...file }) => file),
    directories,
    revision,
    ...(moreThan !== undefined && { moreThan }),
    ...(uncounted.length > 0 && { uncounted }),
  };
}

/**
 * Reads the outline of a memory as the tree shows it. A truncated one is read whole if it may lack what the tree shows.
 */
export async function readOutline(
  table: MountTable,
  mount: Mount,
  memory: Memory,
  options: OutlineOptions,
): Promise<MountOutline> {
  const outline = await memory.outline(options);
  const shown = table.toTree(mount, outline);
  if (outline.moreThan === undefined && outline.uncounted === undefined) return { mount, outline: shown };
  const allShown =
    shown.files.length === outline.files.length && shown.directories.length === outline.directories.length;
  // Below a name that begins with a dot the memory's own such directories are not hidden.
  const hasOwnHiding = findHiddenDirectory(getPathPrefix(mount.point)) === undefined;
  if (allShown && hasOwnHiding && !(await hidesEntries(table, mount, memory))) return { mount, outline: shown };
  const { maxPathChars: _limit, ...unlimited } = options;
  return { mount, outline: table.toTree(mount, await memory.outline(unlimited)) };
}

/** Whether a memory has entries at the points of other mounts. */
async function hidesEntries({ mounts }: MountTable, mount: Mount, memory: Memory): Promise<boolean> {
  const start = getPathPrefix(mount.point);
  const points = mounts.filter(({ point }) => point !== mount.point && point.startsWith(start));
  const exists = async ({ point }: Mount): Promise<boolean> => {
    try {
      return (await memory.stat(ROOT + point.slice(start.length))) !== null;
    } catch (error) {
      // The memory could not create this name.
      if (MemoryError.isInstance(error) && error.code === "EINVAL") return false;
      throw error;
    }
  };
  return (await Promise.all(points.map(exists))).includes(true);
}
