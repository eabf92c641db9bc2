import type { ChangeRecord } from "../../../core/contract/change-record.js";
import { isWithin } from "../../../core/values/paths.js";
import { getPublicId, type VersionDocument } from "../version-document.js";

/** Whether a record waits, or is being made, and rests on one of these sources. An approved change stays. */
export function isWaitingOn({ status, origin }: ChangeRecord, sources: ReadonlySet<string>): boolean {
  const isOpen = status === "pending" || status === "applying";
  return isOpen && origin?.sources?.some((source) => sources.has(source)) === true;
}

/** Returns the name of a version as a source. */
export function toSource(version: Pick<VersionDocument, "_id">): string {
  return `version:${getPublicId(version)}`;
}

/** Whether a record has a digest of all texts that it deletes or moves. */
export function hasTreeDigest({ command, base }: ChangeRecord): boolean {
  return base !== "" && (command === "delete" || command === "rename");
}

/** Whether a record changes one of these files, or a directory that contains one. */
export function isAbove({ path }: Pick<ChangeRecord, "path">, files: readonly string[]): boolean {
  return files.some((file) => isWithin(file, path));
}
