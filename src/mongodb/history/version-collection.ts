import type { ClientSession, FindCursor, IndexDescription } from "mongodb";
import type { CallContext } from "../../core/runtime/call.js";
import { createIndexes } from "../driver/create-indexes.js";
import { storageError } from "../driver/errors.js";
import type { ExactCollection } from "../driver/exact-collection.js";
import { reading, streamingBatches } from "../driver/reads.js";
import type { SnapshotOptions } from "../driver/snapshot-reads.js";
import type { Head } from "./outbox.js";
import { type Redaction, writeRedactions } from "./redaction/write-redactions.js";
import {
  type CoverMark,
  versionIdRange,
  type OwnerDocument,
  getPublicId,
  storedId,
  type VersionDocument,
} from "./version-document.js";

export type StoredVersion = VersionDocument | OwnerDocument;

/** The limits of the kept versions, if there are any. The last version of each path always stays. */
export interface Retention {
  keepVersions?: number | undefined;
  keepMs?: number | undefined;
}

export interface FindVersionsOptions {
  limit?: number;
  hint?: string;
  /** Replaces the order by ids. */
  sort?: Record<string, 1 | -1>;
  projection?: { older: 0 };
  /** The snapshot to read. @default the present */
  moment?: SnapshotOptions;
}

/** A path, and the range of ids in which its last version is searched. */
export interface VersionPlace {
  path: string;
  ids: object;
}

/** Returns a partial filter. A sparse index would contain every document, because each has an id. */
const having = (field: string): object => ({ [field]: { $exists: true } });

/** The collection is always separate from the memories. */
export function versionsCollectionName(memoriesCollection: string): string {
  return `${memoriesCollection}_versions`;
}

const ownerIndexes: (IndexDescription & { name: string })[] = [
  {
    name: "owners_by_node",
    key: { nodeId: 1, scope: 1, threadId: 1, userId: 1 },
    partialFilterExpression: having("nodeId"),
  },
  { name: "owners_by_thread", key: { threadId: 1 }, partialFilterExpression: having("threadId") },
  { name: "owners_by_user", key: { userId: 1 }, partialFilterExpression: having("userId") },
];

const actorIndexes: (IndexDescription & { name: string })[] = [
  ["actor.userId", "by_actor_user"],
  ["actor.threadId", "by_actor_thread"],
  ["actor.runId", "by_actor_run"],
  ["actor.toolCallId", "by_actor_call"],
  ["redactedBy.userId", "by_redactor_user"],
  ["redactedBy.threadId", "by_redactor_thread"],
].map(([field = "", name = ""]) => ({ name, key: { [field]: 1, _id: 1 }, partialFilterExpression: having(field) }));

export const versionIndexes: (IndexDescription & { name: string })[] = [
  { name: "by_file", key: { file: 1, _id: 1 }, partialFilterExpression: having("file") },
  { name: "by_path", key: { path: 1, _id: 1 }, partialFilterExpression: having("path") },
  { name: "by_former_path", key: { from: 1, _id: 1 }, partialFilterExpression: having("from") },
  { name: "by_source", key: { sources: 1, _id: 1 }, partialFilterExpression: having("sources") },
  ...ownerIndexes,
  ...actorIndexes,
  { name: "expire_versions", key: { expiresAt: 1 }, expireAfterSeconds: 0, sparse: true },
  { name: "drop_versions", key: { dropAt: 1 }, expireAfterSeconds: 0, sparse: true },
];

/** Versions have a few hundred bytes each, unless they contain whole texts. The server also ends a batch at 16 MB. */
const batchSize = 2000;

/** Reason: the server closes a cursor that is unused for 10 minutes, while the versions of a batch are removed. */
const ownersAtOnce = 100;

/** The most paths that one command searches for. */
const maxPathsPerCommand = 100;
const maxMarksPerCommand = 10_000;

/** The versions of all memories that have left the documents of the memories. */
export class VersionCollection {
  readonly #collection: ExactCollection<StoredVersion>;
  readonly #retention: Retention;
  readonly #clock: () => Date;

  constructor(collection: ExactCollection<StoredVersion>, retention: Retention, clock: () => Date) {
    this.#collection = collection;
    this.#retention = retention;
    this.#clock = clock;
  }

