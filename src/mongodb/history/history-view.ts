import { isWhole, type OlderText, readOlderText } from "../../core/history/older-text.js";
import type { CallContext } from "../../core/runtime/call.js";
import { runInTimeSlices, type Steps } from "../../core/runtime/time-slices.js";
import { compareCodeUnits } from "../../core/values/text.js";
import { pendingVersions } from "./flush.js";
import { addTexts, type OutboxVersion } from "./outbox.js";
import type { FindVersionsOptions, VersionCollection } from "./version-collection.js";
import {
  checkVersionId,
  versionIdRange,
  noSuchVersion,
  endOfChange,
  getPublicId,
  getRevision,
  isBeingCovered,
  isTextRedacted,
  storedId,
  type VersionDocument,
} from "./version-document.js";
import { createFilter, fits, rangeBelow, type VersionQuery } from "./version-query.js";
import type { LoadedPart, PresentMemory } from "./history-context.js";

/**
 * All versions of a memory at one point in time, for one call: recent versions, which are in memory, and older ones in
 * the collection.
 */
export class HistoryView {
  #present: PresentMemory;
  readonly #versions: VersionCollection;
  readonly #call: CallContext;
  /** The versions of the outboxes. */
  readonly #pending: readonly OutboxVersion[];
  readonly #pendingIds: ReadonlySet<string>;
  /** The pending versions, and those that have been moved lately; oldest first. */
  readonly #recent: readonly VersionDocument[];
  /** Versions in the collection from this id on are newer than this view, or are also among the recent ones. */
  readonly #end: string;

  private constructor(
    present: PresentMemory,
    versions: VersionCollection,
    pending: readonly OutboxVersion[],
    call: CallContext,
  ) {
    this.#present = present;
    this.#versions = versions;
    this.#call = call;
    this.#pending = pending;
    const documents = pending.map(({ document }) => document);
    this.#pendingIds = new Set(documents.map(({ _id }) => _id));
    this.#recent = joinVersions(present.moved?.versions ?? [], documents);
    const next = storedId(present.memory, String(present.lastRevision + 1));
    this.#end = present.moved?.start ?? documents[0]?._id ?? next;
  }

  get present(): PresentMemory {
    return this.#present;
  }

  /** The memory must be read before the collection, so that a version that moves meanwhile is seen. */
  static async of(present: PresentMemory, versions: VersionCollection, call: CallContext): Promise<HistoryView> {
    return new HistoryView(present, versions, await pendingVersions(present, versions, call), call);
  }

