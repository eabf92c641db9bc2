import type { Item } from "@langchain/langgraph-checkpoint";
import type { ClientSession } from "mongodb";
import type { MemoryEntry, MemoryOutline, MemorySnapshot, MemoryStat, OutlineOptions } from "../../../core/memory.js";
import type { CallContext } from "../../../core/runtime/call.js";
import { MemoryTree } from "../../../core/tree/memory-tree.js";
import type { VersionedFile, VersionedSnapshot } from "../../../core/tree/snapshot.js";
import type { CheckedAddress } from "../../../core/values/address.js";
import { ROOT } from "../../../core/values/paths.js";
import { asPlainValues } from "../../driver/plain-values.js";
import { reading } from "../../driver/reads.js";
import { inSnapshot, readAtOneMoment } from "../../driver/snapshot-reads.js";
import type { MemoryLocation } from "../../operations/memory-location.js";
import { fileItem, type ItemTimes } from "../file-items.js";
import { findKnownPages, learnPages, type ListedPage, listPages, selectPages } from "./known-pages.js";
import { findHead, type LoadedPage, type LoadedPages, loadPages } from "./load.js";
import { outlineProjection, type OutlinedPage, toSummary } from "./outline-projection.js";
import { getCreationTime, getIncarnation, type MemoryDocument, snapshotOfDocument } from "./page-document.js";
import type { PageSummary } from "./page-summaries.js";
import type { PagesContext } from "./pages-context.js";

/** A page of a memory at one point in time, as an index has it. */
interface PageVersion {
  _id: MemoryDocument["_id"];
  revision: number;
  incarnation: string;
  /** Changes with each change of the page, and is never used again for other contents. */
  version: string;
}

/** The commands that read one memory. */
export class PageReads {
  readonly #context: PagesContext;
  readonly #address: CheckedAddress;

  constructor(context: PagesContext, address: CheckedAddress) {
    this.#context = context;
    this.#address = address;
  }

