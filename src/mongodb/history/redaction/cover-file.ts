import type { MemoryActor } from "../../../core/values/actor.js";
import {
  coverOlderText,
  type SearchedText,
  searchOlderText,
  searchText,
} from "../../../core/history/cover-older-text.js";
import { isWhole, type OlderText, wholeText } from "../../../core/history/older-text.js";
import type { TextRedactor } from "../../../core/history/text-redactor.js";
import type { Steps } from "../../../core/runtime/time-slices.js";
import { redactDirectories } from "./redact-directories.js";
import type { Redaction } from "./write-redactions.js";
import { type CoverMark, getPublicId, isWhollyRedacted, type VersionDocument } from "../version-document.js";

/** The person who redacts, and the time. */
export interface RedactionMark {
  at: Date;
  by: MemoryActor | null;
}

/** The places of a text in versions of one file, and the covered texts. */
export interface FileRedaction {
  /** The versions that contain it, or contained it when an earlier call ended early; newest first. */
  versions: VersionDocument[];
  /**
   * The changes of the stored versions. First each version whose text changes is marked. Reason: the occurrences in one
   * text are stored in several versions, so that a reader could see some of them covered, and others not. Then the texts
   * are covered, oldest first. In this order no version is ever stored as the difference from a newer text in which more
   * is covered than in the version itself.
   */
  redactions: Redaction[];
}

interface Part {
  versions: VersionDocument[];
  marks: PlannedMark[];
  covers: Redaction[];
  /** Null if the text has not been found in a text that can be read. */
  lastCovered: CoverMark | null;
}

interface PlannedMark {
  version: VersionDocument;
  /** Whether the text after the version or the text before it is to be covered. */
  needsMark: boolean;
  set: Redaction["set"];
  unset: Redaction["unset"];
  /** Whether it changes more than an earlier call has done that left its mark on the version. */
  hasFacts: boolean;
}

const createPart = (): Part => ({ versions: [], marks: [], covers: [], lastCovered: null });

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
  #part = createPart();
  #isClean = true;
  readonly #servedMarks = new Map<string, CoverMark>();

  constructor(settings: FileSettings) {
    this.#settings = settings;
  }

  /** Whether no version so far contains the text. */
  get isClean(): boolean {
    return this.#isClean;
  }

  get servedMarks(): readonly CoverMark[] {
    return [...this.#servedMarks.values()];
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
    const { marks, covers } = this.#part;
    const isPaused = Math.max(marks.length, covers.length) >= atOnce && canPause;
    const version = isPaused ? yield* this.#pause(stored, before) : stored;
    this.#checkMarks(version, before);
    yield* this.#cover(version, before);
    this.#last = version;
  }

  /** Yields the last part. */
  *end(): Generator<FileRedaction, void> {
    const { versions, marks, covers, lastCovered } = this.#part;
    this.#part = createPart();
    const marked = marks.flatMap((mark) => createMarks(mark, lastCovered));
    const redactions = [...marked, ...covers.toReversed()];
    if (versions.length + redactions.length > 0) yield { versions, redactions };
  }

  /**
   * Ends a part. Older texts must not be read from covered texts, because the next call could not know which parts only
   * look like the cover.
   * @returns the next version, which stores the text before it whole
   */
  *#pause(stored: VersionDocument, before: SearchedText | null): Generator<FileRedaction, VersionDocument> {
    // This part covers the text after it.
    this.#mark(stored, before, null);
    const { older: found } = stored;
    if (before === null || !found || isWhole(found)) {
      yield* this.end();
      return stored;
    }
    const older = wholeText(before.text);
    this.#part.covers.push({ id: getPublicId(stored), found, set: { older }, unset: [] });
    yield* this.end();
    return { ...stored, older };
  }

  *#cover(version: VersionDocument, before: SearchedText | null): Steps<void> {
    const { redactor } = this.#settings;
    const older = yield* coverDifference(version.older, before, this.#after, redactor);
    const facts = coverFacts(version, redactor);
    const wasMarked = this.#hasServedMark(version);
    const isRedacted = this.#isFoundIn(version) || facts !== null || (wasMarked && version.redactedAt !== undefined);
    if (isRedacted) this.#part.versions.push(version);
    if (isRedacted || older !== null || wasMarked) this.#isClean = false;
    this.#mark(version, before, facts);
    if (older !== null) {
      const id = getPublicId(version);
      this.#part.covers.push({ id, found: version.older ?? null, set: { older }, unset: [] });
      const [offset] = before?.places ?? [];
      if (offset !== undefined) this.#part.lastCovered ??= { version: id, offset, cover: redactor.mask };
    }
    this.#isFoundAfter = before === null ? older !== null : before.places.length > 0;
    this.#after = before;
  }

  #isFoundIn({ operation }: VersionDocument): boolean {
    return this.#isFoundAfter && operation !== "deleted";
  }

  /** The newest version with a mark is the one that the mark names. */
  #checkMarks(version: VersionDocument, before: SearchedText | null): void {
    for (const mark of version.covering ?? []) {
      const isOwn = mark.version === getPublicId(version) && mark.cover === this.#settings.redactor.mask;
      if (isOwn && before?.text.startsWith(mark.cover, mark.offset)) this.#servedMarks.set(toKey(mark), mark);
    }
  }

  #hasServedMark({ covering = [] }: VersionDocument): boolean {
    return covering.some((mark) => this.#servedMarks.has(toKey(mark)));
  }

  /** Marks a version if the text after it or before it is to be covered, and covers its other fields. */
  #mark(version: VersionDocument, before: SearchedText | null, facts: ReturnType<typeof coverFacts>): void {
    const { mark } = this.#settings;
    const isFound = this.#isFoundIn(version);
    const isFoundBefore = before !== null && before.places.length > 0;
    const needsMark = (isFound || isFoundBefore) && !isWhollyRedacted(version);
    if (!needsMark && facts === null) return;
    const set = {
      ...((isFound || facts !== null) && markRedacted(version, mark)),
      ...(isFound && { sizeBytes: null, sha256: null }),
      ...facts?.set,
    };
    this.#part.marks.push({ version, needsMark, set, unset: facts?.unset ?? [], hasFacts: facts !== null });
  }
}

/** A mark that an earlier call has left is not written again. So each call gets further, however early it ends. */
function createMarks(
  { version, needsMark, set, unset, hasFacts }: PlannedMark,
  lastCovered: CoverMark | null,
): Redaction[] {
  const covering = needsMark ? lastCovered : null;
  const isThere = covering !== null && (version.covering ?? []).some((mark) => toKey(mark) === toKey(covering));
  const isSaid = set.redactedAt === undefined || version.redactedAt !== undefined;
  if (isThere && isSaid && !hasFacts) return [];
  return [{ id: getPublicId(version), ...(covering !== null && { covering }), set, unset }];
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

function toKey({ version, offset, cover }: CoverMark): string {
  return `${version} ${offset} ${cover}`;
}

function markRedacted(version: VersionDocument, { at, by }: RedactionMark): Redaction["set"] {
  if (isWhollyRedacted(version)) return {};
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
