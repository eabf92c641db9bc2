import {
  createFields,
  listRecords,
  type RecordRedaction,
  redactRecord,
  redactRecords,
} from "../../../core/approval/redact-records.js";
import type { ChangeRecord } from "../../../core/contract/change-record.js";
import type { CheckPath } from "../../../core/history/history-backend.js";
import type { CallContext } from "../../../core/runtime/call.js";
import { retryLostRace } from "../../../core/runtime/lost-race.js";
import { runInTimeSlices, TimeSlices } from "../../../core/runtime/time-slices.js";
import { catchRefusal } from "../../../core/values/errors.js";
import type { HistoryContext } from "../history-context.js";
import type { HistoryView } from "../history-view.js";
import { nowhere, refusePresent } from "./present-occurrences.js";
import type { FileRedaction, RedactionMark } from "./cover-file.js";
import type { FileWalk, RedactionSubject } from "./subject.js";
import { hasTreeDigest, isAbove } from "./tied-records.js";
import { type CoverMark, getPublicId, type VersionDocument } from "../version-document.js";

/** The most files whose versions one command reads. */
const maxFilesPerCommand = 1000;

export type ReadView = () => Promise<HistoryView | null>;

/** The versions, ids of proposals and present paths that contain a text. */
interface Occurrences {
  versions: VersionDocument[];
  proposals: string[];
  files: string[];
}

/** Finds what is to be redacted in a memory, and removes it everywhere (ADR 0046). */
export class MemoryRedaction {
  readonly #context: HistoryContext;
  readonly #readView: ReadView;
  readonly #call: CallContext;
  readonly #subject: RedactionSubject;
  /** The ids of the versions that this call has redacted. */
  readonly #redacted = new Set<string>();
  /** The first part of the ids of the versions, once they have been read. */
  #memory: string | null = null;
  readonly #servedMarks: CoverMark[] = [];
  /** The files with nothing to redact, each with its last version then. No older version can get such a text again. */
  readonly #cleanFiles = new Map<string, string>();

  constructor(context: HistoryContext, subject: RedactionSubject, readView: ReadView, call: CallContext) {
    this.#context = context;
    this.#subject = subject;
    this.#readView = readView;
    this.#call = call;
  }

