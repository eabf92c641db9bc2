import type { ChangeRecord } from "../../../core/contract/change-record.js";
import { digestTree } from "../../../core/tree/digest.js";
import { MemoryTree } from "../../../core/tree/memory-tree.js";
import { isWithin } from "../../../core/values/paths.js";
import { getPublicId, type VersionDocument } from "../version-document.js";

/** The text that a version left at a path. */
export interface RedactedFileText {
  path: string;
  text: string;
}

/** Whether this is exactly the text of the record's file before or after its change. */
export function hasText(record: ChangeRecord, { path, text }: RedactedFileText): boolean {
  const { command, to, base, after, edited } = record;
  if (record.path !== path || record.isDirectory) return false;
  const times = { createdAt: record.at, updatedAt: record.at };
  const files = [{ path, kind: "file" as const, content: text, sizeBytes: 0, ...times }];
  const tree = new MemoryTree({ files });
  return after === text || edited?.after === text || base === digestTree(tree, { type: command, path, to });
}

/** Whether a record waits, or is being made, and rests on one of these sources. An approved change stays. */
export function isWaitingOn({ status, origin }: ChangeRecord, sources: ReadonlySet<string>): boolean {
  const isOpen = status === "pending" || status === "applying";
  return isOpen && origin?.sources?.some((source) => sources.has(source)) === true;
}

/** Returns the name of a version as a source. */
export function toSource(version: Pick<VersionDocument, "_id">): string {
  return `version:${getPublicId(version)}`;
}

/**
 * Whether a record is a delete or a move that was planned for another state of the tree. Nobody can approve it, and its
 * digest is of texts that it does not store.
 */
export function isStaleDigest({ command, path, to, base }: ChangeRecord, present: MemoryTree): boolean {
  if (base === "" || (command !== "delete" && command !== "rename")) return false;
  return digestTree(present, { type: command, path, to }) !== base;
}

/** Whether a record changes one of these files, or a directory that contains one. */
export function isAbove({ path }: Pick<ChangeRecord, "path">, files: readonly string[]): boolean {
  return files.some((file) => isWithin(file, path));
}