  async read(path: string, call: CallContext): Promise<string> {
    return (await this.#load([path], call)).tree.file(path).content;
  }

  async readFiles(paths: readonly string[], call: CallContext): Promise<(string | null)[]> {
    const { files } = (await this.#load(paths, call)).tree;
    return paths.map((path) => files.get(path)?.content ?? null);
  }

  async list(path: string, call: CallContext): Promise<MemoryEntry[]> {
    return (await this.#treeBelow(path, "paths", call)).list(path);
  }

  async stat(path: string, call: CallContext): Promise<MemoryStat | null> {
    return (await this.#treeBelow(path, "sizes", call)).stat(path);
  }

  async snapshot(call: CallContext): Promise<MemorySnapshot> {
    const scope = { paths: [], below: [ROOT], want: "pages" } as const;
    const { pages, tree } = await loadPages(this.#context, this.#address, scope, call);
    return { ...tree.snapshot(), revision: sumRevisions(pages) };
  }

  async outline(options: Required<OutlineOptions>, call: CallContext): Promise<MemoryOutline> {
    const single = await this.#findHeadAlone<OutlinedPage>(outlineProjection(options), call);
    if (single === "paged") return this.#outlinePages(options, call);
    if (single === null) return { files: [], directories: [], revision: 0 };
    if (single.revision === undefined) return new MemoryTree(await this.#legacySnapshot(call)).outline(options);
    const { files, directories } = toSummary(single, single.data);
    return { files, directories, revision: single.revision };
  }

  /** Reads a text that differs after each change. Null if there is no memory. */
  async version(call: CallContext): Promise<string | null> {
    const single = await this.#findHeadAlone({}, call);
    if (single !== "paged")
      return single?.revision === undefined ? null : `${getIncarnation(single)} ${single.revision}`;
    return this.#inSnapshot(async (session) => {
      const pages = await this.#listVersions(session, call);
      const [head] = pages;
      return head === undefined ? null : `${head.incarnation} ${sumRevisions(pages)}`;
    });
  }

  async snapshotSince(known: ReadonlyMap<string, string>, call: CallContext): Promise<VersionedSnapshot> {
    const single = await this.#findHeadAlone({ data: 1, dirs: 1 }, call);
    if (single !== "paged") {
      const { files, directories } = snapshotOfDocument(single);
      return { files: files.map(({ path, content }) => ({ path, version: null, content })), directories };
    }
    return this.#inSnapshot((session) => this.#changedPages(new Set(known.values()), session, call));
  }

  /** Reads the items at these places in their order, null if there is none. */
  async items(places: readonly MemoryLocation[], call: CallContext): Promise<(Item | null)[]> {
    const paths = places.flatMap(({ path }) => path ?? []);
    if (paths.length === 0) return places.map(() => null);
    const fields = { createdAt: 1, updatedAt: 1 };
    const scope = { paths, below: [], needsHead: places.some(({ kind }) => kind === "dir"), fields };
    const { tree, head } = await loadPages(this.#context, this.#address, scope, call);
    return places.map(({ path, kind, namespace, key }) => {
      if (path === null) return null;
      const file = tree.files.get(path);
      if (kind === "file") return file === undefined ? null : fileItem(namespace, key, { content: file.content }, file);
      return head !== undefined && tree.isDirectory(path)
        ? fileItem(namespace, key, { directory: true }, getMemoryTimes(head))
        : null;
    });
  }

  /** Finds the head with some fields besides. Null if there is no memory. @throws MemoryError EIO */
  findHead<Fields extends object>(fields: object, call: CallContext): Promise<(LoadedPage & Fields) | null> {
    return reading(async () => {
      await this.#context.ready();
      return this.#head<Fields>(fields, null, call);
    });
  }

  #load(paths: readonly string[], call: CallContext): Promise<LoadedPages> {
    return loadPages(this.#context, this.#address, { paths, below: [] }, call);
  }

  /** Loads a directory. If it lies in several pages, only the pages that have changed are read again. */
  async #treeBelow(path: string, want: "paths" | "sizes", call: CallContext): Promise<MemoryTree> {
    const scope = { paths: [path], below: [path] };
    const known = findKnownPages(this.#context, this.#address);
    if (known === undefined || selectPages(known, scope).length === 1)
      return (await loadPages(this.#context, this.#address, { ...scope, want }, call)).tree;
    return this.#inSnapshot(async (session) => {
      const summaries = await this.#summarise(await this.#listVersions(session, call), 0, session, call);
      return new MemoryTree({
        files: summaries.flatMap(({ files }) => files.map(toEmptyFile)),
        directories: summaries.flatMap(({ directories }) => directories),
        revision: null,
      });
    });
  }

  async #outlinePages(options: Required<OutlineOptions>, call: CallContext): Promise<MemoryOutline> {
    const { maxContentBytes, leadChars } = options;
    const outline = await this.#inSnapshot(async (session) => {
      const pages = await this.#listVersions(session, call);
      const summaries = await this.#summarise(pages, leadChars, session, call);
      return {
        files: summaries.flatMap(({ files }) => files),
        directories: summaries.flatMap(({ directories }) => directories),
        revision: pages.reduce((sum, { revision }) => sum + revision, 0),
      };
    });
    const sizeBytes = outline.files.reduce((sum, file) => sum + file.sizeBytes, 0);
    return sizeBytes <= maxContentBytes ? new MemoryTree(await this.snapshot(call)).outline(options) : outline;
  }

  /** Lists the pages at one point in time. Reads the head and an index. */
  async #listVersions(session: ClientSession, call: CallContext): Promise<PageVersion[]> {
    const head = await this.#head({}, session, call);
    return head === null ? [] : listVersions(head, await this.#listOthers(head, session, call));
  }

  /** Reads what pages contain that this process has not seen in this version. */
  async #summarise(
    pages: readonly PageVersion[],
    leadChars: number,
    session: ClientSession,
    call: CallContext,
  ): Promise<PageSummary[]> {
    const { summaries } = this.#context;
    const found = new Map(pages.map(({ _id, version }) => [_id, summaries.get(version, leadChars)]));
    const missing = pages.filter(({ _id }) => found.get(_id) === undefined);
    const projection = outlineProjection({ maxContentBytes: 0, leadChars });
    const read = new Map(
      (await this.#findPages<OutlinedPage>(missing, projection, session, call)).map((page) => [page._id, page]),
    );
    for (const { _id, version } of missing) {
      const page = read.get(_id);
      if (page === undefined) continue;
      const summary = toSummary(page, undefined);
      summaries.set(version, leadChars, summary);
      found.set(_id, summary);
    }
    return pages.map(({ _id }) => found.get(_id) ?? noSummary);
  }

  async #changedPages(
    known: ReadonlySet<string>,
    session: ClientSession,
    call: CallContext,
  ): Promise<VersionedSnapshot> {
    const pages = await this.#listVersions(session, call);
    const summaries = await this.#summarise(pages, 0, session, call);
    const changed = pages.filter(({ version }) => !known.has(version));
    const read = await this.#findPages<MemoryDocument>(changed, { data: 1, dirs: 1 }, session, call);
    const texts = new Map(read.map((page) => [page._id, snapshotOfDocument(page).files]));
    const files = pages.flatMap(({ _id, version }, index): VersionedFile[] => {
      const own = texts.get(_id);
      if (own !== undefined) return own.map(({ path, content }) => ({ path, version, content }));
      return (summaries[index] ?? noSummary).files.map(({ path }) => ({ path, version, content: null }));
    });
    return { files, directories: summaries.flatMap(({ directories }) => directories) };
  }

  /** @param pages of a memory of several, whose ids are texts */
  async #findPages<Found extends Pick<MemoryDocument, "_id">>(
    pages: readonly PageVersion[],
    projection: object,
    session: ClientSession,
    call: CallContext,
  ): Promise<Found[]> {
    if (pages.length === 0) return [];
    const filter = { _id: { $in: pages.map(({ _id }) => _id) } };
    return this.#context.collection.find<Found>(filter, { projection, session, ...asPlainValues }, call).toArray();
  }