  async find(): Promise<Occurrences> {
    const view = await this.#readView();
    const versions: VersionDocument[] = [];
    if (view !== null) for await (const file of this.#planFiles(view)) versions.push(...file.versions);
    const records = await this.#findRecords();
    const { texts, paths } = await this.#findPresent(view);
    const named = new Set(versions.flatMap(listPaths));
    const former = this.#listFormerPaths(view).filter((path) => !named.has(path));
    return { versions, proposals: records.map(({ id }) => id), files: [...texts, ...paths, ...former] };
  }

  /** Checks what must hold before the first change. @throws MemoryError EINVAL, and what `checkPath` throws */
  async prepare(cut: boolean, checkPath: CheckPath | null): Promise<void> {
    const view = await this.#readView();
    const present = await this.#findPresent(view);
    if (checkPath !== null) {
      const paths = [...present.texts];
      for await (const { versions } of view === null ? [] : this.#planFiles(view))
        paths.push(...versions.flatMap(listPaths));
      paths.push(...(await this.#findRecords()).flatMap(({ path, to }) => [path, to ?? path]));
      // A path that is redacted is empty.
      for (const path of paths) if (path !== "") checkPath(path);
    }
    refusePresent(present, cut);
  }

  /**
   * Looks at records, files and versions until all are clean in one pass. Each change stays, so a call that ends early
   * leaves less to the next one.
   * @returns the ids of the versions that were redacted
   */
  async run(cut: boolean, checkPath: CheckPath | null): Promise<ReadonlySet<string>> {
    await retryLostRace(async () => (await this.#runPass(cut, checkPath)) || undefined);
    return this.#redacted;
  }

  /** Lets the versions be read again that are covered now, also those that an earlier call has marked before a crash. */
  async endCovering(): Promise<void> {
    if (this.#memory !== null && this.#servedMarks.length > 0)
      await this.#context.versions.endCovering(this.#memory, this.#servedMarks, this.#call);
  }

  /** @returns whether the text was nowhere */
  async #runPass(cut: boolean, checkPath: CheckPath | null): Promise<boolean> {
    const { source, proposals, cover, renewBounds } = this.#context;
    // An approved change is made before its record says so. Once no record has the text, no approval can bring it.
    const recordCount = await redactRecords(proposals, this.#subject.records);
    // A revert that has read old texts before is refused from now on. A later one reads what this pass finds clean.
    await source.renew(this.#call);
    await source.flush(this.#call);
    const view = await this.#readView();
    this.#memory = view?.present.memory ?? null;
    const present = await this.#findPresent(view);
    refusePresent(present, cut);
    const formerPaths = this.#listFormerPaths(view);
    // All of them, and before the versions lose their paths: a call that goes on does not know the names of a file.
    await renewBounds(view?.present.formerBounds ?? []);
    for (const path of present.texts) {
      checkPath?.(path);
      const found = this.#subject.forms.filter((form) => form.isIn(view?.present.texts.get(path)));
      await ignoreMissing(cover(path, found));
    }
    const count = recordCount + formerPaths.length + present.texts.length;
    if (view === null || present.texts.length > 0) return count === 0;
    return !(await this.#redactVersions(view, checkPath)) && count === 0;
  }

  /** @returns whether a version had to be redacted */
  async #redactVersions(view: HistoryView, checkPath: CheckPath | null): Promise<boolean> {
    const { versions: collection } = this.#context;
    let isFound = false;
    let followers: ChangeRecord[] = [];
    for await (const { versions, redactions } of this.#planFiles(view)) {
      for (const version of versions) this.#redacted.add(getPublicId(version));
      if (redactions.length === 0) continue;
      const paths = versions.flatMap(listPaths);
      for (const path of paths) checkPath?.(path);
      if (!isFound) {
        isFound = true;
        followers = await this.#listFollowers();
      }
      // Records come first: a next call finds their paths and sources by the versions that still have the text.
      await this.#redactFollowers(followers, paths);
      const stored = redactions.filter(({ id }) => view.isStored(id));
      await collection.redact(view.present.memory, stored, this.#call);
    }
    return isFound;
  }

  async #listFollowers(): Promise<ChangeRecord[]> {
    const followers: ChangeRecord[] = [];
    for await (const record of listRecords(this.#context.proposals))
      if (this.#subject.canFollow(record)) followers.push(record);
    return followers;
  }

  /** Redacts the records that lose their texts with versions, although the text is not in them. */
  async #redactFollowers(followers: readonly ChangeRecord[], paths: readonly string[]): Promise<void> {
    const { records } = this.#subject;
    // A digest of a deleted or moved tree is of texts that the record does not store.
    const isTied = (record: ChangeRecord): boolean =>
      records.isTied(record) || (hasTreeDigest(record) && isAbove(record, paths));
    const tied: RecordRedaction = { ...records, isTied };
    for (const record of followers) if (isTied(record)) await redactRecord(this.#context.proposals, record, tied);
  }

  async #findRecords(): Promise<ChangeRecord[]> {
    const found: ChangeRecord[] = [];
    for await (const record of listRecords(this.#context.proposals))
      if (createFields(record, this.#subject.records) !== null) found.push(record);
    return found;
  }

  /** Lists the redacted paths of removed files and directories that bounds of pages name. */
  #listFormerPaths(view: HistoryView | null): string[] {
    const paths = (view?.present.formerBounds ?? []).map(({ path }) => path);
    return paths.filter((path) => this.#subject.records.isPathRedacted(path));
  }

  #findPresent(view: HistoryView | null): Promise<typeof nowhere> {
    return view === null
      ? Promise.resolve(nowhere)
      : runInTimeSlices(this.#subject.findPresent(view.present), this.#call);
  }

  /** Plans file by file, so that the texts of one file are in memory at a time. */
  async *#planFiles(view: HistoryView): AsyncGenerator<FileRedaction> {
    const { records } = this.#subject;
    const mark: RedactionMark = { at: this.#context.clock(), by: records.coverActor(this.#call.actor) };
    for (const version of await view.ofDirectories()) {
      const redactions = version.file === undefined ? this.#subject.redactDirectories(version) : [];
      if (redactions.length > 0) yield { versions: [], redactions };
    }
    const lastVersions = await this.#subject.listFiles(view);
    const ids = [...lastVersions.keys()].filter((file) => this.#cleanFiles.get(file) !== lastVersions.get(file));
    for (let start = 0; start < ids.length; start += maxFilesPerCommand)
      for await (const part of this.#planVersions(view, ids.slice(start, start + maxFilesPerCommand), mark)) {
        this.#subject.note(part.versions);
        yield part;
      }
  }

  async *#planVersions(view: HistoryView, ids: string[], mark: RedactionMark): AsyncGenerator<FileRedaction> {
    const slices = new TimeSlices(this.#call);
    let current: { newest: VersionDocument; walk: FileWalk } | null = null;
    for await (const version of view.versionsByFile(ids)) {
      if (current === null || current.newest.file !== version.file) {
        yield* this.#endFile(current);
        current = { newest: version, walk: this.#subject.openFile(mark, findPresentText(view, version)) };
      }
      for (const part of current.walk.add(version)) {
        if (slices.isOver()) await slices.next();
        if (part) yield part;
      }
    }
    yield* this.#endFile(current);
  }

  *#endFile(file: { newest: VersionDocument; walk: FileWalk } | null): Generator<FileRedaction, void> {
    if (file === null) return;
    yield* file.walk.end();
    this.#servedMarks.push(...file.walk.servedMarks);
    if (file.walk.isClean) this.#cleanFiles.set(file.newest.file ?? "", getPublicId(file.newest));
  }
}

/** Finds the text of the file now, by its newest version. */
function findPresentText({ present }: HistoryView, { operation, path = "" }: VersionDocument): string | undefined {
  return operation === "deleted" ? undefined : present.texts.get(path);
}

function listPaths({ path, from }: VersionDocument): string[] {
  return [path, from].filter((each) => each !== undefined);
}

/** Somebody has deleted or moved the file meanwhile. The next pass looks again. */
async function ignoreMissing(change: Promise<void>): Promise<void> {
  await catchRefusal(change, "ENOENT", "EISDIR", "ENOTDIR");
}
