import { isWhole, type OlderText, readOlderText } from "../../core/history/older-text.js";
import { pendingVersions } from "./flush.js";
import type { PresentMemory } from "./history-source.js";
import type { VersionCollection } from "./version-collection.js";
import {
  checkVersionId,
  idsOf,
  noSuchVersion,
  publicIdOf,
  revisionOf,
  storedId,
  type VersionDocument,
} from "./version-document.js";
import { filterOf, fits, rangesBelow, type VersionQuery } from "./version-query.js";

/** All versions of a memory at one moment: those that are still in its document, and those before in the collection. */
export class HistoryView {
  readonly present: PresentMemory;
  readonly #versions: VersionCollection;
  /** Oldest first. */
  readonly #pending: readonly VersionDocument[];
  /** What is in the collection from here on is newer than this view, or pending too. */
  readonly #end: string;

  private constructor(present: PresentMemory, versions: VersionCollection, pending: readonly VersionDocument[]) {
    this.present = present;
    this.#versions = versions;
    this.#pending = pending;
    this.#end = pending[0]?._id ?? storedId(present.memory, String(present.revision + 1));
  }

  /** The memory has been read before the collection is, so that a version which moves meanwhile is seen. */
  static async of(present: PresentMemory, versions: VersionCollection): Promise<HistoryView> {
    return new HistoryView(present, versions, await pendingVersions(present, versions));
  }

  async one(id: string): Promise<VersionDocument> {
    const _id = storedId(this.present.memory, checkVersionId(id));
    const [found] =
      _id < this.#end
        ? await this.#versions.findAll({ _id }, 1)
        : this.#pending.filter((version) => version._id === _id);
    if (found?.operation === undefined) throw noSuchVersion(id);
    return found;
  }

