import { type Change, change, isDirectory, isLegacy, type Status } from "../backends/mongodb/change.js";
import { filterOf, keyOf } from "../backends/mongodb/document.js";
import { storageError } from "../backends/mongodb/errors.js";
import {
  entriesWhere,
  type Expression,
  firstOf,
  isText,
  keyIsWithin,
  valueAt,
  withoutKey,
} from "../backends/mongodb/expressions.js";
import { MongoBackend } from "../backends/mongodb/mongo-backend.js";
import type { MongoMemoryContext } from "../backends/mongodb/stored-document.js";
import type { CheckedAddress } from "../core/address.js";
import { CheckedMemory } from "../core/checked-memory.js";
import { fileTooLarge, invalid, parentIsFile, pathIsDirectory } from "../core/errors.js";
import { memoryDefaults } from "../core/options.js";
import { creationFault, parentsOf, prefixOf } from "../core/paths.js";
import { compareCodeUnits, utf8Bytes } from "../core/text.js";
import { memoryReadOptions } from "./memory-documents.js";
import { type CheckedOperation, groupedByMemory, type MemoryPlace } from "./operations.js";

export type MemoryWrite = Extract<CheckedOperation, { kind: "putMemory" | "deleteMemory" }>;

/** The freer rule, so that what any memory holds can be put. */
const memoryOptions = { ...memoryDefaults, paths: "posix" } as const;

/** Puts and deletes of a memory's files through the store. A put is a `write` of the memory; no delete is recursive. */
export class MemoryWrites {
  readonly #context: MongoMemoryContext;

  constructor(context: MongoMemoryContext) {
    this.#context = context;
  }

  /**
   * Refuses what the memories as they are now would refuse, so that a batch is refused as a whole. A change by someone
   * else in between, or a memory over its limit, can still stop it half-way.
   */
  async check(writes: readonly MemoryWrite[]): Promise<void> {
    const places = writes.map((write) => ({ ...write, namespace: write.place.namespace }));
    await Promise.all(Array.from(groupedByMemory(places).values(), (ofMemory) => this.#checkOneMemory(ofMemory)));
  }

  /** Each place at most once. Deletes come first, files before directories, so that the order of a batch never matters. */
  async write(writes: readonly MemoryWrite[]): Promise<void> {
    for (const write of inOrder(writes)) {
      if (write.kind === "putMemory") await this.#put(write.place, write.content);
      else await this.#delete(write.place);
    }
  }

  async #checkOneMemory(writes: readonly MemoryWrite[]): Promise<void> {
    const [first] = writes;
    if (first === undefined) return;
    const outline = await this.#backend(first.place.address).outline(0);
    const files = new Set(outline.files.map((file) => file.path));
    const directories = new Set(outline.directories);
    for (const write of inOrder(writes)) {
      const { path, kind } = write.place;
      if (path === null) continue;
      if (write.kind === "putMemory") {
        checkPut(path, write.content, files, directories);
        files.add(path);
        for (const parent of parentsOf(path)) directories.add(parent);
      } else if (kind === "file") {
        files.delete(path);
      } else {
        const isBelow = (other: string): boolean => other.startsWith(prefixOf(path));
        if (directories.has(path) && [...files, ...directories].some(isBelow)) throw directoryNotEmpty();
        directories.delete(path);
      }
    }
  }

  async #put({ address, path }: MemoryPlace, content: string): Promise<void> {
    if (path !== null) await new CheckedMemory(this.#backend(address), address, memoryOptions).write(path, content);
  }

  async #delete({ address, path, kind }: MemoryPlace): Promise<void> {
    if (path === null) return;
    const build = kind === "file" ? fileDeletion : directoryDeletion;
    const status = await this.#change(address, build(path, this.#context.clock()));
    if (status === "legacy") await this.#deleteInLegacy(address, path, kind);
    if (status === "exists") throw directoryNotEmpty();
  }

  /** Documents of the earlier system are rewritten by their first change, which this is. */
  async #deleteInLegacy(address: CheckedAddress, path: string, kind: MemoryPlace["kind"]): Promise<void> {
    const backend = this.#backend(address);
    if ((await backend.stat(path))?.kind !== kind) return;
    if (kind === "dir" && (await backend.list(path)).length > 0) throw directoryNotEmpty();
    await backend.delete(path);
  }

  async #change(address: CheckedAddress, { pipeline, projection }: Change): Promise<Status> {
    try {
      await this.#context.ready();
      const report = await this.#context.collection.findOneAndUpdate(filterOf(address) as object, pipeline, {
        ...memoryReadOptions,
        projection,
        returnDocument: "before",
        includeResultMetadata: false,
      });
      return (report as { status: Status } | null)?.status ?? "missing";
    } catch (error) {
      throw storageError(error, "write", memoryOptions.maxMemoryBytes);
    }
  }

  #backend(address: CheckedAddress): MongoBackend {
    return new MongoBackend(this.#context, address, memoryOptions);
  }
}

const isPut = ({ kind }: MemoryWrite): boolean => kind === "putMemory";
const isOfDirectory = ({ place }: MemoryWrite): boolean => place.kind === "dir";

function inOrder(writes: readonly MemoryWrite[]): MemoryWrite[] {
  const deepestFirst = (a: MemoryWrite, b: MemoryWrite): number => -compareCodeUnits(a.place.key, b.place.key);
  const deletes = writes.filter((write) => !isPut(write));
  return [
    ...deletes.filter((write) => !isOfDirectory(write)),
    ...deletes.filter(isOfDirectory).toSorted(deepestFirst),
    ...writes.filter(isPut),
  ];
}

function checkPut(path: string, content: string, files: ReadonlySet<string>, directories: ReadonlySet<string>): void {
  const sizeBytes = utf8Bytes(content);
  if (sizeBytes > memoryOptions.maxFileBytes) throw fileTooLarge(sizeBytes, memoryOptions.maxFileBytes);
  if (files.has(path)) return;
  if (directories.has(path)) throw pathIsDirectory();
  const fault = creationFault(path, memoryOptions.paths);
  if (fault) throw fault;
  if (parentsOf(path).some((parent) => files.has(parent))) throw parentIsFile();
}

function directoryNotEmpty(): Error {
  return invalid("the directory is not empty: delete its items first, or use delete of the memory itself");
}

function fileDeletion(path: string, now: Date): Change {
  const key = keyOf(path);
  const status = firstOf(
    [
      [isLegacy, "legacy"],
      [isText(valueAt("$data", key)), "ok"],
    ],
    "missing",
  );
  return change(status, { data: withoutKey("$data", key), meta: withoutKey("$meta", key) }, now, {});
}

/** "exists" says that something lies in the directory. */
function directoryDeletion(path: string, now: Date): Change {
  const key = keyOf(path);
  const within = (record: Expression): Expression => ({ $size: entriesWhere(record, keyIsWithin(key)) });
  const status = firstOf(
    [
      [isLegacy, "legacy"],
      [{ $not: [isDirectory(path)] }, "missing"],
      [{ $gt: [{ $add: [within("$data"), within("$dirs")] }, 1] }, "exists"],
    ],
    "ok",
  );
  return change(status, { dirs: withoutKey("$dirs", key) }, now, {});
}
