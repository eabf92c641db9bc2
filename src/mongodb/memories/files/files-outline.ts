import type { CallContext } from "../../../core/runtime/call.js";
import type { ClientSession } from "mongodb";
import type { MemoryOutline, OutlineFile, OutlineOptions } from "../../../core/memory.js";
import { findHiddenDirectory, getParent, getPathPrefix, ROOT } from "../../../core/values/paths.js";
import { compareCodeUnits } from "../../../core/values/text.js";
import { asPlainValues } from "../../driver/plain-values.js";
import {
  getChildRange,
  type IdRange,
  type IndexedDocument,
  pathOfId,
  rangeOfMemory,
  rangesBelow,
  getRootId,
  type StoredDocument,
  childrenBefore,
  isBefore,
  rangeAfter,
} from "./documents.js";
import { type FilesContext, refuseElsewhere } from "./files-context.js";
import { byId, hasMoreThan, listingIndex } from "./file-indexes.js";

type OutlineContext = Pick<FilesContext, "collection" | "isGuest">;

type Outlined = Pick<IndexedDocument, "_id" | "kind" | "sizeBytes"> & { lead?: string };

/** Reads from the index alone. */
const outlineProjection = { _id: 1, kind: 1, sizeBytes: 1 } as const satisfies Record<keyof Omit<Outlined, "lead">, 1>;

/** A child of a directory. */
interface Child extends Outlined {
  path: string;
  /** The path by which a listing is sorted: with a slash at the end for a directory. */
  key: string;
}

/** Tests pass lower limits. */
export interface OutlineLimits {
  /** Up to this number of documents, an outline and a hidden directory are read and counted as a whole. */
  counted: number;
  /** Minimum number of documents in one read. */
  page: number;
}

const limits: OutlineLimits = { counted: 10_000, page: 100 };

/** How many documents one batch contains. The server also ends a batch at 16 MB. */
const batchSize = 10_000;

/** Even with the longest paths, this number of ranges fits into one command. */
const mostDirectories = 500;

/** The length of a short path with its line end. Most paths are longer, so one page is usually enough. */
const usualLineChars = 9;
/** `/a/` and the line end. */
const leastLineChars = 4;
/** The minimum length that each name adds to the paths below it. */
const leastNameChars = 2;

/** Reads the outline of a memory: all of it, or the first part of a large memory. */
export class FilesOutline {
  readonly #context: OutlineContext;
  readonly #memoryKey: string;
  readonly #session: ClientSession;
  readonly #options: Required<OutlineOptions>;
  readonly #call: CallContext;
  readonly #limits: OutlineLimits;

  /** @param session has one snapshot */
  constructor(
    context: OutlineContext,
    memoryKey: string,
    session: ClientSession,
    options: Required<OutlineOptions>,
    call: CallContext,
    limited: OutlineLimits = limits,
  ) {
    this.#context = context;
    this.#memoryKey = memoryKey;
    this.#session = session;
    this.#options = options;
    this.#call = call;
    this.#limits = limited;
  }

