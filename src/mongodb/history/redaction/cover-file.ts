import type { MemoryActor } from "../../../core/values/actor.js";
import {
  coverOlderText,
  type SearchedText,
  searchOlderText,
  searchText,
} from "../../../core/history/cover-older-text.js";
import { isWhole, type OlderText, wholeText } from "../../../core/history/older-text.js";
import type { TextRedactor } from "../../../core/history/text-redactor.js";
import type { Steps } from "../../../core/runtime/turns.js";
import { redactDirectories } from "./redact-directories.js";
import type { Redaction } from "./write-redactions.js";
import { getPublicId, isTextRedacted, type VersionDocument } from "../version-document.js";

/** The person who redacts, and the time. */
export interface RedactionMark {
  at: Date;
  by: MemoryActor | null;
}

/** The places of a text in versions of one file, and the covered texts. */
export interface FileRedaction {
  /** The versions that contain it, newest first. */
  versions: VersionDocument[];
  /**
   * The changes of the stored versions, oldest first. In this order no version is ever stored as the difference from a
   * newer text in which more is covered than in the version itself.
   */
  redactions: Redaction[];
}

/**
 * Number of versions that are covered before older ones are searched. Reason: the work of a call that ends early is
 * kept.
 */
const versionsAtOnce = 500;

export interface FileSettings {
  redactor: TextRedactor;
  mark: RedactionMark;
  /** The text of the file now, if its newest version has one. */
  present: string | undefined;
  atOnce?: number;
}

/** Goes from the newest version of a file to the oldest, and covers a text in each. */
export class FileTextRedaction {
  readonly #settings: FileSettings;
  /** The text after the next version. Null if there is none, or if it cannot be read. */
  #after: SearchedText | null = null;
  #isFoundAfter = false;
  #last: VersionDocument | null = null;
  #part: FileRedaction = { versions: [], redactions: [] };
  #isClean = true;

  constructor(settings: FileSettings) {
    this.#settings = settings;
  }

  /** Whether no version so far contains the text. */
  get isClean(): boolean {
    return this.#isClean;
  }

  /**
   * Adds the next older version.
   * @yields a full part, which the caller must store before it goes on; undefined after each short step
   */
  *add(stored: VersionDocument): Generator<FileRedaction | void, void> {
    const { redactor, present, atOnce = versionsAtOnce } = this.#settings;
    yield;
    if (this.#last === null) {
      this.#after = present === undefined ? null : yield* searchText(present, redactor);
      this.#isFoundAfter = this.#after !== null && this.#after.places.length > 0;
    } else if (this.#last.since !== undefined && this.#last.since !== getPublicId(stored)) {
      // A version between is no longer kept, so the text after this one is not known.
      [this.#after, this.#isFoundAfter] = [null, false];
    }
    const before = yield* searchBefore(stored, this.#after, redactor);
    // A renamed version stores no text of its own.
    const canPause = stored.older !== undefined || stored.operation === "created";
    const version = this.#part.redactions.length >= atOnce && canPause ? yield* this.#pause(stored, before) : stored;
    yield* this.#cover(version, before);
    this.#last = version;
  }

  /** Yields the last part. */
  *end(): Generator<FileRedaction, void> {
    const { versions, redactions } = this.#part;
    this.#part = { versions: [], redactions: [] };
    if (redactions.length > 0) yield { versions, redactions: redactions.toReversed() };
  }

  /**
   * Ends a part. Older texts must not be read from covered texts, because the next call could not know which parts only
   * look like the cover.
   * @returns the next version, which stores the text before it whole
   */
  *#pause(stored: VersionDocument, before: SearchedText | null): Generator<FileRedaction, VersionDocument> {
    const { older: found } = stored;
    if (before === null || !found || isWhole(found)) {
      yield* this.end();
      return stored;
    }
    const older = wholeText(before.text);
    this.#part.redactions.push({ id: getPublicId(stored), found, set: { older }, unset: [] });
    yield* this.end();
    return { ...stored, older };
  }

  *#cover(version: VersionDocument, before: SearchedText | null): Steps<void> {
    const { redactor, mark } = this.#settings;
    const older = yield* coverDifference(version.older, before, this.#after, redactor);
    const isFound = this.#isFoundAfter && version.operation !== "deleted";
    const facts = coverFacts(version, redactor);
    const isRedacted = isFound || facts !== null;
    if (isRedacted) this.#part.versions.push(version);
    if (isRedacted || older !== null) {
      this.#isClean = false;
      this.#part.redactions.push({
        id: getPublicId(version),
        ...(older !== null && { found: version.older ?? null }),
        set: {
          ...(older !== null && { older }),
          ...(isRedacted && markRedacted(version, mark)),
          ...(isFound && { sizeBytes: null, sha256: null }),
          ...facts?.set,
        },
        unset: facts?.unset ?? [],
      });
    }
    this.#isFoundAfter = before === null ? older !== null : before.places.length > 0;
    this.#after = before;
  }
}

/** Covers the text in a version that records only directories. */
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

/** Covers the text in the other fields of a version. @returns null if no field contains it */
function coverFacts(
  { path, from, directories, actor, redactedBy, sources }: VersionDocument,
  redactor: TextRedactor,
): Pick<Redaction, "set" | "unset"> | null {
  const kept = directories && redactDirectories(directories, (name) => redactor.isIn(name));
  const set = {
    ...(kept !== directories && kept && { directories: kept }),
    ...(sources && redactor.coverSources(sources) !== sources && { sources: redactor.coverSources(sources) }),
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
