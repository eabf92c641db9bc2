import { FilesHistory } from "./files-history.js";
import type { Item } from "@langchain/langgraph-checkpoint";
import type { VersionedSnapshot } from "../../../core/tree/snapshot.js";
import type { CandidateFiles } from "../../../core/contract/candidate-files.js";
import type { MemoryOptions } from "../../../core/memory-options.js";
import type { MemoryLocation } from "../../operations/memory-location.js";
import type { PlannedWrite, StoredMemory } from "../contract/stored-memory.js";
import { planChanges } from "../planned-changes.js";
import { readItems } from "./files-listing.js";
import type { CallContext } from "../../../core/runtime/call.js";
import { lostRace, maxAttempts } from "../../../core/runtime/lost-race.js";
import type { Change, ChangeResult } from "../../../core/tree/change.js";
import type { MemoryTree } from "../../../core/tree/memory-tree.js";
import type { MemoryEntry, MemoryOutline, MemorySnapshot, MemoryStat, OutlineOptions } from "../../../core/memory.js";
import type { CheckedAddress } from "../../../core/values/address.js";
import { directoryNotFound, fileNotFound, pathIsDirectory, pathIsFile } from "../../../core/values/errors.js";
import { ROOT } from "../../../core/values/paths.js";
import type { ChangeListener } from "../../../core/contract/change-listener.js";
import type { Applied, AttemptSettings, StorageMoment, StorageScope } from "../contract/tree-storage.js";
import { getMemoryKey, getRootId } from "./documents.js";
import { FileReads } from "./file-reads.js";
import type { FilesContext } from "./files-context.js";
import { listenToMemory } from "./files-listener.js";
import { byId } from "./file-indexes.js";
import { FilesExpiry } from "./files-expiry.js";
import { FilesStorage, writing } from "./changes/storage.js";

/** One memory as a document for each file and directory (ADR 0021). */
export class StoredFiles implements StoredMemory {
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

  /** The layout counts no changes. */
  version(): Promise<null> {
    return Promise.resolve(null);
  }

  snapshotSince(known: ReadonlyMap<string, string>, call: CallContext): Promise<VersionedSnapshot> {
    return this.#reads.snapshotSince(known, call);
  }

  prefilter(query: string, path: string, call: CallContext): Promise<CandidateFiles | null> {
    return this.#reads.narrow(query, path, call);
  }

  items(places: readonly MemoryLocation[], call: CallContext): Promise<(Item | null)[]> {
    return readItems(this.#context, places, call);
  }

  async checkChanges(
    changes: readonly PlannedWrite[],
    options: Required<MemoryOptions>,
    call: CallContext,
  ): Promise<void> {
    planChanges(await this.#reads.kinds(changes, call), changes, options);
  }

  /** There is only one form. */
  upgrade(): Promise<boolean> {
    return Promise.resolve(false);
  }

  async listen(): Promise<ChangeListener | null> {
    await this.#context.ready();
    return listenToMemory(this.#context, getMemoryKey(this.#address));
  }

  get history(): StoredMemory["history"] {
    return this.#context.history === null ? null : new FilesHistory(this.#context, this.#reads);
  }

  async appliedIds(call: CallContext): Promise<string[]> {
    return Object.keys((await this.#reads.root(call))?.applied ?? {});
  }

  async removeAppliedIds(ids: readonly string[], call: CallContext): Promise<void> {
    if (ids.length === 0) return;
    const context = this.#context;
    const expiry = new FilesExpiry(context, this.#address);
    const _id = getRootId(getMemoryKey(this.#address));
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
