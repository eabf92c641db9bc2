import {
  createFields,
  getTexts,
  listRecords,
  type RecordRedaction,
  redactRecord,
  redactRecords,
} from "../../../core/approval/redact-records.js";
import type { ChangeRecord } from "../../../core/contract/change-record.js";
import type { TextOccurrences } from "../../../core/history/history.js";
import type { CheckPath } from "../../../core/history/history-backend.js";
import { TextRedactor } from "../../../core/history/text-redactor.js";
import type { CallContext } from "../../../core/runtime/call.js";
import { lostRace, maxAttempts, pause } from "../../../core/runtime/lost-race.js";
import { runInTurns, Turns } from "../../../core/runtime/turns.js";
import { MemoryTree } from "../../../core/tree/memory-tree.js";
import { catchRefusal } from "../../../core/values/errors.js";
import { compareCodeUnits } from "../../../core/values/text.js";
import type { HistoryContext } from "../history-context.js";
import type { HistoryView } from "../history-view.js";
import { findPresent, nowhere, refusePresent } from "./present-occurrences.js";
import { type FileRedaction, FileTextRedaction, redactTextOfDirectories, type RedactionMark } from "./cover-file.js";
import { isAbove, isStaleDigest, isWaitingOn, toSource } from "./tied-records.js";
import { getPublicId, toMemoryVersion, type VersionDocument } from "../version-document.js";

/** The most files whose versions one command reads. */
const maxFilesPerCommand = 1000;

type ReadView = () => Promise<HistoryView | null>;

/** Finds a text in a memory, and covers it wherever it is (ADR 0046, ADR 0052). */
export class TextRedaction {
  readonly #context: HistoryContext;
  readonly #readView: ReadView;
  readonly #call: CallContext;
  readonly #redactor: TextRedactor;
  readonly #records: RecordRedaction;
  /** The ids of the versions that this call has redacted. */
  readonly #redacted = new Set<string>();
  /** The versions that contain or contained the text, named as sources of proposals. */
  readonly #sources = new Set<string>();
  /** The files without the text, each with its last version then. No older version can get the text again. */
  readonly #cleanFiles = new Map<string, string>();

  constructor(context: HistoryContext, text: string, readView: ReadView, call: CallContext) {
    const redactor = new TextRedactor(text);
    this.#context = context;
    this.#readView = readView;
    this.#call = call;
    this.#redactor = redactor;
    this.#records = {
      isTied: (record) => isWaitingOn(record, this.#sources) || getTexts(record).some((each) => redactor.isIn(each)),
      isPathRedacted: (path) => redactor.isIn(path),
      coverShort: (other) => redactor.coverShort(other),
      coverSources: (sources) => redactor.coverSources(sources),
      coverActor: (actor) => redactor.coverActor(actor),
    };
  }

