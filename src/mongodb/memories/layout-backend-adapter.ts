import type { ChangeRecords } from "../../core/approval/change-record.js";
import type { MemoryBackend as OldMemoryBackend, WriteMode } from "../../core/backend.js";
import type { HistoryBackend } from "../../core/history/history-backend.js";
import type {
  DeletedCounts,
  FileStat,
  FoundText,
  MemoryEntry,
  MemoryOutline,
  MemorySnapshot,
  MemoryStat,
  OutlineOptions,
} from "../../core/memory.js";
import type { MemoryBackend } from "../../core/memory-backend.js";
import { type CallContext, createUnlimitedCall } from "../../core/runtime/call.js";
import type { MeaningBackend } from "../../core/search/meaning.js";
import type { NarrowedTexts } from "../../core/search/narrowed-texts.js";
import type { Change, ChangeOptions, ChangeResult } from "../../core/tree/change.js";
import type { VersionedSnapshot } from "../../core/tree/snapshot.js";
import type { MemoryActor } from "../../core/values/actor.js";
import { prefixOf } from "../../core/values/paths.js";
import type { ChangeListener } from "../../core/watch/memory-changes.js";
import { ActorCall } from "./actor-call.js";

/** TEMPORARY: a backend of the new contract as one of the old contract. Goes with `core/backend.ts`. */
export class LayoutBackendAdapter implements OldMemoryBackend {
  readonly #backend: MemoryBackend;
  readonly #call: CallContext;
  readonly #actor: MemoryActor | null;

  constructor(backend: MemoryBackend, call: CallContext = createUnlimitedCall(), actor: MemoryActor | null = null) {
    this.#backend = backend;
    this.#call = actor === null ? call : new ActorCall(call, actor);
    this.#actor = actor;
  }

  forCall(call: CallContext): OldMemoryBackend {
    return new LayoutBackendAdapter(this.#backend, call, this.#actor);
  }

  forActor(actor: MemoryActor): OldMemoryBackend {
    return new LayoutBackendAdapter(this.#backend, this.#call, actor);
  }

  get storage(): object {
    return this.#backend.features?.storage ?? this.#backend;
  }

  read(path: string): Promise<string> {
    return this.#backend.read(path, this.#call);
  }

  readFiles(paths: readonly string[]): Promise<(string | null)[]> {
    return this.#backend.readFiles(paths, this.#call);
  }

  async findFiles(): Promise<FoundText[]> {
    return (await this.snapshot()).files;
  }

  list(path: string): Promise<MemoryEntry[]> {
    return this.#backend.list(path, this.#call);
  }

  stat(path: string): Promise<MemoryStat | null> {
    return this.#backend.stat(path, this.#call);
  }

  snapshot(): Promise<MemorySnapshot> {
    return this.#backend.snapshot(this.#call);
  }

  outline(options: Required<OutlineOptions>): Promise<MemoryOutline> {
    return this.#backend.outline(options, this.#call);
  }

  async append(path: string, content: string, create: boolean): Promise<void> {
    await this.#change({ type: "append", path, content, create });
  }

  async snapshotAndAppend(path: string, content: string, create: boolean): Promise<MemorySnapshot> {
    const before = await this.snapshot();
    await this.append(path, content, create);
    return before;
  }

  async replace(path: string, oldContent: string, content: string): Promise<number> {
    return (await this.#change({ type: "update", path, oldContent, content })).replaced;
  }

  async delete(
    path: string,
    ifDirectory: "delete" | "fail",
    checkPath?: (path: string) => void,
  ): Promise<DeletedCounts> {
    return (await this.#change({ type: "delete", path, ifDirectory }, { checkPath })).deleted;
  }

  async write(path: string, content: string, mode: WriteMode): Promise<FileStat> {
    return getFile(await this.#change({ type: "write", path, content, ...mode }));
  }

  async edit(path: string, edit: (text: string) => string): Promise<FileStat> {
    return getFile(await this.#change({ type: "edit", path, edit }));
  }

  async rename(path: string, to: string, checkMoved: (path: string) => void): Promise<void> {
    const checkPath = (each: string): void => {
      if (!each.startsWith(prefixOf(path))) checkMoved(each);
    };
    await this.#change({ type: "rename", path, to }, { checkPath });
  }

  version(): Promise<string | null> {
    return this.#backend.features?.version?.(this.#call) ?? Promise.resolve(null);
  }

  async snapshotSince(known: ReadonlyMap<string, string>): Promise<VersionedSnapshot> {
    const found = await this.#backend.features?.snapshotSince?.(known, this.#call);
    if (found !== undefined) return found;
    const { files, directories } = await this.snapshot();
    return { files: files.map(({ path, content }) => ({ path, version: null, content })), directories };
  }

  narrow(query: string, path: string): Promise<NarrowedTexts | null> {
    return this.#backend.features?.prefilter?.(query, path, this.#call) ?? Promise.resolve(null);
  }

  meaning(): MeaningBackend | null {
    return this.#backend.features?.embeddings?.(this.#call) ?? null;
  }

  listen(): Promise<ChangeListener | null> {
    return this.#backend.features?.listen?.(this.#call) ?? Promise.resolve(null);
  }

  history(): HistoryBackend | null {
    return this.#backend.features?.history?.(this.#call) ?? null;
  }

  records(): ChangeRecords {
    const records = this.#backend.features?.approvals?.(this.#call);
    if (records === undefined) throw new TypeError("every layout of MongoDB keeps proposals");
    return records;
  }

  #change(change: Change, options: ChangeOptions = {}): Promise<ChangeResult> {
    return this.#backend.change(change, options, this.#call);
  }
}

function getFile({ file }: ChangeResult): FileStat {
  if (file === null) throw new TypeError("write and edit answer the file");
  return file;
}
