import { createUnlimitedCall } from "../../../core/runtime/call.js";
import type { ClientSession, Collection, MongoClient } from "mongodb";
import type { CheckedAddress } from "../../../core/values/address.js";
import { MemoryError } from "../../../core/values/errors.js";
import type { SnapshotFile } from "../../../core/memory.js";
import { ROOT } from "../../../core/values/paths.js";
import { ExactCollection } from "../../driver/exact-collection.js";
import { asPlainValues } from "../../driver/plain-values.js";
import { reading } from "../../driver/reads.js";
import { isMomentGone, readAtOneMoment } from "../../driver/snapshot-reads.js";
import type { MemoryMoment } from "../memory-moment.js";
import {
  idOfPath,
  type IndexedDocument,
  isMark,
  getMemoryKey,
  pathOfId,
  rangeOfMemory,
  getRootId,
  type StoredDocument,
  type StoredFile,
  type StoredRoot,
  type TextIdDocument,
} from "./documents.js";
import { byId, listingProjection, textIdProjection } from "./file-indexes.js";

/** How many documents one batch contains. The server also ends a batch at 16 MB. */
const batchSize = 1000;

/** Returns null if the memory has moved to the other layout. @throws MemoryError EIO */
export function openSnapshot(
  client: MongoClient,
  collection: Collection<StoredDocument>,
  address: CheckedAddress,
): Promise<MemoryMoment | null> {
  return reading(() =>
    FilesSnapshot.open(client, new ExactCollection(collection), address, (moment, root) =>
      isMark(root) ? null : moment,
    ),
  );
}

/** The fields of the root that a snapshot reads. */
export type ListedRoot = Pick<StoredRoot, "_id" | "kind" | "history">;

interface ListedFile {
  path: string;
  sizeBytes: number;
  /** Undefined in a document of another program. */
  textId: string | undefined;
}

/** Lists the memory first. All reads use one session, and so one point in time. */
export class FilesSnapshot implements MemoryMoment {
  readonly directories: string[] = [];
  readonly #client: MongoClient;
  readonly #collection: ExactCollection<StoredDocument>;
  readonly #key: string;
  /** Texts are read after the call that opened the snapshot, so no call aborts the reads. */
  readonly #call = createUnlimitedCall();
  readonly #listed = new Map<string, ListedFile>();
  #session: ClientSession | null = null;

  private constructor(client: MongoClient, collection: ExactCollection<StoredDocument>, key: string) {
    this.#client = client;
    this.#collection = collection;
    this.#key = key;
  }

  /** Opens a snapshot. Closes it again if `use` returns null or throws. */
  static async open<T>(
    client: MongoClient,
    collection: ExactCollection<StoredDocument>,
    address: CheckedAddress,
    use: (moment: FilesSnapshot, root: ListedRoot | null) => Promise<T | null> | T | null,
  ): Promise<T | null> {
    const moment = new FilesSnapshot(client, collection, getMemoryKey(address));
    let used: T | null = null;
    try {
      used = await use(moment, await moment.#list());
    } finally {
      if (used === null) await moment.close();
    }
    return used;
  }

  get files(): ListedFile[] {
    return [...this.#listed.values()];
  }

  /**
   * Lists the memory. Uses no hint, so that a memory without its index of listings can still be archived; if the index
   * exists, the server reads only the index.
   * @returns the root
   */
  #list(): Promise<ListedRoot | null> {
    const options = { ...asPlainValues, projection: { ...listingProjection, ...textIdProjection }, batchSize };
    return this.#atNewMoment(async (session) => {
      this.#listed.clear();
      this.directories.length = 0;
      const found = this.#collection.find<IndexedDocument & TextIdDocument>(
        { _id: rangeOfMemory(this.#key) },
        { ...options, session },
        this.#call,
      );
      for await (const { _id, kind, sizeBytes = 0, textId } of found) {
        const path = pathOfId(this.#key, _id);
        if (kind === "file") this.#listed.set(path, { path, sizeBytes, textId: textId ?? undefined });
        else if (path !== ROOT) this.directories.push(path);
      }
      return this.#collection.findOne<ListedRoot>(
        { _id: getRootId(this.#key) },
        { ...asPlainValues, projection: { kind: 1, history: 1 }, session },
        this.#call,
      );
    });
  }

  read(paths: readonly string[]): Promise<SnapshotFile[]> {
    return reading(async () => {
      const documents = await this.#atMoment((session) => this.#filesAt(paths, session));
      const found = new Map(documents.map((document) => [pathOfId(this.#key, document._id), document]));
      const changed = paths.find(
        (path) => !found.has(path) || found.get(path)?.textId !== this.#listed.get(path)?.textId,
      );
      if (changed !== undefined) throw changedSince(changed);
      return Array.from(found, ([path, { kind, text: content, sizeBytes, createdAt, updatedAt }]) => ({
        path,
        kind,
        content,
        sizeBytes,
        createdAt,
        updatedAt,
      }));
    });
  }

  async close(): Promise<void> {
    const session = this.#session;
    this.#session = null;
    await session?.endSession();
  }

  async #filesAt(paths: readonly string[], session: ClientSession): Promise<StoredFile[]> {
    const filter = { _id: { $in: paths.map((path) => idOfPath(this.#key, path)) } };
    const found = await this.#collection
      .find<StoredDocument>(filter, { ...asPlainValues, ...byId, batchSize, session }, this.#call)
      .toArray();
    return found.filter((document) => document.kind === "file");
  }

  /**
   * Continues at a later point in time if the server no longer has the first: unchanged documents are the same there.
   */
  async #atMoment<T>(read: (session: ClientSession) => Promise<T>): Promise<T> {
    if (this.#session === null) throw new MemoryError("EIO", "EIO: the memory is no longer read");
    try {
      return await read(this.#session);
    } catch (error) {
      if (!isMomentGone(error)) throw error;
      return this.#atNewMoment(read);
    }
  }

  #atNewMoment<T>(read: (session: ClientSession) => Promise<T>): Promise<T> {
    return readAtOneMoment(async () => {
      await this.close();
      const session = this.#client.startSession({ snapshot: true });
      this.#session = session;
      return read(session);
    });
  }
}

function changedSince(path: string): MemoryError {
  const reason =
    "it was changed while the memory was read, and the server no longer has the moment before (it keeps one for minSnapshotHistoryWindowInSeconds)";
  return new MemoryError("ECONFLICT", `ECONFLICT: ${path}: ${reason}`);
}
