import type { BaseStore, Item, PutOperation } from "@langchain/langgraph-checkpoint";
import type { BackendLimits, MemoryBackend } from "../core/contract/backend.js";
import type { MemoryEntry, MemoryOutline, MemorySnapshot, MemoryStat, OutlineOptions } from "../core/memory.js";
import type { CallContext } from "../core/runtime/call.js";
import { KeyedMutex } from "../core/runtime/keyed-mutex.js";
import { applyChange } from "../core/tree/apply-change.js";
import type { Change, ChangeOptions, ChangeResult } from "../core/tree/change.js";
import { MemoryTree, type TreeEdits } from "../core/tree/memory-tree.js";
import type { FileStat, SnapshotFile } from "../core/tree/snapshot.js";
import { MemoryError, storageFailed } from "../core/values/errors.js";
import { ROOT } from "../core/values/paths.js";
import { utf8Bytes } from "../core/values/text.js";

const pageSize = 1000;

/** One queue of calls for each memory of each store, however many backends are opened on it. */
const queues = new WeakMap<BaseStore, KeyedMutex>();

/**
 * A memory in any LangGraph BaseStore. A file is the item `{ content }` under its path. A directory is the item
 * `{ directory: true }` under its path and a `/` (specification section 6). Calls on one memory run one after the other
 * inside this process. A generic store offers no protection across processes.
 */
export class BaseStoreBackend implements MemoryBackend {
  readonly features: { readonly storage: object };
  readonly #store: BaseStore;
  readonly #namespace: string[];
  readonly #limits: BackendLimits;
  readonly #queue: KeyedMutex;

  constructor(store: BaseStore, namespace: string[], limits: BackendLimits) {
    this.features = { storage: store };
    this.#store = store;
    this.#namespace = namespace;
    this.#limits = limits;
    this.#queue = queues.get(store) ?? new KeyedMutex();
    queues.set(store, this.#queue);
  }

  read(path: string, call: CallContext): Promise<string> {
    return this.#exclusively(
      call,
      async () => ((await this.#find(path, call)) ?? (await this.#load(call)).file(path)).content,
    );
  }

  list(path: string, call: CallContext): Promise<MemoryEntry[]> {
    return this.#exclusively(call, async () => (await this.#load(call)).list(path));
  }

  stat(path: string, call: CallContext): Promise<MemoryStat | null> {
    return this.#exclusively(call, async () => {
      const file = await this.#find(path, call);
      return file ? getStat(file) : (await this.#load(call)).stat(path);
    });
  }

  snapshot(call: CallContext): Promise<MemorySnapshot> {
    return this.#exclusively(call, async () => (await this.#load(call)).snapshot());
  }

  outline(options: Required<OutlineOptions>, call: CallContext): Promise<MemoryOutline> {
    return this.#exclusively(call, async () => (await this.#load(call)).outline(options));
  }

  change(change: Change, options: ChangeOptions, call: CallContext): Promise<ChangeResult> {
    return this.#exclusively(call, async () => {
      const tree = await this.#loadFor(change, call);
      const settings = { now: new Date(), maxFileBytes: this.#limits.maxFileBytes };
      const { edits, result } = applyChange(tree, change, settings, options);
      await this.#save(tree, edits, call);
      if (change.type !== "write" && change.type !== "edit") return result;
      // The store sets the times of its items.
      const stored = await this.#find(change.path, call);
      return { ...result, file: stored && getStat(stored) };
    });
  }

  async #find(path: string, call: CallContext): Promise<SnapshotFile | null> {
    if (path === ROOT) return null;
    const item = await this.#orFail("read", call, () => this.#store.get(this.#namespace, path));
    return item ? createFile(item) : null;
  }

  /** Loads only the file if the change is one of an existing text, and otherwise the whole memory. */
  async #loadFor(change: Change, call: CallContext): Promise<MemoryTree> {
    if (change.type !== "delete" && change.type !== "rename") {
      const file = await this.#find(change.path, call);
      if (file !== null) return new MemoryTree({ files: [file] });
    }
    return this.#load(call);
  }

  async #save(tree: MemoryTree, { removed, moved, directories, files }: TreeEdits, call: CallContext): Promise<void> {
    const gone = [...removed, ...moved.map(({ path }) => path)];
    const put = (key: string, value: PutOperation["value"]): PutOperation => ({
      namespace: this.#namespace,
      key,
      value,
    });
    const putMoved = ({ path, to }: { path: string; to: string }): PutOperation => {
      const content = tree.files.get(path)?.content;
      return content === undefined ? put(getDirectoryKey(to), { directory: true }) : put(to, { content });
    };
    const operations = [
      ...directories.map((path) => put(getDirectoryKey(path), { directory: true })),
      ...moved.map(putMoved),
      ...files.map(({ path, content }) => put(path, { content })),
      ...gone.map((path) => put(tree.files.has(path) ? path : getDirectoryKey(path), null)),
    ];
    if (operations.length > 0) await this.#orFail("write", call, () => this.#store.batch(operations));
  }

  async #load(call: CallContext): Promise<MemoryTree> {
    const items: Item[] = [];
    for (;;) {
      const page = { limit: pageSize, offset: items.length };
      const found = await this.#orFail("read", call, () => this.#store.search(this.#namespace, page));
      items.push(...found);
      if (found.length < pageSize) break;
    }
    const own = items.filter((item) => this.#owns(item));
    return new MemoryTree({
      files: own.filter((item) => !item.key.endsWith("/")).map(createFile),
      directories: own.filter((item) => item.key.endsWith("/")).map((item) => item.key.slice(0, -1)),
      revision: null,
    });
  }

  /**
   * Whether an item belongs to this memory. A search also returns items of namespaces below this one, and in some
   * stores items of any namespace whose joined labels begin alike.
   */
  #owns({ namespace, key }: Item): boolean {
    const isSameNamespace =
      namespace.length === this.#namespace.length &&
      namespace.every((label, index) => label === this.#namespace[index]);
    return isSameNamespace && key.startsWith(ROOT) && key !== ROOT;
  }

  async #orFail<T>(act: "read" | "write", call: CallContext, run: () => Promise<T>): Promise<T> {
    call.throwIfAborted();
    try {
      return await run();
    } catch (cause) {
      throw storageFailed(`EIO: the store failed to ${act}`, act === "write", cause);
    }
  }

  #exclusively<T>(call: CallContext, task: () => Promise<T>): Promise<T> {
    return this.#queue.run(JSON.stringify(this.#namespace), task, call);
  }
}

function getDirectoryKey(path: string): string {
  return `${path}/`;
}

function createFile({ key, value, createdAt, updatedAt }: Item): SnapshotFile {
  const content: unknown = value["content"];
  if (typeof content !== "string") {
    throw new MemoryError("EIO", `EIO: the stored item ${key} is not a text file: its value has no string "content"`);
  }
  return { kind: "file", path: key, content, sizeBytes: utf8Bytes(content), createdAt, updatedAt };
}

function getStat({ sizeBytes, createdAt, updatedAt }: SnapshotFile): FileStat {
  return { kind: "file", sizeBytes, createdAt, updatedAt };
}