  /**
   * Takes over a part of the memory that was read later. It also completes the versions of the files there, which other
   * methods have returned.
   * @returns false if the memory has changed there since
   */
  async take(part: LoadedPart | null): Promise<boolean> {
    const { memory, revisions } = this.present;
    const isSame = ([id, revision]: [string, number]): boolean => revisions.get(id) === revision;
    if (part?.memory !== memory || ![...part.revisions].every(isSame)) return false;
    this.#present = { ...this.present, texts: part.texts, tree: part.tree };
    await runInTimeSlices(addTexts(this.#pending, part.texts), this.#call);
    return true;
  }

  /** Whether the version has moved from the memory to the collection. */
  isStored(id: string): boolean {
    return !this.#pendingIds.has(storedId(this.present.memory, id));
  }

  async one(id: string): Promise<VersionDocument> {
    const _id = storedId(this.present.memory, checkVersionId(id));
    const [found] =
      _id < this.#end
        ? await this.#versions.findAll({ _id }, {}, this.#call)
        : this.#recent.filter((version) => version._id === _id);
    if (found?.operation === undefined) throw noSuchVersion(id);
    return found;
  }

  /** Reads a page of versions, newest first. @param olderThan an id, or null for the newest */
  async page(
    query: VersionQuery,
    limit: number,
    olderThan: string | null,
    fields: Pick<FindVersionsOptions, "projection"> = {},
  ): Promise<VersionDocument[]> {
    const end = olderThan === null ? null : storedId(this.present.memory, checkVersionId(olderThan));
    const isWanted = (version: VersionDocument): boolean => (end === null || version._id < end) && fits(version, query);
    const older = end !== null && end < this.#end && { _id: { ...versionIdRange(this.present.memory), $lt: end } };
    const options = { limit, ...fields, ...(query.below !== undefined && { hint: "_id_" }) };
    return this.#newest(isWanted, { ...createFilter(query), ...older }, options);
  }

  /**
   * Finds versions, newest first.
   * @param isWanted selects the recent ones as the filter selects the others
   */
  async #newest(
    isWanted: (version: VersionDocument) => boolean,
    filter: object,
    options: FindVersionsOptions = {},
  ): Promise<VersionDocument[]> {
    const { limit = Infinity } = options;
    const recent = this.#recent.filter(isWanted).toReversed().slice(0, limit);
    if (recent.length === limit) return recent;
    const all = { ...options, ...(options.limit !== undefined && { limit: limit - recent.length }) };
    return [...recent, ...(await this.#versions.findAll({ _id: this.#storedIds(), ...filter }, all, this.#call))];
  }

  /**
   * Reads versions after one without their texts, oldest first. Leaves out the last ones of a memory of several pages,
   * because an older one may still come.
   * @param newerThan an id, or null for the oldest
   */
  async after(newerThan: string | null, limit: number): Promise<VersionDocument[]> {
    // An id that the memory has not reached is of an earlier memory of the same address.
    const isEarlier = newerThan !== null && getRevision(newerThan) > this.present.lastRevision;
    const start = this.#startAfter(isEarlier ? null : newerThan);
    const filter = { _id: { $gt: start, $lt: this.#end }, operation: { $exists: true } };
    const options = { limit, sort: { _id: 1 }, projection: { older: 0 }, hint: "_id_" } as const;
    const stored = await this.#versions.findAll(filter, options, this.#call);
    const { settled } = this.present.moved ?? {};
    const recent = this.#recent.filter(
      ({ _id, operation }) => _id > start && operation !== undefined && (settled === undefined || _id < settled),
    );
    return [...stored, ...recent].slice(0, limit);
  }

  /** Whether a version is of a later change than another one. */
  isLater(id: string, than: string): boolean {
    const { memory } = this.present;
    return storedId(memory, id) > endOfChange(memory, than);
  }

  /** Reads everything after the change of a version, newest first. */
  async *newerThan(id: string): AsyncGenerator<VersionDocument> {
    const start = endOfChange(this.present.memory, id);
    yield* this.#recent.filter((version) => version._id >= start).toReversed();
    yield* this.#versions.find({ _id: { $gte: start, $lt: this.#end } }, {}, this.#call);
  }

  /** Finds the files that have versions. Returns the id of the last version of each, by the id of the first one. */
  async files(): Promise<Map<string, string>> {
    const files = new Map(
      (await this.#versions.files(this.#storedIds(), this.#call)).map(({ file, last }) => [
        file,
        getPublicId({ _id: last }),
      ]),
    );
    for (const version of this.#recent) if (version.file !== undefined) files.set(version.file, getPublicId(version));
    return files;
  }

  /** Finds the files that are or were at a path. */
  async filesAt(path: string): Promise<Set<string | undefined>> {
    const isAt = (version: VersionDocument): boolean => version.path === path || version.from === path;
    const found = await this.#newest(isAt, { $or: [{ path }, { from: path }] }, withoutTexts);
    return new Set(found.map(({ file }) => file));
  }

  /** Reads the versions that record changes of directories, newest first and without their texts. */
  ofDirectories(): Promise<VersionDocument[]> {
    const options = { ...withoutTexts, hint: "_id_" };
    return this.#newest(({ directories }) => directories !== undefined, { directories: { $exists: true } }, options);
  }

  #storedIds(): object {
    return { ...versionIdRange(this.present.memory), $lt: this.#end };
  }

  /** Reads the versions of some files: one file after the other, newest first for each file. */
  async *versionsByFile(files: readonly string[]): AsyncGenerator<VersionDocument> {
    // Sorted as the server sorts them.
    const waiting = files.toSorted();
    const filter = { file: { $in: files }, _id: this.#storedIds() };
    const options = { sort: { file: -1, _id: -1 }, hint: "by_file" } as const;
    for await (const version of this.#versions.find(filter, options, this.#call)) {
      while (version.file !== undefined && (waiting.at(-1) ?? "") >= version.file)
        yield* this.#recentVersions(waiting.pop() ?? "", null);
      yield version;
    }
    for (const file of waiting.toReversed()) yield* this.#recentVersions(file, null);
  }

  /** Reads the versions of a file, newest first. @param after an id: only newer versions; null for all */
  async lineage(file: string, after: string | null): Promise<VersionDocument[]> {
    const versions: VersionDocument[] = [];
    for await (const page of this.lineagePages(file, after)) versions.push(...page);
    return versions;
  }

  async *lineagePages(file: string, after: string | null): AsyncGenerator<VersionDocument[]> {
    yield this.#recentVersions(file, after);
    const start = this.#startAfter(after);
    let end = this.#end;
    for (;;) {
      const filter = { file, _id: { $gt: start, $lt: end } };
      const page = await this.#versions.findAll(filter, { limit: lineagePageSize }, this.#call);
      yield page;
      const last = page.at(-1);
      if (last === undefined || page.length < lineagePageSize) return;
      end = last._id;
    }
  }

  #recentVersions(file: string, after: string | null): VersionDocument[] {
    const start = this.#startAfter(after);
    return this.#recent.filter((version) => version.file === file && version._id > start).toReversed();
  }

  #startAfter(after: string | null): string {
    return after === null ? versionIdRange(this.present.memory).$gt : storedId(this.present.memory, after);
  }

  /** Finds the id of the last version until a time, also of directories. Null if all are later. */
  async lastUntil(time: Date): Promise<string | null> {
    const options = { limit: 1, ...withoutTexts, hint: "_id_" };
    const [last] = await this.#newest(({ at }) => at <= time, { at: { $lte: time } }, options);
    return last === undefined ? null : getPublicId(last);
  }

  /** Finds the last version at a path. */
  async lastAt(path: string): Promise<VersionDocument | null> {
    const [last] = await this.#newest((version) => version.path === path, { path }, { limit: 1 });
    return last ?? null;
  }

  /**
   * Whether there is a version below a path. Looks at all versions of the memory: in the index of paths, what is below
   * one is mostly of other memories.
   */
  async hasBelow(path: string): Promise<boolean> {
    const isBelow = (version: VersionDocument): boolean => version.path?.startsWith(`${path}/`) === true;
    const options = { limit: 1, ...withoutTexts, hint: "_id_" };
    return (await this.#newest(isBelow, { path: rangeBelow(path) }, options)).length > 0;
  }

  /**
   * Returns the text of a version. Null if there is none, or if it is redacted.
   * @param newer all later versions of the file, newest first
   * @throws MemoryError ENOENT if the version is no longer kept
   */
  async restoreText(version: VersionDocument, newer: readonly VersionDocument[]): Promise<string | null> {
    if (isTextRedacted(version) || version.operation === "deleted") return null;
    const oldest = newer.at(-1);
    const isKept = oldest === undefined || oldest.since === getPublicId(version);
    const text =
      oldest === undefined ? this.present.texts.get(version.path ?? "") : await this.textBefore(newer, version);
    if (!isKept || text === undefined) throw noSuchVersion(getPublicId(version));
    return text;
  }

  /**
   * Returns the text of a file before some of its versions.
   * @param newer all versions of the file from then on, newest first; at least one
   * @param version the version that has the text; undefined if it is no longer kept, or was not read
   * @returns null if the text is redacted, undefined if a needed version is no longer kept
   */
  async textBefore(
    newer: readonly VersionDocument[],
    version: VersionDocument | undefined,
  ): Promise<string | null | undefined> {
    const next = newer.at(-1);
    if (version === undefined ? next && isBeingCovered(next) : isTextRedacted(version)) return null;
    return runInTimeSlices(findTextBefore(newer, this.present.texts), this.#call);
  }

  /** Finds the existing versions among these ids, by id. */
  async several(ids: readonly string[]): Promise<Map<string, VersionDocument>> {
    const stored = [...new Set(ids)].map((id) => storedId(this.present.memory, id));
    const found = this.#recent.filter(({ _id }) => stored.includes(_id));
    for (let start = 0; start < stored.length; start += maxIdsPerCommand) {
      const some = stored.slice(start, start + maxIdsPerCommand).filter((id) => id < this.#end);
      if (some.length > 0)
        found.push(...(await this.#versions.findAll({ _id: { $in: some } }, { sort: { _id: 1 } }, this.#call)));
    }
    return new Map(found.map((version) => [getPublicId(version), version]));
  }
}

/** Joins versions into one list, oldest first. One that is in both is once. */
function joinVersions(moved: readonly VersionDocument[], pending: readonly VersionDocument[]): VersionDocument[] {
  const all = new Map([...moved, ...pending].map((version) => [version._id, version]));
  return [...all.values()].toSorted((a, b) => compareCodeUnits(a._id, b._id));
}

const withoutTexts = { projection: { older: 0 } } as const;

const maxIdsPerCommand = 1000;

const lineagePageSize = 1000;

function* findTextBefore(
  newer: readonly VersionDocument[],
  texts: ReadonlyMap<string, string>,
): Steps<string | null | undefined> {
  const [newest] = newer;
  const older: OlderText[] = [];
  let previous: VersionDocument | null = null;
  for (const version of newer.toReversed()) {
    if (previous !== null && version.since !== getPublicId(previous)) return undefined;
    previous = version;
    if (version.operation === "renamed" && version.older === undefined) continue;
    if (!version.older) return null;
    older.push(version.older);
    if (isWhole(version.older)) return yield* read(older, "");
  }
  const present = texts.get(newest?.path ?? "");
  return present === undefined ? null : yield* read(older, present);
}

/** @param older each is decoded with the next as its newer text */
function* read(older: readonly OlderText[], newest: string): Steps<string> {
  let text = newest;
  for (const each of older.toReversed()) {
    text = readOlderText(each, text);
    yield;
  }
  return text;
}
