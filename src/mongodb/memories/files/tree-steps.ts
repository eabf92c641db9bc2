import type { ClientSession } from "mongodb";
import type { CheckedAddress } from "../../../core/values/address.js";
import { alreadyExists, fileNotFound, parentIsFile } from "../../../core/values/errors.js";
import type { DeletedCounts } from "../../../core/memory.js";
import { parentOf, parentsOf, ROOT } from "../../../core/values/paths.js";
import { utf8Bytes } from "../../../core/values/text.js";
import type { ExactCollection } from "../../driver/exact-collection.js";
import { asPlainValues } from "../../driver/plain-values.js";
import {
  childrenOf,
  type IdRange,
  idOfPath,
  memoryKeyOf,
  movedDocument,
  pathOfId,
  placeOfFile,
  rangesBelow,
  rootIdOf,
} from "./document-ids.js";
import { byId, listingIndex, listingProjection } from "./file-indexes.js";
import { refuseElsewhere } from "./elsewhere.js";
import type { IndexedDocument, StoredDirectory, StoredDocument, StoredFile } from "./stored-document.js";
import { newChangeId } from "../change-id.js";

/** A file that is to be made. */
export interface NewFile {
  path: string;
  text: string;
  at: Date;
}

/** What became of it: "exists" where something is at its path already, "parentIsFile" where a file is above it. */
export type Made = "made" | "exists" | "parentIsFile";

interface TreeContext {
  collection: ExactCollection<StoredDocument>;
  /** Whether only memories that have moved here are kept, and none is made. */
  isGuest?: boolean;
}

/** How many documents are moved at a time, and about how many bytes of them. */
const movedBatch = { documents: 1000, bytes: 16_000_000 };

/**
 * The steps of a transaction that change the tree of one memory. Whoever makes something in a directory writes the
 * directory's document, and whoever deletes the directory removes it; so of two such transactions only one can end, and
 * the other is made anew.
 */
export class TreeSteps {
  readonly #context: TreeContext;
  readonly #session: ClientSession;
  readonly #address: CheckedAddress;
  readonly #key: string;

  constructor(context: TreeContext, session: ClientSession, address: CheckedAddress) {
    this.#context = context;
    this.#session = session;
    this.#address = address;
    this.#key = memoryKeyOf(address);
  }