  /** Returns the head if it is the whole memory, with some fields besides. */
  async #findHeadAlone<Fields extends object>(
    fields: object,
    call: CallContext,
  ): Promise<(LoadedPage & Fields) | "paged" | null> {
    if (findKnownPages(this.#context, this.#address) !== undefined) return "paged";
    const head = await this.findHead<Fields>(fields, call);
    return head?.hi === undefined ? head : "paged";
  }

  #head<Fields extends object>(
    fields: object,
    session: ClientSession | null,
    call: CallContext,
  ): Promise<(LoadedPage & Fields) | null> {
    const projection = { key: 1, hi: 1, revision: 1, updatedAt: 1, ...fields };
    return findHead<Fields>(this.#context, this.#address, projection, session === null ? {} : { session }, call);
  }

  /** Lists the other pages, and remembers them. */
  async #listOthers(head: LoadedPage, session: ClientSession, call: CallContext): Promise<ListedPage[]> {
    await learnPages(this.#context, this.#address, head, { session }, call);
    return head.hi === undefined
      ? []
      : listPages(this.#context, this.#address, getIncarnation(head), { session }, call);
  }

  async #legacySnapshot(call: CallContext): Promise<MemorySnapshot> {
    return snapshotOfDocument(await this.findHead({ data: 1, dirs: 1, meta: 1, createdAt: 1 }, call));
  }

  #inSnapshot<Result>(read: (session: ClientSession) => Promise<Result>): Promise<Result> {
    return reading(() => readAtOneMoment(() => inSnapshot(this.#context.client, read)));
  }
}

function listVersions(head: LoadedPage, others: readonly ListedPage[]): PageVersion[] {
  const incarnation = getIncarnation(head);
  const { _id, revision = 0 } = head;
  return [
    { _id, revision, incarnation, version: `${incarnation} ${revision}` },
    ...others.map((page) => ({ ...page, incarnation, version: `${page._id} ${page.revision}` })),
  ];
}

/** The revision of a memory grows with each change of each page. */
function sumRevisions(pages: readonly Pick<MemoryDocument, "revision">[]): number {
  return pages.reduce((sum, { revision = 0 }) => sum + revision, 0);
}

const noSummary: PageSummary = { files: [], directories: [] };

function toEmptyFile({ path, sizeBytes }: PageSummary["files"][number]): MemorySnapshot["files"][number] {
  const unknown = new Date(0);
  return { path, kind: "file", content: "", sizeBytes, createdAt: unknown, updatedAt: unknown };
}

/** Directories have the times of the memory. */
export function getMemoryTimes(head: Pick<MemoryDocument, "_id" | "createdAt" | "updatedAt">): ItemTimes {
  const createdAt = head.createdAt ?? getCreationTime(head) ?? new Date(0);
  return { createdAt, updatedAt: head.updatedAt ?? createdAt };
}