  /** @param option the option that names the collection. @throws MemoryError EIO */
  makeIndexes(option: string): Promise<void> {
    return createIndexes(this.#collection, versionIndexes, "the history", option);
  }

  /** Reads the last version of each place. */
  async heads(places: readonly VersionPlace[], call: CallContext): Promise<Map<string, Head>> {
    const heads = new Map<string, Head>();
    for (const some of split(places, maxPathsPerCommand)) {
      const found = await this.#findLast(some, 0, call);
      for (const { path, operation, file, ...document } of found) {
        const id = getPublicId(document);
        if (path !== undefined) heads.set(path, { id, file: file ?? id, gone: operation === "deleted" });
      }
    }
    return heads;
  }

  /**
   * Inserts versions and the document that names their owner, which is there before and after them. Reason: if the
   * memory is forgotten meanwhile, `remove` may delete that document between two versions.
   */
  insert(owner: OwnerDocument, versions: readonly VersionDocument[], call: CallContext): Promise<void> {
    return this.#collection.insertMissing([owner, ...versions, owner], call);
  }

  /** Inserts versions as a part of a transaction, which an existing id must not end. */
  async insertWithin(
    session: ClientSession,
    { owner, versions }: { owner: OwnerDocument; versions: readonly VersionDocument[] },
    call: CallContext,
  ): Promise<void> {
    const writes = [owner, ...versions].map(({ _id, ...fields }) => ({
      updateOne: { filter: { _id }, update: { $setOnInsert: fields }, upsert: true },
    }));
    await this.#collection.bulkWrite(writes, call, { session });
  }

  /** Reads versions, newest first. */
  async *find(filter: object, options: FindVersionsOptions, call: CallContext): AsyncGenerator<VersionDocument> {
    for await (const batch of streamingBatches(async () => this.#found(filter, options, call))) yield* batch;
  }

  /** Finds the files of the versions in a range of ids, each with the id of its last version there. */
  files(ids: object, call: CallContext): Promise<{ file: string; last: string }[]> {
    const match = { $match: { _id: ids, dropAt: { $not: { $lte: this.#clock() } }, file: { $exists: true } } };
    const group = { $group: { _id: "$file", last: { $max: "$_id" } } };
    const pipeline = [match, group, { $project: { _id: 0, file: "$_id", last: 1 } }];
    return reading(() =>
      this.#collection.aggregate<{ file: string; last: string }>(pipeline, call, { hint: "_id_" }).toArray(),
    );
  }

  /** Finds all versions at once: a stream takes a turn of the event loop for each. */
  findAll(filter: object, options: FindVersionsOptions, call: CallContext): Promise<VersionDocument[]> {
    return reading(() => this.#found(filter, options, call).toArray());
  }

  /** Finds versions in a snapshot, oldest first. */
  findMoved(ids: object, moment: SnapshotOptions, call: CallContext): Promise<VersionDocument[]> {
    return this.#found({ _id: ids }, { sort: { _id: 1 }, moment }, call).toArray();
  }

  /** Leaves out versions that MongoDB has yet to delete. */
  #found(filter: object, options: FindVersionsOptions, call: CallContext): FindCursor<VersionDocument> {
    const kept = { ...filter, dropAt: { $not: { $lte: this.#clock() } } };
    const { moment, ...rest } = options;
    const all = { sort: { _id: -1 }, batchSize, ...rest, ...moment } as const;
    return this.#collection.find<VersionDocument>(kept, call, all);
  }

  /** Removes versions of these paths that need not be kept. */
  async applyRetention(memory: string, paths: readonly string[], call: CallContext): Promise<void> {
    const { keepVersions, keepMs } = this.#retention;
    const ids = versionIdRange(memory);
    for (const some of split(
      [...new Set(paths)].map((path) => ({ path, ids })),
      maxPathsPerCommand,
    )) {
      if (keepVersions !== undefined) {
        const last = await this.#findLast(some, keepVersions, call);
        const dropped = last.map(({ path, _id }) => ({ path, _id: { ...ids, $lte: _id } }));
        if (dropped.length > 0) await this.#collection.deleteMany({ $or: dropped }, call);
      }
      if (keepMs !== undefined) {
        const last = await this.#findLast(some, 1, call);
        const replaced = last.map(({ path, _id }) => ({
          path,
          _id: { ...ids, $lte: _id },
          dropAt: { $exists: false },
        }));
        if (replaced.length > 0)
          await this.#collection.updateMany({ $or: replaced }, [{ $set: { dropAt: { $add: ["$at", keepMs] } } }], call);
      }
    }
  }

  /** Finds the last version at each place, after skipping `skip` versions. */
  async #findLast(
    places: readonly VersionPlace[],
    skip: number,
    call: CallContext,
  ): Promise<Pick<VersionDocument, "_id" | "path" | "operation" | "file">[]> {
    const [first, ...others] = places.map(({ path, ids }): object[] => [
      { $match: { path, _id: ids } },
      { $sort: { path: 1, _id: -1 } },
      ...(skip > 0 ? [{ $skip: skip }] : []),
      { $limit: 1 },
      { $project: { path: 1, operation: 1, file: 1 } },
    ]);
    if (first === undefined) return [];
    const pipeline = [
      ...first,
      ...others.map((other) => ({ $unionWith: { coll: this.#collection.name, pipeline: other } })),
    ];
    return reading(() => this.#collection.aggregate<VersionDocument>(pipeline, call).toArray());
  }

  /** Keeps the versions of a memory at least until `expiresAt`. */
  async prolong(memory: string, expiresAt: Date, call: CallContext): Promise<void> {
    await this.#collection.updateMany(
      { $or: [{ _id: memory }, { _id: versionIdRange(memory) }] },
      { $set: { expiresAt } },
      call,
    );
  }

  /**
   * Removes the versions of a memory. The document that names their owner is removed after them, so that a crash leaves
   * no versions without an owner. Versions that another process inserts meanwhile are removed after that document.
   * @param uncounted the ids of versions that are not counted. @default none
   * @returns the number of versions
   */
  async remove(memory: string, call: CallContext, uncounted: readonly string[] = []): Promise<number> {
    const ids = uncounted.map((id) => storedId(memory, id));
    if (ids.length > 0) await this.#collection.deleteMany({ _id: { $in: ids } }, call);
    const ofMemory = { _id: versionIdRange(memory) };
    const count = await this.#collection.deleteMany(ofMemory, call);
    await this.#collection.deleteOne({ _id: memory }, call);
    return count + (await this.#collection.deleteMany(ofMemory, call));
  }

  /**
   * Removes versions of a memory that is gone. Older ones stay, with the document that names their owner. By it, the
   * `forget` that has removed the memory finds and counts them; after a removal by MongoDB, a sweep finds them.
   */
  async takeBack(memory: string, versions: readonly VersionDocument[], call: CallContext): Promise<void> {
    await this.#collection.deleteMany({ _id: { $in: versions.map(({ _id }) => _id) } }, call);
    const older = await this.#collection.findOne({ _id: versionIdRange(memory) }, call, { projection: { _id: 1 } });
    if (older === null) await this.#collection.deleteOne({ _id: memory }, call);
  }

  /** Reads the documents that name the owners of versions, a batch at a time. */
  findOwners(filter: object, call: CallContext): AsyncGenerator<OwnerDocument[]> {
    return streamingBatches(async () =>
      this.#collection.find<OwnerDocument>(filter, call, { batchSize: ownersAtOnce }),
    );
  }

  /** Removes a person or a thread from the authors and redactors of versions. */
  async unname(field: "userId" | "threadId", id: string, call: CallContext): Promise<void> {
    for (const role of ["actor", "redactedBy"]) {
      await this.#collection.updateMany({ [`${role}.${field}`]: id }, { $unset: { [`${role}.${field}`]: "" } }, call);
    }
  }

  /** Redacts in the given order, until a version does not have its expected value. */
  async redact(memory: string, redactions: readonly Redaction[], call: CallContext): Promise<void> {
    try {
      await writeRedactions(this.#collection, memory, redactions, call);
    } catch (error) {
      throw storageError(error, "write", null);
    }
  }

  /** Removes marks from the versions of a memory. A version without a mark can be read again. */
  async endCovering(memory: string, marks: readonly CoverMark[], call: CallContext): Promise<void> {
    for (const some of split(marks, maxMarksPerCommand)) {
      const others = { $setDifference: ["$covering", { $literal: some }] };
      const kept = { $cond: [{ $eq: [others, []] }, "$$REMOVE", others] };
      const marked = { _id: versionIdRange(memory), covering: { $in: some } };
      await this.#collection.updateMany(marked, [{ $set: { covering: kept } }], call);
    }
  }
}

function split<Item>(items: readonly Item[], most: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / most) }, (_, index) =>
    items.slice(index * most, (index + 1) * most),
  );
}
