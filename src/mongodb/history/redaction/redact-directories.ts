import type { KnownDirectoryChange } from "../version-document.js";

/**
 * Leaves out redacted names. If one name of a move is redacted, the other stays. Without it, a tree before the move
 * would have a directory that did not exist yet, or would lack one that existed.
 * @returns the same change if no name is redacted
 */
export function redactDirectories(
  directories: KnownDirectoryChange,
  isRedacted: (path: string) => boolean,
): KnownDirectoryChange {
  const { added = [], removed = [], moved = {} } = directories;
  if (![...added, ...removed, ...Object.values(moved)].some(isRedacted)) return directories;
  const keep = (paths: readonly string[]): string[] => paths.filter((path) => !isRedacted(path));
  const { from, to } = moved;
  const kept = {
    ...(from !== undefined && !isRedacted(from) && { from }),
    ...(to !== undefined && !isRedacted(to) && { to }),
  };
  return {
    ...(keep(added).length > 0 && { added: keep(added) }),
    ...(keep(removed).length > 0 && { removed: keep(removed) }),
    ...(Object.keys(kept).length > 0 && { moved: kept }),
  };
}
