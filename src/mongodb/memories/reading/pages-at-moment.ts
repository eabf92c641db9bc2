import type { SnapshotOptions } from "../../driver/snapshot-reads.js";
import type { CallContext } from "../../../core/runtime/call.js";
import type { MemorySnapshot, VersionedFile, VersionedSnapshot } from "../../../core/tree/snapshot.js";
import { learnPages, type ListedPage, pagesAtOnce } from "./known-pages.js";
import { findHead, type LoadedPage } from "./load.js";
import { getIncarnation, type MemoryDocument, snapshotOfDocument } from "../documents/page-document.js";
import { type OutlinedPage, outlineProjection, type PageSummary, toSummary } from "./page-summaries.js";
import type { PagedMemory } from "../memory-context.js";
import { compareKeys } from "../documents/page-order.js";

/** A page of a memory at one point in time, as an index has it. */
export interface PageVersion {
  _id: MemoryDocument["_id"];
  lo: string;
  revision: number;
  incarnation: string;
  /** Changes with each change of the page, and is never used again for other contents. */
  version: string;
}

/**
 * The pages of one memory at one point in time. A page is not read again until it changes.
 */
export class PagesAtMoment {
  readonly #memory: PagedMemory;
  readonly #moment: SnapshotOptions;
  readonly #call: CallContext;

  constructor(memory: PagedMemory, moment: SnapshotOptions, call: CallContext) {
    this.#memory = memory;
    this.#moment = moment;
    this.#call = call;
  }

  /** Lists the pages in their order. Reads the head and an index. */
  async list(): Promise<PageVersion[]> {
    const head = await findHead(this.#memory, { revision: 1 }, this.#call, this.#moment);
    const others = await learnPages(this.#memory, head, this.#moment, this.#call);
    return head === null ? [] : createVersions(head, others);
  }

  /** Returns what each of these pages contains. */
  async summarise(pages: readonly PageVersion[], leadChars: number): Promise<PageSummary[]> {
    const { summaries } = this.#memory;
    const missing = pages.filter(({ version }) => summaries.get(version, leadChars) === undefined);
    const read = await this.#find<OutlinedPage>(missing, outlineProjection({ maxContentBytes: 0, leadChars }));
    const found = new Map(
      missing.map(({ _id, version }) => {
        const page = read.get(String(_id));
        return [version, page === undefined ? noSummary : toSummary(page, undefined)];
      }),
    );
    for (const [version, summary] of found) summaries.set(version, leadChars, summary);
    return pages.map(({ version }) => found.get(version) ?? summaries.get(version, leadChars) ?? noSummary);
  }

  /** Returns all files, with the texts of the pages whose version is not known. */
  async readSince(known: ReadonlySet<string>): Promise<VersionedSnapshot> {
    const pages = await this.list();
    const changed = pages.filter(({ version }) => !known.has(version));
    const read = await this.#find<MemoryDocument>(changed, { data: 1, dirs: 1, meta: 1 });
    const contents = new Map(
      changed.map(({ _id, version }) => [version, snapshotOfDocument(read.get(String(_id)) ?? null)]),
    );
    for (const [version, content] of contents) this.#memory.summaries.set(version, 0, createSummary(content));
    const summaries = await this.summarise(pages, 0);
    const files = pages.flatMap(({ version }, index): VersionedFile[] => {
      const own = contents.get(version)?.files;
      if (own !== undefined) return own.map(({ path, content, updatedAt }) => ({ path, version, content, updatedAt }));
      return (summaries[index] ?? noSummary).files.map(({ path }) => ({ path, version, content: null }));
    });
    return { files, directories: joinDirectories(summaries) };
  }

  /** Returns pages by their ids. */
  async #find<Found extends Pick<MemoryDocument, "_id">>(
    pages: readonly PageVersion[],
    projection: object,
  ): Promise<Map<string, Found>> {
    if (pages.length === 0) return new Map();
    const filter = { _id: { $in: pages.map(({ _id }) => _id) } };
    const options = { projection, ...this.#moment, batchSize: pagesAtOnce };
    const found = await this.#memory.collection.find<Found>(filter, this.#call, options).toArray();
    return new Map(found.map((page) => [String(page._id), page]));
  }
}

function createVersions(head: LoadedPage, others: readonly ListedPage[]): PageVersion[] {
  const incarnation = getIncarnation(head);
  const { _id, revision = 0 } = head;
  const pages = others.map((page) => ({ ...page, incarnation, version: `${page._id} ${page.revision}` }));
  return [
    { _id, lo: "", revision, incarnation, version: `${incarnation} ${revision}` },
    ...pages.toSorted((a, b) => compareKeys(a.lo, b.lo)),
  ];
}

function createSummary({ files, directories }: Pick<MemorySnapshot, "files" | "directories">): PageSummary {
  return { files: files.map(({ path, sizeBytes }) => ({ path, sizeBytes })), directories };
}

const noSummary: PageSummary = { files: [], directories: [] };

/** A directory can be known from several pages: from its own, and from the paths of files in others. */
export function joinDirectories(summaries: readonly PageSummary[]): string[] {
  return [...new Set(summaries.flatMap(({ directories }) => directories))];
}
