import type { Memory } from "../core/memory.js";
import { joinPoint } from "../core/mounts/mount-table.js";
import { getMountTree } from "../core/mounts/mounted-memory.js";
import { isWithin, ROOT } from "../core/values/paths.js";

/** Returns a function that finds the point of the mounted memory to which a path belongs. "/" without mounts. */
export function findMountPoints(memory: Memory): (path: string) => string {
  const points = listMountPoints(memory).toSorted((a, b) => b.length - a.length);
  return (path) => points.find((point) => isWithin(path, point)) ?? ROOT;
}

/** A mounted memory may be a tree itself. */
function listMountPoints(memory: Memory): string[] {
  const mounts = getMountTree(memory)?.mounts ?? [];
  return mounts.flatMap((mount) => [
    mount.point,
    ...listMountPoints(mount.memory).map((point) => joinPoint(mount, point)),
  ]);
}