  /** Reads texts only if they are requested and not too long in sum. @throws movedAway, notHere */
  async read(): Promise<MemoryOutline> {
    const { maxPathChars } = this.#options;
    const range = rangeOfMemory(this.#memoryKey);
    const page = maxPathChars === Infinity ? Infinity : this.#pageFor(maxPathChars);
    const first = await this.#find([range], page === Infinity ? undefined : page);
    const rootId = getRootId(this.#memoryKey);
    refuseElsewhere(
      this.#context,
      first.find(({ _id }) => _id === rootId),
    );
    const last = first.at(-1);
    if (last === undefined || first.length < page) return this.#createOutline(first);
    const rest = rangeAfter(range, last._id);
    const isLarge = await hasMoreThan(
      this.#context.collection,
      this.#mostWhole() - first.length,
      rest,
      this.#session,
      this.#call,
    );
    if (isLarge) return this.#cut(first, last._id);
    return this.#createOutline([...first, ...(await this.#find([rest]))]);
  }

  /**
   * Up to this number of documents, a memory is read as a whole. A larger memory leaves more out of a listing of
   * `maxPathChars` than is counted. Even the paths of its files and empty directories alone, which a listing with
   * contents shows, do not fit.
   */
  #mostWhole(): number {
    const { maxPathChars } = this.#options;
    return Math.ceil(Math.max(this.#limits.counted + maxPathChars / leastLineChars, maxPathChars / leastNameChars));
  }

  /**
   * Reads level by level, because the upper levels come first in an outline.
   * @param first all documents up to the id `readTo`
   */
  async #cut(first: readonly Outlined[], readTo: string): Promise<MemoryOutline> {
    const known = first
      .filter(({ _id }) => pathOfId(this.#memoryKey, _id) !== ROOT)
      .map((document) => this.#createChild(document));
    const children: Child[] = [];
    let room = this.#options.maxPathChars;
    let level = [ROOT];
    while (level.length > 0 && room >= 0) {
      const below: Child[] = [];
      for (
        let start = 0, count = 1;
        start < level.length && room >= 0;
        start += count, count = Math.min(2 * count, mostDirectories)
      ) {
        const found = await this.#firstChildren(level.slice(start, start + count), known, readTo, room);
        below.push(...found);
        room -= countListingChars(found);
      }
      children.push(...below);
      level = below.filter(({ kind, path }) => kind === "dir" && !isHidden(path)).map(({ path }) => path);
    }
    const hidden = children.filter(({ kind, path }) => kind === "dir" && isHidden(path)).map(({ path }) => path);
    const { documents: inHidden, uncounted } = await this.#filesBelow(hidden);
    const documents = [...children, ...inHidden];
    const isWhole = room >= 0;
    const outline =
      isWhole && uncounted.length === 0 ? await this.#createOutline(documents) : this.#withoutContents(documents);
    return {
      ...outline,
      ...(!isWhole && { moreThan: this.#limits.counted }),
      ...(uncounted.length > 0 && { uncounted }),
    };
  }

  /**
   * Reads the children of the directories in the order of their keys, up to the first child without room.
   * @param directories of one depth, in the order of their keys
   * @param known contains all children up to the id `readTo`
   */
  async #firstChildren(
    directories: readonly string[],
    known: readonly Child[],
    readTo: string,
    room: number,
  ): Promise<Child[]> {
    const page = this.#pageFor(room);
    const parents = new Set(directories);
    let found = upTo(
      room,
      known.filter(({ path }) => parents.has(getParent(path))),
    );
    for (let after = readTo; ;) {
      const unread = this.#unreadBefore(directories, found.end, after);
      const more = unread.length === 0 ? [] : await this.#find(unread, page);
      found = upTo(room, [...found.children, ...more.map((document) => this.#createChild(document))]);
      const last = more.at(-1);
      if (last === undefined || more.length < page) return found.children;
      after = last._id;
    }
  }

  /**
   * Returns the ranges of children with ids after `readTo` and keys before the key of `end`. All children if there is
   * no `end`.
   */
  #unreadBefore(directories: readonly string[], end: Child | undefined, readTo: string): IdRange[] {
    const last = end === undefined ? -1 : directories.indexOf(getParent(end.path));
    const before = last === -1 ? directories : directories.slice(0, last);
    const ranges = before.map((directory) => getChildRange(this.#memoryKey, directory));
    const directory = directories[last];
    if (end !== undefined && directory !== undefined)
      ranges.push(
        ...childrenBefore(getChildRange(this.#memoryKey, directory), end.key.slice(getPathPrefix(directory).length)),
      );
    return ranges.map((range) => rangeAfter(range, readTo)).filter(({ $gte, $lt }) => isBefore($gte, $lt));
  }

  /** Reads the files of hidden directories. For each directory, at most as many as are counted. */
  async #filesBelow(directories: readonly string[]): Promise<{ documents: Outlined[]; uncounted: string[] }> {
    if (directories.length === 0) return { documents: [], uncounted: [] };
    const { counted } = this.#limits;
    if (directories.length <= mostDirectories) {
      const ranges = directories.flatMap((directory) => rangesBelow(this.#memoryKey, directory));
      const documents = await this.#find(ranges, counted + 1, "file");
      if (documents.length <= counted) return { documents, uncounted: [] };
      if (directories.length === 1) return { documents: documents.slice(0, counted), uncounted: [...directories] };
    }
    const middle = Math.ceil(directories.length / 2);
    const halves = [
      await this.#filesBelow(directories.slice(0, middle)),
      await this.#filesBelow(directories.slice(middle)),
    ];
    return {
      documents: halves.flatMap(({ documents }) => documents),
      uncounted: halves.flatMap(({ uncounted }) => uncounted),
    };
  }

  /** Finds documents in the order of ids. Reads only the index of listings, unless previews of texts are requested. */
  #find(ranges: readonly IdRange[], limit?: number, kind?: "file"): Promise<Outlined[]> {
    const { leadChars } = this.#options;
    const lead = { $substrCP: [{ $ifNull: ["$text", ""] }, 0, leadChars] };
    const from =
      leadChars > 0
        ? { ...byId, projection: { kind: 1, sizeBytes: 1, lead } }
        : { hint: listingIndex.name, projection: outlineProjection };
    const options = {
      ...asPlainValues,
      ...from,
      sort: { _id: 1 },
      batchSize,
      session: this.#session,
      ...(limit !== undefined && { limit }),
    } as const;
    const filters = ranges.map((_id) => ({ _id, ...(kind && { kind }) }));
    return this.#context.collection
      .find<Outlined>(filters.length === 1 ? (filters[0] ?? {}) : { $or: filters }, options, this.#call)
      .toArray();
  }

  #createChild(document: Outlined): Child {
    const path = pathOfId(this.#memoryKey, document._id);
    return { path, key: document.kind === "dir" ? `${path}/` : path, ...document };
  }

  #pageFor(chars: number): number {
    return Math.max(this.#limits.page, Math.ceil(chars / usualLineChars) + 1);
  }

  #withoutContents(documents: readonly Outlined[]): MemoryOutline {
    const outline: MemoryOutline = { files: [], directories: [], revision: null };
    for (const { _id, kind, sizeBytes = 0, lead } of documents) {
      const path = pathOfId(this.#memoryKey, _id);
      if (kind === "file") outline.files.push({ path, sizeBytes, ...(lead !== undefined && { lead }) });
      else if (path !== ROOT) outline.directories.push(path);
    }
    return outline;
  }

  async #createOutline(documents: readonly Outlined[]): Promise<MemoryOutline> {
    const outline = this.#withoutContents(documents);
    const { maxContentBytes } = this.#options;
    const sizeBytes = outline.files.reduce((sum, file) => sum + file.sizeBytes, 0);
    if (maxContentBytes > 0 && sizeBytes <= maxContentBytes) await this.#addContents(outline.files);
    return outline;
  }

  async #addContents(files: OutlineFile[]): Promise<void> {
    const options = { ...asPlainValues, ...byId, batchSize, session: this.#session, projection: { kind: 1, text: 1 } };
    const texts = new Map<string, string>();
    for await (const document of this.#context.collection.find<StoredDocument>(
      { _id: rangeOfMemory(this.#memoryKey) },
      options,
      this.#call,
    )) {
      if (document.kind === "file") texts.set(pathOfId(this.#memoryKey, document._id), document.text);
    }
    for (const file of files) file.content = texts.get(file.path) ?? "";
  }
}

/** Returns the children in the order of their keys, up to the first child without room, which is the `end`. */
function upTo(room: number, found: readonly Child[]): { children: Child[]; end?: Child } {
  const children = found.toSorted((a, b) => compareCodeUnits(a.key, b.key));
  let chars = 0;
  for (const [index, child] of children.entries()) {
    chars += countListingChars([child]);
    if (chars > room) return { children: children.slice(0, index + 1), end: child };
  }
  return { children };
}

/** Returns the minimum length of the listing lines. */
function countListingChars(children: readonly Child[]): number {
  return children.reduce((sum, { path }) => sum + path.length + 2, 0);
}

/** Whether a listing shows the directory as one line with a count of its files. */
function isHidden(path: string): boolean {
  return findHiddenDirectory(`${path}/`) === path;
}
