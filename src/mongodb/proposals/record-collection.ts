import type { Db } from "mongodb";
import type { ProposalSummary } from "../../core/approval/memory-proposals.js";
import { addressOrNull, type CheckedAddress, type OwnerField } from "../../core/values/address.js";
import type { ChangeRecord, ChangeStatus } from "../../core/contract/change-record.js";
import type { CallContext } from "../../core/runtime/call.js";
import { createIndexes } from "../driver/create-indexes.js";
import { storageError } from "../driver/errors.js";
import { ExactCollection } from "../driver/exact-collection.js";
import { refuseForeignDocuments } from "../driver/foreign-documents.js";
import { once } from "../driver/once.js";
import { reading } from "../driver/reads.js";
import { createTtlIndexes } from "../driver/ttl-indexes.js";
import { expiryIndex, proposalIndexes } from "./proposal-indexes.js";

/** The kind of the documents that keep what was learnt from, among the records of a memory. */
export const progressKind = "progress";

export type StoredRecord = Omit<ChangeRecord, "id"> & { _id: string };

type RecordDocument = StoredRecord &
  Record<"nodeId" | "scope", string> &
  Partial<Record<OwnerField, string>> & { expiresAt?: Date };

export type Records = ExactCollection<RecordDocument>;

/** One memory, or all memories of a thread or a user. */
type AddressRange = Partial<Record<"nodeId" | "scope" | OwnerField, string>> & { scope: CheckedAddress["scope"] };

const own = {
  filter: { kind: { $in: ["interrupt", "proposal", progressKind] }, nodeId: { $exists: true } },
  option: "memoriesCollection",
};

/** Reads a proposal without its texts. */
const summaryOptions = {
  projection: {
    nodeId: 1,
    scope: 1,
    threadId: 1,
    userId: 1,
    status: 1,
    command: 1,
    path: 1,
    to: 1,
    actor: 1,
    at: 1,
    decidedBy: 1,
    decidedAt: 1,
    reason: 1,
  },
} as const;

type StoredSummary = Omit<ProposalSummary, "id" | "address"> &
  Pick<RecordDocument, "_id" | "nodeId" | "scope" | OwnerField>;

/** A summary has a few hundred bytes. */
const summariesAtOnce = 500;

/** The position after a page of summaries. */
export type ProposalPageEnd = Pick<StoredSummary, "at" | "_id">;

export interface ProposalPage {
  summaries: ProposalSummary[];
  /** Null if nothing follows. */
  end: ProposalPageEnd | null;
}

export interface RecordContext {
  name: string;
  connect: () => Promise<void> | undefined;
  clock: () => Date;
}

/** The changes that wait for a person, of all memories of a store. Creates nothing before the first change. */
export class RecordCollection {
  readonly #collection: Records;
  readonly #prepare: () => Promise<void> | undefined;
  readonly #context: RecordContext;

  private constructor(collection: Records, prepare: () => Promise<void> | undefined, context: RecordContext) {
    this.#collection = collection;
    this.#prepare = prepare;
    this.#context = context;
  }

  static open(db: Db, context: RecordContext): RecordCollection {
    const collection = new ExactCollection(db.collection<RecordDocument>(context.name));
    const prepare = once(async () => {
      await refuseForeignDocuments(collection, own);
      await createIndexes(collection, proposalIndexes, "a proposal", own.option);
      await createTtlIndexes(db, collection, [expiryIndex], "a proposal", own.option);
    });
    return new RecordCollection(collection, prepare, context);
  }

  /**
   * Runs a read.
   * @param read gets a condition on records that have not expired
   * @throws MemoryError EIO
   */
  read<T>(read: (collection: Records, present: object) => T | Promise<T>): Promise<T> {
    return reading(async () => {
      await this.#context.connect();
      return read(this.#collection, this.#present());
    });
  }

  /** Runs a write, as `read` does. */
  async write<T>(write: (collection: Records, present: object) => Promise<T>): Promise<T> {
    try {
      await this.#context.connect();
      return await write(this.#collection, this.#present());
    } catch (error) {
      throw storageError(error, "write", null);
    }
  }

  /** Runs a write that can create the collection. */
  create<T>(create: (collection: Records) => Promise<T>): Promise<T> {
    return this.write(async (collection) => {
      await this.#prepare();
      return create(collection);
    });
  }

  /** Reads one page of the proposals of these memories, oldest first, without their texts. One or two commands. */
  async summaries(
    memories: Partial<AddressRange>,
    statuses: readonly ChangeStatus[],
    after: ProposalPageEnd | null,
    call: CallContext,
  ): Promise<ProposalPage> {
    const { threadId, userId, ...others } = memories;
    const all = {
      ...others,
      ...(threadId !== undefined && equals("threadId", threadId)),
      ...(userId !== undefined && equals("userId", userId)),
      kind: "proposal",
      status: { $in: statuses },
    };
    const found: StoredSummary[] = [];
    for (const part of partsAfter(after)) {
      const limit = summariesAtOnce - found.length;
      const options = { ...summaryOptions, sort: { at: 1, _id: 1 }, limit, batchSize: limit + 1 } as const;
      found.push(
        ...(await this.read((collection, present) =>
          collection.find<StoredSummary>({ ...all, ...part, ...present }, call, options).toArray(),
        )),
      );
      if (found.length >= summariesAtOnce) break;
    }
    const last = found.length < summariesAtOnce ? undefined : found.at(-1);
    return { summaries: found.flatMap(parseSummary), end: last === undefined ? null : { at: last.at, _id: last._id } };
  }

  /**
   * Removes the records of some memories, and the ids of their owner from all other records. Idempotent.
   * @param range finds the memories
   * @param owner the thread or user whose memories of all nodes these are; otherwise null
   * @returns the number of removed records of the range.
   * @throws MemoryError EIO
   */
  remove(
    range: Record<string, unknown>,
    owner: { field: OwnerField; id: string } | null,
    call: CallContext,
  ): Promise<number> {
    return this.write(async (collection) => {
      // They are not counted. They are found by `bookmark`, because `kind` would make the server take another index.
      await collection.deleteMany({ ...range, bookmark: { $exists: true } }, call);
      const removed = await collection.deleteMany(range, call);
      if (owner === null) return removed;
      const { field, id } = owner;
      if (field === "threadId") {
        await collection.deleteMany({ kind: "interrupt", ...equals("actor.threadId", id) }, call);
      }
      const unsets = [`actor.${field}`, `decidedBy.${field}`].map((name) => ({
        updateMany: { filter: equals(name, id), update: { $unset: { [name]: "" } as const } },
      }));
      await collection.bulkWrite(unsets, call);
      return removed;
    });
  }

  #present(): object {
    return { expiresAt: { $not: { $lte: this.#context.clock() } } };
  }
}

/** Filters for the rest after a position. Each covers one contiguous part of the order. */
function partsAfter(after: ProposalPageEnd | null): object[] {
  return after === null ? [{}] : [{ at: after.at, _id: { $gt: after._id } }, { at: { $gt: after.at } }];
}

/** Returns nothing for ids that no memory can have. */
function parseSummary({ _id: id, nodeId, scope, threadId, userId, ...summary }: StoredSummary): ProposalSummary[] {
  const ids = { nodeId, scope, ...(threadId !== undefined && { threadId }), ...(userId !== undefined && { userId }) };
  const address = addressOrNull(ids);
  return address === null ? [] : [{ address, id, ...summary }];
}

/** The index contains texts only. Without the type in the filter, the server does not use the index. */
function equals(field: string, id: string): object {
  return { [field]: { $eq: id, $type: "string" } };
}
