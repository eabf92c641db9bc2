import type { BaseStore, Item, PutOperation } from "@langchain/langgraph-checkpoint";
import type { BackendLimits, MemoryBackend, WriteMode } from "../core/backend.js";
import {
  alreadyExists,
  fileNotFound,
  fileTooLarge,
  MemoryError,
  parentIsFile,
  pathIsDirectory,
} from "../core/values/errors.js";
import { KeyedMutex } from "../core/runtime/keyed-mutex.js";
import type {
  DeletedCounts,
  FileStat,
  MemoryEntry,
  MemoryOutline,
  MemorySnapshot,
  MemoryStat,
  OutlineOptions,
  SnapshotFile,
} from "../core/memory.js";
import type { CallContext } from "../core/runtime/call.js";
import { parentsOf, ROOT } from "../core/values/paths.js";
import { appendText, replaceText, utf8Bytes } from "../core/values/text.js";
import { MemoryTree } from "../core/tree/memory-tree.js";

const pageSize = 1000;

/** One queue of commands for each memory of each store, however many backends are opened on it. */
const queues = new WeakMap<BaseStore, KeyedMutex>();

/**
 * A memory in any LangGraph BaseStore: a file is the item of its path with `{ content }`, a directory the item of its
 * path and a `/` with `{ directory: true }` (specification section 6). Commands on one memory are serialised inside
 * this process; a generic store offers nothing that would protect them across processes.
 */
export class BaseStoreBackend implements MemoryBackend {
  readonly #store: BaseStore;
  readonly #namespace: string[];
  readonly #limits: BackendLimits;
  readonly #queue: KeyedMutex;
  readonly #call: CallContext | undefined;

  constructor(store: BaseStore, namespace: string[], limits: BackendLimits, call?: CallContext) {
    this.#store = store;
    this.#namespace = namespace;
    this.#limits = limits;
    this.#call = call;
    this.#queue = queues.get(store) ?? new KeyedMutex();
    queues.set(store, this.#queue);
  }

  get storage(): object {
    return this.#store;
  }

  /** A store takes no signal: between what is asked of it the call ends. */
  forCall(call: CallContext): MemoryBackend {
    return new BaseStoreBackend(this.#store, this.#namespace, this.#limits, call);
  }

  read(path: string): Promise<string> {
    return this.#exclusively(async () => (await this.#existing(path)).content);
  }

  readFiles(paths: readonly string[]): Promise<(string | null)[]> {
    return this.#exclusively(() => Promise.all(paths.map(async (path) => (await this.#find(path))?.content ?? null)));
  }

  list(path: string): Promise<MemoryEntry[]> {
    return this.#exclusively(async () => (await this.#load()).list(path));
  }

  append(path: string, content: string, create: boolean): Promise<void> {
    return this.#exclusively(() => this.#append(path, content, create));
  }

  snapshotAndAppend(path: string, content: string, create: boolean): Promise<MemorySnapshot> {
    return this.#exclusively(async () => {
      const tree = await this.#load();
      await this.#append(path, content, create);
      return tree.snapshot();
    });
  }