  /** Makes files with the directories that they lack. No path is another one's, or lies below it. */
  async make(files: readonly NewFile[]): Promise<Made[]> {
    const [only] = files;
    if (only !== undefined && files.length === 1) {
      const made = await this.#makeIn(parentOf(only.path), only);
      if (made !== null) return [made];
    }
    const kinds = await this.#kindsOf(files.flatMap(({ path }) => [path, ...parentsOf(path)]));
    const made = files.map(({ path }): Made => {
      if (parentsOf(path).some((parent) => kinds.get(parent) === "file")) return "parentIsFile";
      return kinds.has(path) ? "exists" : "made";
    });
    const wanted = files.filter((_file, index) => made[index] === "made");
    await this.#insertWithParents(
      wanted.map((file) => ({ path: file.path, at: file.at, document: this.#fileOf(file) })),
      kinds,
    );
    return made;
  }

  /** By one command. @returns null, and then nothing was made, where the directory is not there */
  async #makeIn(directory: string, file: NewFile): Promise<Made | null> {
    const { _id, ...fields } = this.#fileOf(file);
    const writes = [
      { updateOne: { filter: { _id: idOfPath(this.#key, directory) }, update: touched(file.at) } },
      { updateOne: { filter: { _id }, update: { $setOnInsert: fields }, upsert: true } },
    ];
    const { modifiedCount, upsertedCount } = await this.#collection.bulkWrite(writes, this.#inSession);
    if (modifiedCount === 1) return upsertedCount === 1 ? "made" : "exists";
    if (upsertedCount === 1) await this.deleteFile(file.path);
    return null;
  }

  /**
   * A missing path counts nothing. The root is emptied, stays and is never counted. `checkBelow` gets the path of
   * everything below a directory.
   */
  async deleteDirectory(path: string, at: Date, checkBelow?: (path: string) => void): Promise<DeletedCounts> {
    if ((path === ROOT && (await this.#isEmpty(ROOT))) || !(await this.#takeDirectory(path, at))) {
      await this.#kindsOf([]);
      return { files: 0, dirs: 0 };
    }
    const ranges = rangesBelow(this.#key, path);
    if (checkBelow !== undefined)
      for await (const { _id } of this.#listed(ranges)) checkBelow(pathOfId(this.#key, _id));
    let files = 0;
    let dirs = path === ROOT ? 0 : 1;
    for (const _id of ranges) {
      files += await this.#collection.deleteMany({ _id, kind: "file" }, this.#inSession);
      dirs += await this.#collection.deleteMany({ _id }, this.#inSession);
    }
    return { files, dirs };
  }

  /** @returns whether nothing lay in it. Where something does, the transaction must not end. */
  async deleteEmptyDirectory(path: string, at: Date): Promise<boolean> {
    if (await this.#takeDirectory(path, at)) return this.#isEmpty(path);
    await this.#kindsOf([]);
    return true;
  }

  /** `checkMoved` gets the new path of everything below a moved directory. @throws ENOENT, EEXIST, ENOTDIR */
  async rename(from: string, to: string, at: Date, checkMoved: (path: string) => void): Promise<void> {
    const kinds = await this.#kindsOf([from, to, ...parentsOf(to)]);
    const kind = kinds.get(from);
    if (kind === undefined) throw fileNotFound();
    if (kinds.has(to)) throw alreadyExists();
    if (parentsOf(to).some((parent) => kinds.get(parent) === "file")) throw parentIsFile();
    const _id = idOfPath(this.#key, from);
    const moved = await this.#collection.findOneAndDelete<StoredDocument>(
      { _id },
      { ...asPlainValues, ...this.#inSession },
    );
    if (moved === null) throw fileNotFound();
    kinds.delete(from);
    await this.#insertWithParents([{ path: to, at, document: movedDocument(this.#key, moved, to) }], kinds);
    if (kind === "dir") await this.#moveBelow(from, to, checkMoved);
  }

  async #moveBelow(from: string, to: string, checkMoved: (path: string) => void): Promise<void> {
    const ranges = rangesBelow(this.#key, from);
    for (const range of ranges) {
      let batch: StoredDocument[] = [];
      let bytes = 0;
      const insert = async (): Promise<void> => {
        await this.#insert(batch);
        batch = [];
        bytes = 0;
      };
      const found = this.#collection.find<StoredDocument>(
        { _id: range },
        { ...asPlainValues, ...this.#inSession, ...byId, batchSize: movedBatch.documents },
      );
      for await (const document of found) {
        const path = to + pathOfId(this.#key, document._id).slice(from.length);
        checkMoved(path);
        batch.push(movedDocument(this.#key, document, path));
        bytes += document.kind === "file" ? document.sizeBytes : 0;
        if (batch.length >= movedBatch.documents || bytes >= movedBatch.bytes) await insert();
      }
      await insert();
    }
    for (const _id of ranges) await this.#collection.deleteMany({ _id }, this.#inSession);
  }

  /** Sets the text of a file, which is made where it is missing. */
  async put(file: NewFile): Promise<"made" | "set" | "directory" | "parentIsFile"> {
    const _id = idOfPath(this.#key, file.path);
    const fields = { text: file.text, textId: newChangeId(), sizeBytes: utf8Bytes(file.text), updatedAt: file.at };
    const { matchedCount } = await this.#collection.updateOne(
      { _id, kind: "file" },
      { $set: fields },
      { ...this.#inSession, ...byId },
    );
    if (matchedCount === 1) return "set";
    const [made = "made"] = await this.make([file]);
    return made === "exists" ? "directory" : made;
  }

  /**
   * Marks the memory with the id of an approved change. A deleted or moved directory does not take the root with it.
   */
  async mark(id: string): Promise<void> {
    await this.#collection.updateOne(
      { _id: rootIdOf(this.#key) },
      { $set: { [`applied.${id}`]: true } },
      { ...this.#inSession, ...byId },
    );
  }

  async deleteFile(path: string): Promise<void> {
    await this.#collection.deleteOne({ _id: idOfPath(this.#key, path), kind: "file" }, { ...this.#inSession, ...byId });
  }

  /** Writes the root, so that of two transactions that do so only one can end. */
  async touchRoot(at: Date): Promise<void> {
    await this.#touch(ROOT, at);
  }

  /** Removes a directory's own document, or writes it if it is the root. @returns whether it was there */
  async #takeDirectory(path: string, at: Date): Promise<boolean> {
    if (path === ROOT) return this.#touch(ROOT, at);
    const filter = { _id: idOfPath(this.#key, path), kind: "dir" };
    return (
      (await this.#collection.findOneAndDelete(filter, { projection: { _id: 1 }, ...this.#inSession, ...byId })) !==
      null
    );
  }

  async #isEmpty(path: string): Promise<boolean> {
    return (
      (await this.#collection.findOne(
        { _id: childrenOf(this.#key, path) },
        { projection: { _id: 1 }, ...this.#inSession, ...byId },
      )) === null
    );
  }

  /** @returns whether it is a directory */
  async #touch(path: string, at: Date): Promise<boolean> {
    return (
      (await this.#collection.updateOne({ _id: idOfPath(this.#key, path) }, touched(at), this.#inSession))
        .modifiedCount === 1
    );
  }

  /** Missing parents are made; one that is there is written. */
  async #insertWithParents(
    wanted: readonly { path: string; at: Date; document: StoredDocument }[],
    kinds: Map<string, "file" | "dir">,
  ): Promise<void> {
    const [first] = wanted;
    if (first === undefined) return;
    const present = new Set<string>();
    const missing = new Map<string, Date>();
    for (const { path, at } of wanted) {
      let parent = parentOf(path);
      for (; !kinds.has(parent) && !missing.has(parent); parent = parentOf(parent)) {
        missing.set(parent, at);
        if (parent === ROOT) break;
      }
      if (kinds.has(parent)) present.add(parent);
    }
    const ids = Array.from(present, (path) => idOfPath(this.#key, path));
    if (ids.length > 0)
      await this.#collection.updateMany({ _id: { $in: ids } }, touched(first.at), { ...this.#inSession, ...byId });
    await this.#insert([
      ...Array.from(missing, ([path, at]) => this.#directoryOf(path, at)),
      ...wanted.map(({ document }) => document),
    ]);
  }

  /** What is at these paths, and whether the root is there. @throws movedAway, notHere */
  async #kindsOf(paths: readonly string[]): Promise<Map<string, "file" | "dir">> {
    const ids = Array.from(new Set([ROOT, ...paths]), (path) => idOfPath(this.#key, path));
    const kinds = new Map<string, "file" | "dir">();
    const options = {
      projection: listingProjection,
      ...byId,
      batchSize: ids.length + 1,
      ...asPlainValues,
      ...this.#inSession,
    };
    const found = this.#collection.find<IndexedDocument>({ _id: { $in: ids } }, options);
    for await (const { _id, kind } of found) kinds.set(pathOfId(this.#key, _id), kind);
    const root = kinds.get(ROOT);
    refuseElsewhere(this.#context, root && { kind: root });
    return kinds;
  }

  async *#listed(ranges: readonly IdRange[]): AsyncGenerator<IndexedDocument> {
    const options = { projection: listingProjection, hint: listingIndex.name, ...asPlainValues, ...this.#inSession };
    for (const _id of ranges) yield* this.#collection.find<IndexedDocument>({ _id }, options);
  }

  async #insert(documents: readonly StoredDocument[]): Promise<void> {
    if (documents.length > 0) await this.#collection.insertMany(documents, this.#inSession);
  }

  #fileOf({ path, text, at }: NewFile): StoredFile {
    return {
      ...placeOfFile(this.#key, path),
      kind: "file",
      text,
      textId: newChangeId(),
      sizeBytes: utf8Bytes(text),
      createdAt: at,
      updatedAt: at,
    };
  }

  #directoryOf(path: string, at: Date): StoredDirectory {
    const directory = { kind: "dir", made: 1, createdAt: at, updatedAt: at } as const;
    if (path === ROOT) return { _id: rootIdOf(this.#key), ...directory, ...this.#address };
    return { _id: idOfPath(this.#key, path), ...directory };
  }

  get #collection(): ExactCollection<StoredDocument> {
    return this.#context.collection;
  }

  get #inSession(): { session: ClientSession } {
    return { session: this.#session };
  }
}

/**
 * What is no directory stays, and counts as not modified: a filter of the `_id` alone is what the server finds without
 * planning.
 */
function touched(at: Date): object[] {
  const changed = {
    $mergeObjects: ["$$ROOT", { made: { $add: ["$made", 1] }, updatedAt: { $max: ["$updatedAt", at] } }],
  };
  return [{ $replaceWith: { $cond: [{ $eq: ["$kind", "dir"] }, changed, "$$ROOT"] } }];
}
