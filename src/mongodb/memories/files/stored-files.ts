import type { BackendFeatures } from "../../../core/contract/backend.js";
import type { CallContext } from "../../../core/runtime/call.js";
import { lostRace, maxAttempts } from "../../../core/runtime/lost-race.js";
import type { Change, ChangeResult } from "../../../core/tree/change.js";
import type { MemoryTree } from "../../../core/tree/memory-tree.js";
import type { MemoryEntry, MemoryOutline, MemorySnapshot, MemoryStat, OutlineOptions } from "../../../core/memory.js";
import type { CheckedAddress } from "../../../core/values/address.js";
import { directoryNotFound, fileNotFound, pathIsDirectory, pathIsFile } from "../../../core/values/errors.js";
import { ROOT } from "../../../core/values/paths.js";
import type { ChangeListener } from "../../../core/contract/change-listener.js";
import type { FlushSource, PresentMemory } from "../../history/history-source.js";
import type { StoredMemory } from "../contract/stored-memory.js";
import type { Applied, AttemptSettings, StorageMoment, StorageScope } from "../contract/tree-storage.js";
import { memoryKeyOf, rootIdOf, snapshotOf, type StoredRoot } from "./documents.js";
import { FileReads } from "./file-reads.js";
import type { FilesContext } from "./files-context.js";
import { listenToMemory } from "./files-listener.js";
import { byId } from "./file-indexes.js";
import { FilesExpiry } from "./files-expiry.js";
import { FilesStorage, writing } from "./changes/storage.js";
import { dropOld } from "./changes/versions.js";

/** What a memory has whose changes have made no version yet. */
const noHistory = { id: "none", revision: 0 };

/** One memory as a document for each file and directory (ADR 0021). */
export class StoredFiles implements StoredMemory {
  readonly features: Pick<BackendFeatures, "snapshotSince" | "prefilter"> = {
    snapshotSince: (known, call) => this.#reads.snapshotSince(known, call),
    prefilter: (query, path, call) => this.#reads.narrow(query, path, call),
  };
  readonly #context: FilesContext;
  readonly #address: CheckedAddress;
  readonly #storage: FilesStorage;
  readonly #reads: FileReads;

  constructor(context: FilesContext, address: CheckedAddress) {
    this.#context = context;
    this.#address = address;
    this.#storage = new FilesStorage(context, address);
    this.#reads = new FileReads(context, address);
  }

  attempt(change: Change, settings: AttemptSettings, call: CallContext): Promise<ChangeResult | null> {
    return this.#storage.attempt(change, settings, call);
  }

  transact<Result>(
    scope: StorageScope,
    apply: (tree: MemoryTree, moment: StorageMoment) => Applied<Result> | Promise<Applied<Result>>,
    call: CallContext,
  ): Promise<Result> {
    return this.#storage.transact(scope, apply, call);
  }

  async read(path: string, call: CallContext): Promise<string> {
    const found = await this.#reads.find(path, { _id: 0, kind: 1, text: 1 }, call);
    if (found?.kind === "file") return found.text;
    throw found !== null || path === ROOT ? pathIsDirectory() : fileNotFound();
  }

  async readFiles(paths: readonly string[], call: CallContext): Promise<(string | null)[]> {
    const texts = await this.#reads.texts(paths, call);
    return paths.map((path) => texts.get(path) ?? null);
  }

  async list(path: string, call: CallContext): Promise<MemoryEntry[]> {
    const found = await this.#reads.list(path, call);
    if (found === "file") throw pathIsFile();
    if (found === null) throw directoryNotFound();
    return found;
  }

  async stat(path: string, call: CallContext): Promise<MemoryStat | null> {
    const reads = this.#reads;
    const projection = { _id: 0, kind: 1, sizeBytes: 1, createdAt: 1, updatedAt: 1 } as const;
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const found = path === ROOT ? null : await reads.find(path, projection, call);
      if (found === null && path !== ROOT) return null;
      if (found?.kind === "file") {
        const { kind, sizeBytes, createdAt, updatedAt } = found;
        return { kind, sizeBytes, createdAt, updatedAt };
      }
      const sizeBytes = await reads.sizeBelow(path, call);
      if (sizeBytes !== null) return { kind: "dir", sizeBytes, createdAt: null, updatedAt: null };
    }
    throw lostRace();
  }

  snapshot(call: CallContext): Promise<MemorySnapshot> {
    return this.#reads.snapshot(call);
  }

  outline(options: Required<OutlineOptions>, call: CallContext): Promise<MemoryOutline> {
    return this.#reads.outline(options, call);
  }

  async listen(): Promise<ChangeListener | null> {
    await this.#context.ready();
    return listenToMemory(this.#context, memoryKeyOf(this.#address));
  }

  get history(): StoredMemory["history"] {
    const { history, versions, isReader } = this.#context;
    if (history === null) return null;
    const flush = async (call: CallContext): Promise<void> => {
      const root = await this.#reads.root(call);
      if (root?.history !== undefined && !isReader) await dropOld(versions, root.history, call);
    };
    return { source: new FilesSource(this.#reads), versions, flush };
  }

  async marks(call: CallContext): Promise<string[]> {
    return Object.keys((await this.#reads.root(call))?.applied ?? {});
  }

  async removeMarks(ids: readonly string[], call: CallContext): Promise<void> {
    if (ids.length === 0) return;
    const context = this.#context;
    const expiry = new FilesExpiry(context, this.#address);
    const _id = rootIdOf(memoryKeyOf(this.#address));
    const update = { $unset: Object.fromEntries(ids.map((id) => [`applied.${id}`, ""])) };
    await writing(context, async () => {
      if (!(await expiry.isPresent(call))) return;
      await context.collection.updateOne({ _id }, update, byId, call);
      await expiry.afterChange(true, call);
    });
  }

  async updatedAt(call: CallContext): Promise<Date | null> {
    return (await this.#reads.root(call))?.updatedAt ?? null;
  }
}

/** Every change makes its versions in the same step, so nothing is left to flush. */
class FilesSource implements FlushSource {
  readonly #reads: FileReads;

  constructor(reads: FileReads) {
    this.#reads = reads;
  }

  async read(what: "outbox" | "tree" | { path: string }, call: CallContext): Promise<PresentMemory | null> {
    const documents = await this.#reads.withRoot(getPaths(what), call);
    const root = documents?.get(ROOT) as StoredRoot | undefined;
    if (!documents || root === undefined) return null;
    const files = [...documents].flatMap(([path, document]) => (document.kind === "file" ? [{ path, document }] : []));
    const texts = new Map(files.map(({ path, document }): [string, string] => [path, document.text]));
    const present = toPresent(root, texts);
    if (what === "tree") return { ...present, tree: snapshotOf(documents) };
    return what === "outbox" ? present : { ...present, isDirectory: documents.get(what.path)?.kind === "dir" };
  }

  settle(): Promise<boolean> {
    return Promise.resolve(true);
  }
}

/** A memory as its history sees it. */
export function toPresent(
  { _id, history = noHistory }: Pick<StoredRoot, "_id" | "history">,
  texts: ReadonlyMap<string, string>,
): PresentMemory {
  return {
    documentId: _id,
    memory: history.id,
    revision: history.revision,
    changes: [],
    firstStored: undefined,
    texts,
    owner: null,
  };
}

function getPaths(what: "outbox" | "tree" | { path: string }): string[] | null {
  if (what === "tree") return null;
  return what === "outbox" || what.path === ROOT ? [] : [what.path];
}
