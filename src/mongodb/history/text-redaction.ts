import type { MemoryActor } from "../../core/values/actor.js";
import { coverOlderText, type SearchedText, searchOlderText, searchText } from "../../core/history/cover-older-text.js";
import { isWhole, type OlderText, wholeText } from "../../core/history/older-text.js";
import type { TextRedactor } from "../../core/history/text-redactor.js";
import type { Steps } from "../../core/runtime/turns.js";
import { redactDirectories } from "./directory-redaction.js";
import type { Redaction } from "./version-collection.js";
import { getPublicId, isTextRedacted, type VersionDocument } from "./version-document.js";

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
  let after = present === undefined ? null : yield* searchText(present, redactor);
  let isFoundAfter = after !== null && after.places.length > 0;
  let since: string | undefined;
  for (const version of lineage) {
    yield;
    const id = getPublicId(version);
    // A version between is no longer kept, so the text after this one is not known.
    if (since !== undefined && since !== id) [after, isFoundAfter] = [null, false];
    const before = yield* searchBefore(version, after, redactor);
    const older = yield* coverDifference(version.older, before, after, redactor);
    const isFound = isFoundAfter && version.operation !== "deleted";
    const facts = coverFacts(version, redactor);
    if (isFound || facts !== null) versions.push(version);
    if (isFound || facts !== null || older !== null)
      redactions.push({
        id,
        ...(older !== null && { found: version.older ?? null }),
        set: {
          ...(older !== null && { older }),
          ...((isFound || facts !== null) && markRedacted(version, mark)),
          ...(isFound && { sizeBytes: null, sha256: null }),
          ...facts?.set,
        },
        unset: facts?.unset ?? [],
      });
    isFoundAfter = before === null ? older !== null : before.places.length > 0;
    after = before;
    ({ since } = version);
  }
  return { versions, redactions: redactions.toReversed() };
}

/** Covers the text in a version that is of directories alone. */
export function redactTextOfDirectories(version: VersionDocument, redactor: TextRedactor): Redaction[] {
  const facts = coverFacts(version, redactor);
  return facts === null ? [] : [{ id: getPublicId(version), ...facts }];
}

/** Null if there was none, or if it cannot be read. */
function* searchBefore(
  { operation, older }: VersionDocument,
  after: SearchedText | null,
  redactor: TextRedactor,
): Steps<SearchedText | null> {
  if (operation === "renamed" && older === undefined) return after;
  if (!older) return null;
  if (isWhole(older)) return yield* searchText(older.text, redactor);
  return after === null ? null : yield* searchOlderText(older, after, redactor);
}

/** @returns null if the stored difference stays as it is */
function* coverDifference(
  older: OlderText | null | undefined,
  before: SearchedText | null,
  after: SearchedText | null,
  redactor: TextRedactor,
): Steps<OlderText | null> {
  if (!older) return null;
  if (before === null) return redactor.isIn(older.text) ? { ...older, text: yield* redactor.cover(older.text) } : null;
  // Without the text after it, only a whole text can be read.
  if (isWhole(older) || after === null)
    return before.places.length > 0 ? wholeText(yield* redactor.cover(before.text)) : null;
  const covered = yield* coverOlderText(older, { before, after }, redactor);
  return covered === older ? null : covered;
}

function markRedacted(version: VersionDocument, { at, by }: RedactionMark): Redaction["set"] {
  if (isTextRedacted(version)) return {};
  return { masked: true, redactedAt: at, ...(by !== null && { redactedBy: by }) };
}

/** Covers the text in what a version tells beside its text. @returns null if it is nowhere there */
function coverFacts(
  { path, from, directories, actor, redactedBy }: VersionDocument,
  redactor: TextRedactor,
): Pick<Redaction, "set" | "unset"> | null {
  const kept = directories && redactDirectories(directories, (name) => redactor.isIn(name));
  const set = {
    ...(kept !== directories && kept && { directories: kept }),
    ...(redactor.coverActor(actor) !== actor && { actor: redactor.coverActor(actor) }),
    ...(redactedBy &&
      redactor.coverActor(redactedBy) !== redactedBy && { redactedBy: redactor.coverActor(redactedBy) }),
  };
  const unset = [
    ...(redactor.isIn(path) ? (["path"] as const) : []),
    ...(redactor.isIn(from) ? (["from"] as const) : []),
  ];
  return unset.length + Object.keys(set).length === 0 ? null : { set, unset };
}