  replace(path: string, oldContent: string, content: string): Promise<number> {
    return this.#exclusively(async () => {
      const file = await this.#existing(path);
      const { text, replaced } = replaceText(file.content, oldContent, content, this.#limits.maxFileBytes);
      if (replaced > 0) await this.#put(path, text);
      return replaced;
    });
  }

  delete(path: string, ifDirectory: "delete" | "fail", checkBelow?: (path: string) => void): Promise<DeletedCounts> {
    return this.#exclusively(async () => {
      const tree = await this.#load();
      if (ifDirectory === "fail" && tree.isDirectory(path)) throw pathIsDirectory();
      const { files, directories } = tree.within(path);
      if (checkBelow) for (const below of [...files.map((file) => file.path), ...directories]) checkBelow(below);
      const keys = [...files.map((file) => file.path), ...directories.map(directoryKey)];
      if (keys.length > 0) await this.#batch(keys.map((key) => this.#operation(key, null)));
      return { files: files.length, dirs: directories.length };
    });
  }

  write(path: string, content: string, mode: WriteMode): Promise<FileStat> {
    return this.#exclusively(async () => {
      if (await this.#find(path)) {
        if (mode.ifExists === "fail") throw alreadyExists();
        await this.#put(path, content);
      } else {
        await this.#create(path, content, mode.ifMissing === "create");
      }
      return statOf(await this.#existing(path));
    });
  }

  edit(path: string, change: (text: string) => string): Promise<FileStat> {
    return this.#exclusively(async () => {
      await this.#put(path, change((await this.#existing(path)).content));
      return statOf(await this.#existing(path));
    });
  }

  rename(from: string, to: string, checkMoved: (path: string) => void): Promise<void> {
    return this.#exclusively(async () => {
      const tree = await this.#load();
      const { files, directories } = tree.within(from);
      if (files.length === 0 && directories.length === 0) throw fileNotFound();
      if (tree.stat(to)) throw alreadyExists();
      if (parentsOf(to).some((parent) => tree.files.has(parent))) throw parentIsFile();
      const moved = (path: string): string => to + path.slice(from.length);
      const made = [...parentsOf(to).filter((path) => !tree.directories.has(path)), ...directories.map(moved)];
      for (const path of [...files.map((file) => file.path), ...directories]) checkMoved(moved(path));
      await this.#batch([
        ...made.map((path) => this.#operation(directoryKey(path), { directory: true })),
        ...files.map(({ path, content }) => this.#operation(moved(path), { content })),
        ...files.map(({ path }) => this.#operation(path, null)),
        ...directories.map((path) => this.#operation(directoryKey(path), null)),
      ]);
    });
  }

  stat(path: string): Promise<MemoryStat | null> {
    return this.#exclusively(async () => {
      const file = await this.#find(path);
      return file ? statOf(file) : (await this.#load()).stat(path);
    });
  }

  snapshot(): Promise<MemorySnapshot> {
    return this.#exclusively(async () => (await this.#load()).snapshot());
  }

  outline(wanted: Required<OutlineOptions>): Promise<MemoryOutline> {
    return this.#exclusively(async () => (await this.#load()).outline(wanted));
  }

  async #find(path: string): Promise<SnapshotFile | null> {
    if (path === ROOT) return null;
    const item = await this.#orFail("read", () => this.#store.get(this.#namespace, path));
    return item ? fileOf(item) : null;
  }

  async #existing(path: string): Promise<SnapshotFile> {
    return (await this.#find(path)) ?? (await this.#load()).file(path);
  }

  async #append(path: string, content: string, create: boolean): Promise<void> {
    const file = await this.#find(path);
    if (file) await this.#put(path, appendText(file.content, content));
    else await this.#create(path, content, create);
  }

  async #create(path: string, content: string, allowed: boolean): Promise<void> {
    const tree = await this.#load();
    if (tree.isDirectory(path)) throw pathIsDirectory();
    if (!allowed) throw fileNotFound();
    if (parentsOf(path).some((parent) => tree.files.has(parent))) throw parentIsFile();
    const missing = parentsOf(path).filter((parent) => !tree.directories.has(parent));
    await this.#batch([
      ...missing.map((parent) => this.#operation(directoryKey(parent), { directory: true })),
      this.#operation(path, { content }),
    ]);
  }

  async #put(path: string, content: string): Promise<void> {
    const sizeBytes = utf8Bytes(content);
    if (sizeBytes > this.#limits.maxFileBytes) throw fileTooLarge(sizeBytes, this.#limits.maxFileBytes);
    await this.#batch([this.#operation(path, { content })]);
  }

  #operation(key: string, value: PutOperation["value"]): PutOperation {
    return { namespace: this.#namespace, key, value };
  }

  async #batch(operations: PutOperation[]): Promise<void> {
    await this.#orFail("write", () => this.#store.batch(operations));
  }

  async #load(): Promise<MemoryTree> {
    const items: Item[] = [];
    for (;;) {
      const page = { limit: pageSize, offset: items.length };
      const found = await this.#orFail("read", () => this.#store.search(this.#namespace, page));
      items.push(...found);
      if (found.length < pageSize) break;
    }
    const own = items.filter((item) => this.#owns(item));
    return new MemoryTree({
      files: own.filter((item) => !item.key.endsWith("/")).map(fileOf),
      directories: own.filter((item) => item.key.endsWith("/")).map((item) => item.key.slice(0, -1)),
      revision: null,
    });
  }

  /** A search also answers namespaces below this one, and in some stores any whose joined labels begin alike. */
  #owns({ namespace, key }: Item): boolean {
    const isSameNamespace =
      namespace.length === this.#namespace.length &&
      namespace.every((label, index) => label === this.#namespace[index]);
    return isSameNamespace && key.startsWith(ROOT) && key !== ROOT;
  }

  async #orFail<T>(act: "read" | "write", run: () => Promise<T>): Promise<T> {
    this.#call?.throwIfAborted();
    try {
      return await run();
    } catch (cause) {
      const outcome = act === "write" ? "; the outcome is unknown" : "";
      throw new MemoryError("EIO", `EIO: the store failed to ${act}${outcome}`, { cause });
    }
  }

  #exclusively<T>(task: () => Promise<T>): Promise<T> {
    return this.#queue.run(JSON.stringify(this.#namespace), task);
  }
}

const directoryKey = (path: string): string => `${path}/`;

function fileOf({ key, value, createdAt, updatedAt }: Item): SnapshotFile {
  const content: unknown = value["content"];
  if (typeof content !== "string") {
    throw new MemoryError("EIO", `EIO: the stored item ${key} is not a text file: its value has no string "content"`);
  }
  return { kind: "file", path: key, content, sizeBytes: utf8Bytes(content), createdAt, updatedAt };
}

function statOf({ sizeBytes, createdAt, updatedAt }: SnapshotFile): FileStat {
  return { kind: "file", sizeBytes, createdAt, updatedAt };
}