  async find(): Promise<TextOccurrences> {
    const view = await this.#readView();
    const versions: VersionDocument[] = [];
    if (view !== null) for await (const file of this.#planFiles(view)) versions.push(...file.versions);
    const records = await this.#findRecords();
    const { texts, paths } = await this.#findPresent(view);
    return {
      versions: versions.toSorted((a, b) => compareCodeUnits(b._id, a._id)).map(toMemoryVersion),
      proposals: records.map(({ id }) => id),
      files: [...new Set([...texts, ...paths])].toSorted(compareCodeUnits),
    };
  }

  /**
   * Checks all that `run` checks before its first change.
   * @returns whether the text is anywhere
   * @throws MemoryError EINVAL, and what `checkPath` throws
   */
  async check(cut: boolean, checkPath: CheckPath | null): Promise<boolean> {
    const view = await this.#readView();
    const present = await this.#findPresent(view);
    const paths = [...present.texts];
    let isFound = false;
    for await (const { versions } of view === null ? [] : this.#planFiles(view)) {
      isFound = true;
      paths.push(...versions.flatMap(listPaths));
    }
    paths.push(...(await this.#findRecords()).flatMap(({ path, to }) => [path, to ?? path]));
    isFound ||= paths.length > 0;
    // A path that is redacted is empty.
    for (const path of paths) if (path !== "") checkPath?.(path);
    refusePresent(present, cut);
    return isFound;
  }

  /**
   * Looks at records, files and versions until all are clean in one pass. Each change stays, so a call that ends early
   * leaves less to the next one.
   * @returns the number of redacted versions
   */
  async run(cut: boolean, checkPath: CheckPath | null): Promise<number> {
    if (checkPath !== null) await this.check(cut, checkPath);
    else refusePresent(await this.#findPresent(await this.#readView()), cut);
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      if (await this.#runPass(cut, checkPath)) return this.#redacted.size;
      await pause(attempt);
    }
    throw lostRace();
  }

  /** @returns whether the text was nowhere */
  async #runPass(cut: boolean, checkPath: CheckPath | null): Promise<boolean> {
    const { source, proposals, cover } = this.#context;
    // An approved change is made before its record says so. Once no record has the text, no approval can bring it.
    const recordCount = await redactRecords(proposals, this.#records);
    await source.flush(this.#call);
    const view = await this.#readView();
    const present = await this.#findPresent(view);
    refusePresent(present, cut);
    for (const path of present.texts) {
      checkPath?.(path);
      await ignoreMissing(cover(path, this.#redactor));
    }
    if (view === null || present.texts.length > 0) return recordCount + present.texts.length === 0;
    return !(await this.#redactVersions(view, checkPath)) && recordCount === 0;
  }

  /** @returns whether a version contained the text */
  async #redactVersions(view: HistoryView, checkPath: CheckPath | null): Promise<boolean> {
    const { versions: collection, proposals, removeVectors } = this.#context;
    let isFound = false;
    let following: FollowingRecords = { stale: [], waiting: [] };
    for await (const { versions, redactions } of this.#planFiles(view)) {
      const paths = versions.flatMap(listPaths);
      for (const path of paths) checkPath?.(path);
      if (!isFound) {
        isFound = true;
        await removeVectors();
        following = await this.#listFollowing(view);
      }
      // Records come first: a next call finds their paths and sources by the versions that still have the text.
      for (const record of following.stale) if (isAbove(record, paths)) await this.#redactDigest(record);
      const sources = new Set(versions.map(toSource));
      for (const record of following.waiting)
        if (isWaitingOn(record, sources)) await redactRecord(proposals, record, this.#records);
      const stored = redactions.filter(({ id }) => view.isStored(id));
      const count = await collection.redact(view.present.memory, stored, this.#call);
      const ids = new Set(versions.map(getPublicId));
      for (const { id } of stored.slice(0, count)) if (ids.has(id)) this.#redacted.add(id);
    }
    return isFound;
  }

  async #listFollowing({ present }: HistoryView): Promise<FollowingRecords> {
    const tree = new MemoryTree(present.tree);
    const following: FollowingRecords = { stale: [], waiting: [] };
    for await (const record of listRecords(this.#context.proposals)) {
      if (isStaleDigest(record, tree)) following.stale.push(record);
      if (record.origin !== undefined) following.waiting.push(record);
    }
    return following;
  }

  async #redactDigest(record: ChangeRecord): Promise<void> {
    const isTied = ({ base }: ChangeRecord): boolean => base === record.base;
    await redactRecord(this.#context.proposals, record, { ...this.#records, isTied });
  }

  async #findRecords(): Promise<ChangeRecord[]> {
    const found: ChangeRecord[] = [];
    for await (const record of listRecords(this.#context.proposals))
      if (createFields(record, this.#records) !== null) found.push(record);
    return found;
  }

  #findPresent(view: HistoryView | null): Promise<typeof nowhere> {
    return view === null ? Promise.resolve(nowhere) : runInTurns(findPresent(view.present, this.#redactor), this.#call);
  }

  /** Plans file by file, so that the texts of one file are in memory at a time. */
  async *#planFiles(view: HistoryView): AsyncGenerator<FileRedaction> {
    const redactor = this.#redactor;
    const mark: RedactionMark = { at: this.#context.clock(), by: redactor.coverActor(this.#call.actor) };
    for (const version of await view.ofDirectories()) {
      const redactions = version.file === undefined ? redactTextOfDirectories(version, redactor) : [];
      if (redactions.length > 0) yield { versions: [], redactions };
    }
    const lastVersions = await view.files();
    const ids = [...lastVersions.keys()].filter((file) => this.#cleanFiles.get(file) !== lastVersions.get(file));
    for (let start = 0; start < ids.length; start += maxFilesPerCommand)
      for await (const part of this.#planVersions(view, ids.slice(start, start + maxFilesPerCommand), mark)) {
        for (const version of part.versions) this.#sources.add(toSource(version));
        yield part;
      }
  }

  async *#planVersions(view: HistoryView, ids: string[], mark: RedactionMark): AsyncGenerator<FileRedaction> {
    const turns = new Turns(this.#call);
    let current: { newest: VersionDocument; redaction: FileTextRedaction } | null = null;
    for await (const version of view.versionsByFile(ids)) {
      if (current === null || current.newest.file !== version.file) {
        yield* this.#endFile(current);
        current = { newest: version, redaction: this.#startFile(view, version, mark) };
      }
      for (const part of current.redaction.add(version)) {
        if (turns.isOver()) await turns.next();
        if (part) yield part;
      }
    }
    yield* this.#endFile(current);
  }

  #startFile(
    { present }: HistoryView,
    { operation, path = "" }: VersionDocument,
    mark: RedactionMark,
  ): FileTextRedaction {
    const text = operation === "deleted" ? undefined : present.texts.get(path);
    return new FileTextRedaction({ redactor: this.#redactor, mark, present: text });
  }

  *#endFile(file: { newest: VersionDocument; redaction: FileTextRedaction } | null): Generator<FileRedaction, void> {
    if (file === null) return;
    yield* file.redaction.end();
    if (file.redaction.isClean) this.#cleanFiles.set(file.newest.file ?? "", getPublicId(file.newest));
  }
}

/** Records that lose their texts with a version, although the text is not in them. */
interface FollowingRecords {
  /** Records with a digest of the text. */
  stale: ChangeRecord[];
  /** Records that wait and name sources. */
  waiting: ChangeRecord[];
}

function listPaths({ path, from }: VersionDocument): string[] {
  return [path, from].filter((each) => each !== undefined);
}

/** Somebody has deleted or moved the file meanwhile. The next pass looks again. */
async function ignoreMissing(change: Promise<void>): Promise<void> {
  await catchRefusal(change, "ENOENT", "EISDIR", "ENOTDIR");
}
