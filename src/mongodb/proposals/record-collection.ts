import type { Db, WriteConcernSettings } from "mongodb";
import type { ProposalSummary } from "../../core/approval/memory-proposals.js";
import { addressOrNull, type CheckedAddress, type OwnerField, ownerFields } from "../../core/values/address.js";
import type { ChangeRecord, ChangeStatus } from "../../core/contract/change-record.js";
import type { RunLease } from "../../core/contract/run-lease.js";
import type { CallContext } from "../../core/runtime/call.js";
import { createIndexes } from "../driver/create-indexes.js";
import { isDuplicateKey, storageError } from "../driver/errors.js";
import { ExactCollection } from "../driver/exact-collection.js";
import { refuseForeignDocuments } from "../driver/foreign-documents.js";
import { once } from "../driver/once.js";
import { reading, streaming } from "../driver/reads.js";
import { createTtlIndexes } from "../driver/ttl-indexes.js";
import { expiryIndex, proposalIndexes } from "./proposal-indexes.js";
import { createRunLease, leaseKind } from "./run-leases.js";
import { expireEarlierRecords, findExpired, type Lifetimes } from "./earlier-records.js";

type StoredRecord = Omit<ChangeRecord, "id"> & { _id: string };

type RecordDocument = StoredRecord &
  Record<"nodeId" | "scope", string> &
  Partial<Record<OwnerField, string>> & { expiresAt?: Date };

/** One memory, or all memories of a thread or a user. */
type AddressRange = Partial<Record<"nodeId" | "scope" | OwnerField, string>> & { scope: CheckedAddress["scope"] };

const own = {
  filter: { kind: { $in: ["interrupt", "proposal", leaseKind] }, nodeId: { $exists: true } },
  option: "memoriesCollection",
};

/** Reads a record without the fields that name its memory. */
const readOptions = {
  projection: { nodeId: 0, scope: 0, threadId: 0, userId: 0, expiresAt: 0 },
} as const;

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
  writeConcern: WriteConcernSettings;
  connect: () => Promise<void> | undefined;
  clock: () => Date;
  /** The collection of the memories. */
  memories: string;
  expireMs: Lifetimes;
  /** Whether the store only reads. */
  isReader: boolean;
}

/** The changes that wait for a person, of all memories of a store. Creates nothing before the first change. */
export class RecordCollection {
  readonly clock: () => Date;
  readonly #collection: ExactCollection<RecordDocument>;
  readonly #prepare: () => Promise<void> | undefined;
  readonly #context: RecordContext;
  #isAdapted: boolean;

  private constructor(
    collection: ExactCollection<RecordDocument>,
    prepare: () => Promise<void> | undefined,
    context: RecordContext,
  ) {
    this.clock = context.clock;
    this.#collection = collection;
    this.#prepare = prepare;
    this.#context = context;
    this.#isAdapted = context.isReader || Object.keys(context.expireMs).length === 0;
  }

  static open(db: Db, context: RecordContext): RecordCollection {
    const { name, writeConcern } = context;
    const collection = new ExactCollection(db.collection<RecordDocument>(name, { writeConcern }));
    const prepare = once(async () => {
      await refuseForeignDocuments(collection, own);
      await createIndexes(collection, proposalIndexes, "a proposal", own.option);
      await createTtlIndexes(db, collection, [expiryIndex], "a proposal", own.option);
    });
    return new RecordCollection(collection, prepare, context);
  }

  async find(address: CheckedAddress, id: string, call: CallContext): Promise<ChangeRecord | null> {
    const document = await reading(async () => {
      await this.#connect(call);
      return this.#collection.findOne<StoredRecord>({ _id: id, ...address, ...this.#present() }, call, readOptions);
    });
    return document && parseRecord(document);
  }

