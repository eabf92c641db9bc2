import { type Change, change, isDirectory, isLegacy, type Status } from "./one-document/change.js";
import { filterOf, keyOf } from "./one-document/document.js";
import { storageError } from "../driver/errors.js";
import {
  entriesWhere,
  type Expression,
  firstOf,
  isText,
  keyIsWithin,
  valueAt,
  withoutKey,
} from "./one-document/expressions.js";
import { MongoBackend } from "./one-document/one-document-backend.js";
import type { MongoMemoryContext } from "./one-document/stored-document.js";
import type { CheckedAddress } from "../../core/address.js";
import { CheckedMemory } from "../../core/checked-memory.js";
import { memoryDefaults } from "../../core/options.js";
import { compareCodeUnits } from "../../core/text.js";
import { directoryNotEmpty, emptyDocumentBytes, ExpectedMemory } from "./one-document/expected-document.js";
import { memoryReadOptions } from "./one-document/found-documents.js";
import { type CheckedOperation, groupedByMemory, type MemoryPlace } from "../places/operations.js";

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
   * Refuses what the memories as they are now would refuse, so that a batch is refused as a whole. Only a change by
   * someone else in between can still stop it half-way.
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
    const { address } = first.place;
    const outline = await this.#backend(address).outline(0);
    const expected = new ExpectedMemory(outline, await this.#documentBytes(address), memoryOptions);
    for (const { place, ...write } of inOrder(writes)) {
      if (place.path === null) continue;
      if (write.kind === "putMemory") expected.put(place.path, write.content);
      else if (place.kind === "file") expected.deleteFile(place.path);
      else expected.deleteDirectory(place.path);
    }
  }

  async #documentBytes(address: CheckedAddress): Promise<number> {
    try {
      const projection = { _id: 0, sizeBytes: { $bsonSize: "$$ROOT" } };
      const found = await this.#context.collection.findOne<{ sizeBytes: number }>(filterOf(address) as object, {
        ...memoryReadOptions,
        projection,
      });
      return found?.sizeBytes ?? emptyDocumentBytes(address);
    } catch (error) {
      throw storageError(error, "read", memoryOptions.maxMemoryBytes);
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
    await backend.delete(path, "delete");
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