  /** The version after one that is no longer kept, if it still tells the text of that one. */
  async tellerOf(id: string): Promise<VersionDocument | null> {
    const ids = { ...idsOf(this.present.memory), $lt: this.#end };
    const stored = await this.#versions.findAll({ _id: ids, since: id }, 1, { limit: 1, hint: "_id_" });
    const [found] = [...stored, ...this.#pending.filter(({ since }) => since === id)];
    return found?.older ? found : null;
  }

  /** Newest first. @param olderThan an id, or null for the newest */
  async page(query: VersionQuery, limit: number, olderThan: string | null): Promise<VersionDocument[]> {
    const end = olderThan === null ? null : storedId(this.present.memory, olderThan);
    const pending = this.#pending
      .filter((version) => (end === null || version._id < end) && fits(version, query))
      .toReversed()
      .slice(0, limit);
    if (pending.length === limit) return pending;
    const ids = { ...idsOf(this.present.memory), $lt: end !== null && end < this.#end ? end : this.#end };
    const rest = limit - pending.length;
    const options = query.below === undefined ? {} : { hint: "_id_" };
    return [
      ...pending,
      ...(await this.#versions.findAll({ _id: ids, ...filterOf(query) }, -1, { limit: rest, ...options })),
    ];
  }

  /** Newest first: everything after a change. */
  async *newerThan(revision: number): AsyncGenerator<VersionDocument> {
    const start = storedId(this.present.memory, String(revision + 1));
    yield* this.#pending.filter((version) => version._id >= start).toReversed();
    yield* this.#versions.find({ _id: { $gte: start, $lt: this.#end } }, -1);
  }

  /** The versions of some files: one file after the other, of each the newest first. */
  async *ofFiles(files: readonly string[]): AsyncGenerator<VersionDocument> {
    // As the server sorts them.
    const waiting = files.toSorted();
    const filter = { file: { $in: files }, _id: { ...idsOf(this.present.memory), $lt: this.#end } };
    for await (const version of this.#versions.find(filter, -1, { sort: { file: -1, _id: -1 }, hint: "by_file" })) {
      while (version.file !== undefined && (waiting.at(-1) ?? "") >= version.file)
        yield* this.#pendingOf(waiting.pop() ?? "", null);
      yield version;
    }
    for (const file of waiting.toReversed()) yield* this.#pendingOf(file, null);
  }

  /** The versions of a file, newest first. @param after an id of which newer ones are meant; null for all */
  async lineage(file: string, after: string | null): Promise<VersionDocument[]> {
    const pending = this.#pendingOf(file, after);
    const stored = await Promise.all(
      this.#rangesOf(file, after).map((_id) => this.#versions.findAll({ file, _id }, -1)),
    );
    return [...pending, ...stored.flat()];
  }

  /** All of them, some at a time. */
  async *lineageInParts(file: string): AsyncGenerator<VersionDocument[]> {
    yield this.#pendingOf(file, null);
    const ranges = this.#rangesOf(file, null);
    for (let index = 0; index < ranges.length; index += partsAtOnce) {
      yield (
        await Promise.all(
          ranges.slice(index, index + partsAtOnce).map((_id) => this.#versions.findAll({ file, _id }, -1)),
        )
      ).flat();
    }
  }

  #pendingOf(file: string, after: string | null): VersionDocument[] {
    const start = this.#startAfter(after);
    return this.#pending.filter((version) => version.file === file && version._id > start).toReversed();
  }

  #startAfter(after: string | null): string {
    return after === null ? idsOf(this.present.memory).$gt : storedId(this.present.memory, after);
  }

  /**
   * The ids of the versions of a file that are in the collection, from the newest: a long range in parts, so that the
   * server looks for one while this process reads another.
   */
  #rangesOf(file: string, after: string | null): object[] {
    const bounds = [this.#startAfter(after), ...this.#boundsWithin(after ?? file), this.#end];
    return bounds
      .slice(1)
      .map((end, index) => ({ [index === 0 ? "$gt" : "$gte"]: bounds[index], $lt: end }))
      .toReversed();
  }

  #boundsWithin(first: string): string[] {
    const { memory, revision } = this.present;
    const start = revisionOf(first);
    const partLength = Math.ceil((revision - start) / parts);
    if (partLength < minPartLength) return [];
    const bounds = Array.from({ length: parts - 1 }, (_, index) =>
      storedId(memory, String(start + partLength * (index + 1))),
    );
    return bounds.filter((bound) => bound < this.#end);
  }

  /** The last version at a path. */
  async lastAt(path: string): Promise<VersionDocument | null> {
    const pending = this.#pending.findLast((version) => version.path === path);
    if (pending !== undefined) return pending;
    const [last] = await this.#versions.findAll({ path, _id: { ...idsOf(this.present.memory), $lt: this.#end } }, -1, {
      limit: 1,
    });
    return last ?? null;
  }

  /** Whether a version lies below a path. */
  async hasBelow(path: string): Promise<boolean> {
    if (this.#pending.some((version) => version.path?.startsWith(`${path}/`))) return true;
    const [range] = rangesBelow(path);
    const [found] = await this.#versions.findAll({ path: range, _id: idsOf(this.present.memory) }, 1, {
      limit: 1,
      hint: "by_path",
    });
    return found !== undefined;
  }

  /**
   * The text of a version; null where there is none, or it is redacted. @throws MemoryError ENOENT where it is no
   * longer kept
   */
  async textOf(version: VersionDocument): Promise<string | null> {
    if (version.redactedAt !== undefined || version.operation === "deleted") return null;
    const newer = await this.lineage(version.file ?? "", publicIdOf(version));
    const oldest = newer.at(-1);
    const isKept = oldest === undefined || oldest.since === publicIdOf(version);
    const text =
      oldest === undefined ? this.present.texts.get(version.path ?? "") : textBefore(newer, this.present.texts);
    if (!isKept || text === undefined) throw noSuchVersion(publicIdOf(version));
    return text;
  }

  /** Those of these versions that there are, by id. */
  async several(ids: readonly string[]): Promise<Map<string, VersionDocument>> {
    const stored = [...new Set(ids)].map((id) => storedId(this.present.memory, id));
    const found = this.#pending.filter(({ _id }) => stored.includes(_id));
    for (let start = 0; start < stored.length; start += maxIdsPerCommand) {
      const some = stored.slice(start, start + maxIdsPerCommand).filter((id) => id < this.#end);
      if (some.length > 0) found.push(...(await this.#versions.findAll({ _id: { $in: some } }, 1)));
    }
    return new Map(found.map((version) => [publicIdOf(version), version]));
  }
}

const maxIdsPerCommand = 1000;

const parts = 4;
const partsAtOnce = 2;
const minPartLength = 40;

/**
 * The text that a file had before some versions of it.
 * @param newer all versions of the file from then on, newest first; at least one
 * @param texts of the present
 * @returns null where it is redacted, undefined where a version is missing by which it could be told
 */
export function textBefore(
  newer: readonly VersionDocument[],
  texts: ReadonlyMap<string, string>,
): string | null | undefined {
  const [newest] = newer;
  const older: OlderText[] = [];
  let previous: VersionDocument | null = null;
  for (const version of newer.toReversed()) {
    if (previous !== null && version.since !== publicIdOf(previous)) return undefined;
    previous = version;
    if (version.operation === "renamed" && version.older === undefined) continue;
    if (!version.older) return null;
    older.push(version.older);
    if (isWhole(version.older)) return read(older, "");
  }
  const present = texts.get(newest?.path ?? "");
  return present === undefined ? null : read(older, present);
}

/** @param older each told by the next */
function read(older: readonly OlderText[], newest: string): string {
  return older.reduceRight((newer, text) => readOlderText(text, newer), newest);
}
