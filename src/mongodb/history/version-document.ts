import type { MemoryActor, VersionOrigin } from "../../core/values/actor.js";
import { MemoryError } from "../../core/values/errors.js";
import type { MemoryVersion, VersionOperation } from "../../core/history/history.js";
import type { OlderText } from "../../core/history/older-text.js";
import { badVersionId } from "../../core/history/version-id.js";

/** The effect of one change on one file, or on directories only. */
export interface VersionDocument extends Partial<VersionOrigin> {
  /** The memory, and the id of the version with leading zeros, so that ids sort in the order of the changes. */
  _id: string;
  /**
   * The id of the first version of this file. Stays when the file is renamed. Absent if the change concerned
   * directories only.
   */
  file?: string;
  /** The id of the previous version: of this file, or of a deleted file at its path. */
  since?: string;
  /** Absent if the version is redacted. */
  path?: string;
  from?: string;
  operation?: VersionOperation;
  at: Date;
  actor: MemoryActor | null;
  /** The text before the change. Absent if there was none, or if it was the same. Null if it is redacted. */
  older?: OlderText | null;
  /** Null if the change left no text, or if the text is redacted. */
  sizeBytes: number | null;
  sha256: string | null;
  directories?: KnownDirectoryChange;
  redactedAt?: Date;
  redactedBy?: MemoryActor;
  /** Set if only a part of the text is redacted: the rest can be read. */
  masked?: true;
  /**
   * Set while a text is being covered in the text after this version, or in the text before it. After a crash the marks
   * stay until the same text is redacted again.
   */
  covering?: CoverMark[];
  /** The time at which MongoDB deletes the version, because the memory has not changed any more. */
  expiresAt?: Date;
  /** The time at which MongoDB deletes the version, because it is older than `keepMs`. */
  dropAt?: Date;
}

/**
 * Names the occurrence of a text that is covered last. When the cover stands there, all texts with this mark are covered.
 * So a call after a crash sees whether a mark has served, and the mark says no more about the text than its cover does.
 */
export interface CoverMark {
  /** The occurrence is in the text before this version. */
  version: string;
  /** In UTF-16 units. */
  offset: number;
  cover: string;
}

/** The effect of a change on directories. Only the first version of the change contains it. */
export interface DirectoryChange {
  added?: string[];
  removed?: string[];
  moved?: { from: string; to: string };
}

/** A change of a directory without redacted names. */
export type KnownDirectoryChange = Omit<DirectoryChange, "moved"> & { moved?: { from?: string; to?: string } };

/**
 * The owner of the versions of a memory. Its id is the id of the memory alone. Created before the first version, and
 * removed after the last.
 */
export interface OwnerDocument {
  _id: string;
  nodeId: string;
  scope: string;
  threadId?: string;
  userId?: string;
  expiresAt?: Date;
}

const revisionDigits = 10;
const indexDigits = 6;

/**
 * A page of several counts on from the time of the server, in these units. So the changes of one command are not counted
 * beyond the time at which it ends.
 */
export const revisionsPerMs = 1000;

/** Returns the first revision that a page of several can have at a time. */
export function getRevisionAt(time: Date): number {
  return time.getTime() * revisionsPerMs;
}

/** The change to which a version belongs. */
export interface ChangeOrder {
  /** Counts the changes of a memory of one page. In a memory of several it is above that time, and above the last one. */
  revision: number;
  /** The token of the page that made the change. Empty for the head, and for a change of several pages. */
  page: string;
}

/** Returns the id of a version: its change, and the position among the files of the change. */
export function publicId({ revision, page }: ChangeOrder, index: number): string {
  const change = page === "" ? String(revision) : `${revision}-${page}`;
  return index === 0 ? change : `${change}.${index}`;
}

/** @param memory the id of its document */
export function storedId(memory: string, id: string): string {
  const [, index = "0"] = id.split(".");
  return `${storedChange(memory, id)}.${index.padStart(indexDigits, "0")}`;
}

/** Returns the part of the stored id that all versions of a change share. Times sort after counted changes. */
function storedChange(memory: string, id: string): string {
  const [change = ""] = id.split(".");
  return `${memory}.${String(getRevision(id)).length > revisionDigits ? `t${change}` : change.padStart(revisionDigits, "0")}`;
}

/** Returns an id after the versions of a change, and before those of the next. "/" is the character after ".". */
export function endOfChange(memory: string, id: string): string {
  return `${storedChange(memory, id)}/`;
}

export function getPublicId({ _id }: Pick<VersionDocument, "_id">): string {
  const [, stored = "", index = ""] = _id.split(".");
  const change = stored.startsWith("t") ? stored.slice(1) : String(Number(stored));
  return Number(index) === 0 ? change : `${change}.${Number(index)}`;
}

/** Whether the whole text is redacted. */
export function isWhollyRedacted({ redactedAt, masked }: VersionDocument): boolean {
  return redactedAt !== undefined && masked !== true;
}

/** Whether some occurrences of a text may be covered already, and others not yet. */
export function isBeingCovered({ covering = [] }: VersionDocument): boolean {
  return covering.length > 0;
}

/** Whether the text cannot be read: it is redacted, or is being covered. */
export function isTextRedacted(version: VersionDocument): boolean {
  return isWhollyRedacted(version) || (version.redactedAt !== undefined && isBeingCovered(version));
}

/**
 * Returns the path of the file before a version. Undefined if it is redacted.
 * @param head the version before
 */
export function getPathBefore(
  { operation, path, from }: VersionDocument,
  head: VersionDocument | undefined,
): string | undefined {
  return (operation === "renamed" ? from : path) ?? head?.path;
}

export function getRevision(id: string): number {
  return Number.parseInt(id, 10);
}

/** @throws MemoryError EINVAL */
export function checkVersionId(id: unknown): string {
  if (typeof id === "string" && /^(?:0|[1-9]\d{0,9}|[1-9]\d{15}(?:-[\da-f]{16})?)(?:\.[1-9]\d{0,5})?$/.test(id))
    return id;
  throw badVersionId(id);
}

export function noSuchVersion(id: string): MemoryError {
  return new MemoryError("ENOENT", `ENOENT: the memory has no version ${id}, or no longer keeps it`);
}

/** Returns the range of ids of the versions of a memory. */
export function versionIdRange(memory: string): { $gt: string; $lt: string } {
  return { $gt: `${memory}.`, $lt: `${memory}/` };
}

export function toMemoryVersion(document: VersionDocument): MemoryVersion {
  const { path = "", from, operation = "modified", at, actor, sizeBytes, sha256 } = document;
  const { sources, trust, redactedAt, redactedBy } = document;
  return {
    id: getPublicId(document),
    path,
    ...(from !== undefined && { from }),
    operation,
    at,
    actor,
    sizeBytes,
    sha256,
    ...(sources && { sources }),
    ...(trust && { trust }),
    ...(redactedAt !== undefined && { redactedAt }),
    ...(redactedBy !== undefined && { redactedBy }),
  };
}