  async put(
    address: CheckedAddress,
    { id, ...record }: ChangeRecord,
    expiresAt: Date | null,
    call: CallContext,
  ): Promise<ChangeRecord> {
    const $literal = { _id: id, ...address, ...record, ...(expiresAt !== null && { expiresAt }) };
    try {
      await this.#connect(call);
      await this.#prepare();
      const options = { upsert: true, projection: { _id: 1 } };
      await this.#collection.findOneAndUpdate(
        { _id: id, status: "pending" },
        [{ $replaceWith: { $literal } }],
        call,
        options,
      );
      return { id, ...record };
    } catch (error) {
      const decided = isDuplicateKey(error) ? await this.find(address, id, call) : null;
      if (decided === null) throw storageError(error, "write", null);
      return decided;
    }
  }

  async swap(
    address: CheckedAddress,
    id: string,
    expected: { status: ChangeStatus; token?: string | null },
    fields: Partial<ChangeRecord>,
    call: CallContext,
  ): Promise<ChangeRecord | null> {
    const filter = { _id: id, ...address, ...expected, ...this.#present() };
    // A text may begin with a dollar.
    const literals = Object.entries<unknown>({ ...fields }).map(([field, $literal]) => [field, { $literal }] as const);
    const update = [{ $set: Object.fromEntries(literals) }];
    const before = await this.#writing(call, () =>
      this.#collection.findOneAndUpdate<StoredRecord>(filter, update, call, readOptions),
    );
    return before && { ...parseRecord(before), ...fields };
  }

  /** Lets one program at a time learn from a memory. */
  lease(address: CheckedAddress, thread: string | null, lifetimeMs: number | null, call: CallContext): RunLease {
    const lease = createRunLease({
      collection: this.#collection,
      address,
      thread,
      lifetimeMs,
      clock: this.clock,
      call,
    });
    const run = <T>(act: () => Promise<T>): Promise<T> =>
      this.#writing(call, async () => {
        await this.#prepare();
        return act();
      });
    return {
      take: (...args) => run(() => lease.take(...args)),
      renew: (...args) => run(() => lease.renew(...args)),
      release: (...args) => run(() => lease.release(...args)),
    };
  }

  async *list(
    address: CheckedAddress,
    kind: ChangeRecord["kind"],
    statuses: readonly ChangeStatus[],
    call: CallContext,
  ): AsyncGenerator<ChangeRecord> {
    await reading(() => this.#connect(call));
    const filter = { ...address, kind, status: { $in: statuses }, ...this.#present() };
    const cursor = this.#collection.find<StoredRecord>(filter, call, { sort: { at: 1, _id: 1 }, ...readOptions });
    for await (const document of streaming(cursor)) yield parseRecord(document);
  }

  /** Returns the newest proposals of a client, oldest first. */
  async newest(
    address: CheckedAddress,
    { client, status, limit }: { client: string; status: ChangeStatus; limit: number },
    call: CallContext,
  ): Promise<ChangeRecord[]> {
    const filter = { ...address, kind: "proposal", status, "actor.client": client, ...this.#present() };
    const options = { sort: { at: -1, _id: -1 }, limit, ...readOptions } as const;
    const found = await reading(async () => {
      await this.#connect(call);
      return this.#collection.find<StoredRecord>(filter, call, options).toArray();
    });
    return found.toReversed().map(parseRecord);
  }

  /** Removes a proposal that still waits. */
  async withdraw(address: CheckedAddress, id: string, call: CallContext): Promise<void> {
    const filter = { _id: id, ...address, status: "pending" } as const;
    await this.#writing(call, () => this.#collection.deleteMany(filter, call));
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
      ...this.#present(),
    };
    const found: StoredSummary[] = [];
    for (const part of partsAfter(after)) {
      const limit = summariesAtOnce - found.length;
      const options = { ...summaryOptions, sort: { at: 1, _id: 1 }, limit, batchSize: limit + 1 } as const;
      found.push(
        ...(await reading(async () => {
          await this.#connect(call);
          return this.#collection.find<StoredSummary>({ ...all, ...part }, call, options).toArray();
        })),
      );
      if (found.length >= summariesAtOnce) break;
    }
    const last = found.length < summariesAtOnce ? undefined : found.at(-1);
    return { summaries: found.flatMap(parseSummary), end: last === undefined ? null : { at: last.at, _id: last._id } };
  }

  /**
   * Removes the records of a range, and the ids of its thread or user from all other records. Idempotent.
   * @returns how many records of the range were removed.
   * @throws MemoryError EIO
   */
  remove(range: AddressRange, call: CallContext): Promise<number> {
    return this.#writing(call, async () => {
      const field = ownerFields[range.scope];
      const owner = field === null || range.nodeId !== undefined ? undefined : range[field];
      const records = field === null || owner === undefined ? range : { ...range, ...equals(field, owner) };
      // Leases are not counted. They are excluded by `until`, because `kind` would make the server take another index.
      await this.#collection.deleteMany({ ...records, until: { $exists: true } }, call);
      const removed = await this.#collection.deleteMany({ ...records }, call);
      if (field === null || owner === undefined) return removed;
      if (field === "threadId") {
        await this.#collection.deleteMany({ kind: "interrupt", ...equals("actor.threadId", owner) }, call);
      }
      const unsets = [`actor.${field}`, `decidedBy.${field}`].map((name) => ({
        updateMany: { filter: equals(name, owner), update: { $unset: { [name]: "" } as const } },
      }));
      await this.#collection.bulkWrite(unsets, call);
      return removed;
    });
  }

  #present(): object {
    const now = this.clock();
    const expired = findExpired(this.#context.expireMs, now);
    return { expiresAt: { $not: { $lte: now } }, ...(expired.length > 0 && { $nor: expired }) };
  }

  async #connect(call: CallContext): Promise<void> {
    await this.#context.connect();
    if (this.#isAdapted) return;
    const { memories, expireMs } = this.#context;
    await expireEarlierRecords(this.#collection, memories, expireMs, call);
    this.#isAdapted = true;
  }

  async #writing<T>(call: CallContext, write: () => Promise<T>): Promise<T> {
    try {
      await this.#connect(call);
      return await write();
    } catch (error) {
      throw storageError(error, "write", null);
    }
  }
}

function parseRecord({ _id: id, ...record }: StoredRecord): ChangeRecord {
  return { id, ...record };
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
