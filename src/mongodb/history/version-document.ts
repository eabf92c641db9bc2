import type { MemoryActor } from "../../core/values/actor.js";
import type { ArchivedVersion } from "../../core/history/archived-version.js";
import { MemoryError } from "../../core/values/errors.js";
import type { MemoryVersion, VersionOperation } from "../../core/history/history.js";
import type { OlderText } from "../../core/history/older-text.js";
import { badVersionId } from "../../core/history/version-id.js";

/** What one change did to one file, or to directories alone. */
export interface VersionDocument {
  /** The memory, and the id in it with leading zeros, so that ids sort as the changes were made. */
  _id: string;
  /**
   * The id of the first version of this file. Stays when the file is renamed. Absent where the change was of
   * directories alone.
   */
  file?: string;
  /** The id of the version before, of this file or of a deleted one at its path. */
  since?: string;
  /** Absent where it is redacted. */
  path?: string;
  from?: string;
  operation?: VersionOperation;
  at: Date;
  actor: MemoryActor | null;
  /** The text before the change. Absent where there was none or the same. Null: it is redacted. */
  older?: OlderText | null;
  /** Null where there is no text after the change, or it is redacted. */
  sizeBytes: number | null;
  sha256: string | null;
  directories?: DirectoryChange;
  redactedAt?: Date;
  redactedBy?: MemoryActor;
  /** MongoDB deletes it then, as nobody has changed the memory any more. */
  expiresAt?: Date;
  /** MongoDB deletes it then, as it is older than `keepMs`. */
  dropAt?: Date;
}

/** What a change did to directories. Only the first version of the change has it. */
export interface DirectoryChange {
  added?: string[];
  removed?: string[];
  moved?: { from: string; to: string };
}

/**
 * Whose versions they are. It has the id of the memory alone. Made before the first version, and removed after the
 * last.
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

/** Names a version: the revision of its change, and which of several files of the change it is. */
export function publicId(revision: number, index: number): string {
  return index === 0 ? String(revision) : `${revision}.${index}`;
}

/** @param memory the id of its document */
export function storedId(memory: string, id: string): string {
  const [revision = "", index = "0"] = id.split(".");
  return `${memory}.${revision.padStart(revisionDigits, "0")}.${index.padStart(indexDigits, "0")}`;
}

export function getPublicId({ _id }: Pick<VersionDocument, "_id">): string {
  return publicId(
    Number(_id.slice(-revisionDigits - 1 - indexDigits, -indexDigits - 1)),
    Number(_id.slice(-indexDigits)),
  );
}

export function getRevision(id: string): number {
  return Number(id.split(".")[0]);
}

/** @throws MemoryError EINVAL */
export function checkVersionId(id: unknown): string {
  if (typeof id === "string" && /^(?:0|[1-9]\d{0,9})(?:\.[1-9]\d{0,5})?$/.test(id)) return id;
  throw badVersionId(id);
}

export function noSuchVersion(id: string): MemoryError {
  return new MemoryError("ENOENT", `ENOENT: the memory has no version ${id}, or keeps it no longer`);
}

/** Without what is of the database that it lies in. */
export function archivedVersion({
  _id,
  expiresAt: _expiresAt,
  dropAt: _dropAt,
  ...version
}: VersionDocument): ArchivedVersion {
  return { id: getPublicId({ _id }), ...version };
}

export function unarchivedVersion(memory: string, { id, ...version }: ArchivedVersion): VersionDocument {
  // What is absent is undefined, which the driver would store as null.
  const fields = Object.entries(version).filter(([, value]) => value !== undefined);
  // The fields are those of the version.
  return { _id: storedId(memory, id), ...Object.fromEntries(fields) } as VersionDocument;
}

/** Where the ids of a memory's versions lie. */
export function versionIdRange(memory: string): { $gt: string; $lt: string } {
  return { $gt: `${memory}.`, $lt: `${memory}/` };
}

export function toMemoryVersion(document: VersionDocument): MemoryVersion {
  const { path = "", from, operation = "modified", at, actor, sizeBytes, sha256, redactedAt, redactedBy } = document;
  return {
    id: getPublicId(document),
    path,
    ...(from !== undefined && { from }),
    operation,
    at,
    actor,
    sizeBytes,
    sha256,
    ...(redactedAt !== undefined && { redactedAt }),
    ...(redactedBy !== undefined && { redactedBy }),
  };
}
