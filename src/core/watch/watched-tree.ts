import { getVersions } from "../contract/backend.js";
import type { VersionedSnapshot } from "../tree/snapshot.js";
import { hashSha256 } from "../values/sha256.js";
import { compareCodeUnits } from "../values/text.js";
import type { MemoryChange } from "./memory-changes.js";

/** The state of a memory that a watch stores. */
export interface WatchedTree {
  /** The digest of each file, and null for a directory, by path. */
  entries: ReadonlyMap<string, string | null>;
  /** The versions of the texts that have one, by path. */
  versions: ReadonlyMap<string, string>;
}

export const emptyWatchedTree: WatchedTree = { entries: new Map(), versions: new Map() };

/** @param before has the texts that the snapshot leaves out */
export function createWatchedTree({ files, directories }: VersionedSnapshot, before: WatchedTree): WatchedTree {
  const entries = new Map<string, string | null>();
  for (const { path, content } of files)
    entries.set(path, content === null ? (before.entries.get(path) ?? null) : hashSha256(content));
  for (const path of directories) entries.set(path, null);
  return { entries, versions: getVersions(files) };
}

/** Returns removals first, each directory after its contents; then the rest, each directory before its contents. */
export function compareTrees(before: WatchedTree, after: WatchedTree): MemoryChange[] {
  const removed: MemoryChange[] = [];
  const others: MemoryChange[] = [];
  for (const [path, digest] of before.entries) {
    const later = after.entries.get(path);
    if (later === undefined || getKind(later) !== getKind(digest))
      removed.push({ path, kind: getKind(digest), operation: "deleted" });
  }
  for (const [path, digest] of after.entries) {
    const kind = getKind(digest);
    const earlier = before.entries.get(path);
    if (earlier === undefined || getKind(earlier) !== kind) others.push({ path, kind, operation: "created" });
    else if (earlier !== digest) others.push({ path, kind, operation: "modified" });
  }
  return [...removed.toSorted(compareByPath).toReversed(), ...others.toSorted(compareByPath)];
}

function getKind(digest: string | null): MemoryChange["kind"] {
  return digest === null ? "dir" : "file";
}

function compareByPath(one: MemoryChange, other: MemoryChange): number {
  return compareCodeUnits(one.path, other.path);
}
