import type { CallContext } from "../../core/runtime/call.js";
import { type MemoryTree, noEdits, type TreeEdits } from "../../core/tree/memory-tree.js";
import type { MemorySnapshot, SnapshotFile } from "../../core/tree/snapshot.js";
import { utf8Bytes } from "../../core/values/text.js";
import type { Restoration } from "../history/history-source.js";
import type { RecordedChange } from "../history/outbox.js";
import { recordEdits } from "../history/record-edits.js";
import type { StoredMemory } from "./contract/stored-memory.js";
import type { StorageScope } from "./contract/tree-storage.js";

export interface RestorationSettings {
  /** The times of files, where they are not that of the change. */
  fileClock?: (() => Date) | undefined;
  clock: () => Date;
  /** Only says what a revert would record. */
  isReader: boolean;
}

/**
 * Makes what a revert has planned, in one step.
 * @returns what was recorded of it; null if the memory is not as it was planned for
 */
export function restoreMemory(
  stored: StoredMemory,
  { restoration, revision }: { restoration: Restoration; revision: number },
  { fileClock, clock, isReader }: RestorationSettings,
  call: CallContext,
): Promise<RecordedChange | null> {
  return stored.transact<RecordedChange | null>(
    getRestorationScope(restoration),
    (tree, { at }) => {
      if (!isUnchanged(tree, restoration, revision)) return { edits: noEdits, result: null };
      const edits = createEdits(restoration, fileClock?.() ?? at);
      const recorded = { files: [], directories: {}, ...recordEdits(tree, edits) };
      const result = { revision: revision + 1, at: isReader ? clock() : at, actor: call.actor, ...recorded };
      return { edits: isReader ? noEdits : edits, result };
    },
    call,
  );
}

function getRestorationScope({ files, addedDirectories, removedDirectories }: Restoration): StorageScope {
  const paths = [...files.keys(), ...addedDirectories, ...removedDirectories];
  const chars = [...files.values()].reduce((sum, text) => sum + (text?.length ?? 0), 0);
  return { paths, below: removedDirectories, needsTexts: true, chars };
}

/**
 * Whether the memory is as it was when this was planned. A store without history changes texts and no revision, in the
 * layout `files`.
 */
function isUnchanged(
  tree: MemoryTree,
  { files, removedDirectories, tree: planned }: Restoration,
  revision: number,
): boolean {
  const texts = new Map(planned.files.map(({ path, content }) => [path, content]));
  const removed = new Set([...removedDirectories, ...files.keys()]);
  return (
    tree.snapshot().revision === revision &&
    [...files.keys()].every((path) => tree.files.get(path)?.content === texts.get(path)) &&
    removedDirectories.every((path) => tree.pathsWithin(path).every((within) => removed.has(within)))
  );
}

function createEdits(restoration: Restoration, now: Date): TreeEdits {
  const { files, renamed, addedDirectories, removedDirectories, tree } = restoration;
  const sources = new Set(renamed.values());
  const createdAt = getCreationTimes(tree);
  const removed = [...files].flatMap(([path, text]) => (text === null && !sources.has(path) ? [path] : []));
  const written = [...files].flatMap(([path, content]): SnapshotFile[] => {
    if (content === null) return [];
    const times = { createdAt: createdAt.get(renamed.get(path) ?? path) ?? now, updatedAt: now };
    return [{ path, kind: "file", content, sizeBytes: utf8Bytes(content), ...times }];
  });
  return {
    removed: [...removed, ...removedDirectories],
    moved: [...files].flatMap(([to, text]) => {
      const path = renamed.get(to);
      return path === undefined || text === null ? [] : [{ path, to }];
    }),
    directories: addedDirectories,
    files: written,
  };
}

function getCreationTimes({ files }: MemorySnapshot): Map<string, Date> {
  return new Map(files.map(({ path, createdAt }) => [path, createdAt]));
}
