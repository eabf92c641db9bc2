import type { MemoryActor } from "../../core/values/actor.js";
import { coverOlderText } from "../../core/history/cover-older-text.js";
import { isWhole, type OlderText, readOlderText, wholeText } from "../../core/history/older-text.js";
import type { TextRedactor } from "../../core/history/text-redactor.js";
import type { Steps } from "../../core/runtime/turns.js";
import type { Redaction } from "./version-collection.js";
import { type DirectoryChange, getPublicId, isTextRedacted, type VersionDocument } from "./version-document.js";

/** Who redacts, and when. */
export interface RedactionMark {
  at: Date;
  by: MemoryActor | null;
}

/** Where a text stands in the versions of one file, and how it is covered there. */
export interface FileRedaction {
  /** The versions that contain it, newest first. */
  versions: VersionDocument[];
  /**
   * The changes of the stored versions, oldest first: a version is then always stored as the difference from a newer
   * text in which as much is covered as in this version, or less.
   */
  redactions: Redaction[];
}

/**
 * Goes from the newest version of a file to the oldest, and covers the text in each.
 * @param lineage all kept versions of the file, newest first
 * @param present the present text, if the newest version has one
 */
export function* redactTextOfFile(
  lineage: readonly VersionDocument[],
  present: string | undefined,
  redactor: TextRedactor,
  mark: RedactionMark,
): Steps<FileRedaction> {
  const versions: VersionDocument[] = [];
  const redactions: Redaction[] = [];
  let after: TextAfter = { text: present ?? null, isFound: redactor.isIn(present) };
  let since: string | undefined;
  for (const version of lineage) {
    yield;
    const id = getPublicId(version);
    // A version between is no longer kept, so the text after this one is not known.
    if (since !== undefined && since !== id) after = { text: null, isFound: false };
    const before = findTextBefore(version, after.text);
    const older = yield* coverDifference(version.older, before, after.text, redactor);
    const paths = coverPaths(version, redactor);
    const isFound = after.isFound && version.operation !== "deleted";
    if (isFound || paths !== null) versions.push(version);
    if (isFound || paths !== null || older !== null)
      redactions.push({
        id,
        ...(older !== null && { found: version.older ?? null }),
        set: {
          ...(older !== null && { older }),
          ...((isFound || paths !== null) && markRedacted(version, mark)),
          ...(isFound && { sizeBytes: null, sha256: null }),
          ...(paths?.directories && { directories: paths.directories }),
        },
        unset: paths?.unset ?? [],
      });
    after = { text: before, isFound: redactor.isIn(before) || (before === null && older !== null) };
    ({ since } = version);
  }
  return { versions, redactions: redactions.toReversed() };
}

interface TextAfter {
  /** Null if there is none, or if it cannot be read. */
  text: string | null;
  isFound: boolean;
}

/** Null if there was none, or if it cannot be read. */
function findTextBefore({ operation, older }: VersionDocument, after: string | null): string | null {
  if (operation === "renamed" && older === undefined) return after;
  if (!older) return null;
  if (isWhole(older)) return older.text;
  return after === null ? null : readOlderText(older, after);
}

/** @returns null if the stored difference stays as it is */
function* coverDifference(
  older: OlderText | null | undefined,
  before: string | null,
  after: string | null,
  redactor: TextRedactor,
): Steps<OlderText | null> {
  if (!older) return null;
  if (before === null) return redactor.isIn(older.text) ? { ...older, text: yield* redactor.cover(older.text) } : null;
  // Without the text after it, only a whole text can be read.
  if (isWhole(older) || after === null) return redactor.isIn(before) ? wholeText(yield* redactor.cover(before)) : null;
  if (!redactor.isIn(before) && !redactor.isIn(after)) return null;
  return yield* coverOlderText(older, { before, after }, redactor);
}

function markRedacted(version: VersionDocument, { at, by }: RedactionMark): Redaction["set"] {
  if (isTextRedacted(version)) return {};
  return { masked: true, redactedAt: at, ...(by !== null && { redactedBy: by }) };
}

/** Covers the text in a version that is of directories alone. */
export function coverDirectories(version: VersionDocument, redactor: TextRedactor): Redaction[] {
  const directories = coverPaths(version, redactor)?.directories ?? null;
  return directories === null ? [] : [{ id: getPublicId(version), set: { directories }, unset: [] }];
}

/** @returns null if no path of the version contains the text */
function coverPaths(
  { path, from, directories }: VersionDocument,
  redactor: TextRedactor,
): { unset: Redaction["unset"]; directories: DirectoryChange | null } | null {
  const kept = directories && keepDirectories(directories, redactor);
  const hasLess = directories !== undefined && JSON.stringify(kept) !== JSON.stringify(directories);
  const unset = [
    ...(redactor.isIn(path) ? (["path"] as const) : []),
    ...(redactor.isIn(from) ? (["from"] as const) : []),
  ];
  return unset.length === 0 && !hasLess ? null : { unset, directories: hasLess ? (kept ?? null) : null };
}

function keepDirectories({ added, removed, moved }: DirectoryChange, redactor: TextRedactor): DirectoryChange {
  const keep = (paths: readonly string[]): string[] => paths.filter((path) => !redactor.isIn(path));
  const canKeepMove = moved !== undefined && !redactor.isIn(moved.from) && !redactor.isIn(moved.to);
  return {
    ...(added && { added: keep(added) }),
    ...(removed && { removed: keep(removed) }),
    ...(canKeepMove && { moved }),
  };
}
