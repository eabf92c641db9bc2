import { sha256Of } from "../values/sha256.js";
import type { VersionedSnapshot } from "../tree/snapshot.js";
import { versionsOf } from "../contract/snapshot-since.js";
import { compareCodeUnits } from "../values/text.js";
import type { MemoryChange } from "./memory-changes.js";

/** What a watch keeps of a memory: of each text its digest. */
export interface SeenTree {
  /** The digest of each file, and null for a directory, by path. */
  entries: ReadonlyMap<string, string | null>;
  /** Of the texts whose version is known, by path. */
  versions: ReadonlyMap<string, string>;
}

export const nothingSeen: SeenTree = { entries: new Map(), versions: new Map() };

/** @param before what was known when the snapshot was asked for: texts that it leaves out were seen then */
export function seenTree({ files, directories }: VersionedSnapshot, before: SeenTree): SeenTree {
  return {
    entries: new Map([
      ...files.map(({ path, content }): [string, string | null] => [
        path,
        content === null ? (before.entries.get(path) ?? null) : sha256Of(content),
      ]),
      ...directories.map((path): [string, null] => [path, null]),
    ]),
    versions: versionsOf(files),
  };
}

/** First what is gone, what lies in a directory before it; then all else, a directory before what lies in it. */
export function changesBetween(before: SeenTree, now: SeenTree): MemoryChange[] {
  const gone: MemoryChange[] = [];
  const come: MemoryChange[] = [];
  for (const [path, was] of before.entries) {
    const is = now.entries.get(path);
    if (is === undefined || kindOf(is) !== kindOf(was)) gone.push({ path, kind: kindOf(was), operation: "deleted" });
  }
  for (const [path, is] of now.entries) {
    const was = before.entries.get(path);
    if (was === undefined || kindOf(is) !== kindOf(was)) come.push({ path, kind: kindOf(is), operation: "created" });
    else if (was !== is) come.push({ path, kind: "file", operation: "modified" });
  }
  return [...gone.toSorted(byPath).toReversed(), ...come.toSorted(byPath)];
}

function kindOf(digest: string | null): MemoryChange["kind"] {
  return digest === null ? "dir" : "file";
}

function byPath(one: MemoryChange, other: MemoryChange): number {
  return compareCodeUnits(one.path, other.path);
}
