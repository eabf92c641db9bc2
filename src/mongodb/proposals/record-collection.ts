import type { Db, WriteConcernSettings } from "mongodb";
import { type CheckedAddress, type OwnerField, ownerFields } from "../../core/values/address.js";
import type { ChangeRecord, ChangeStatus } from "../../core/approval/change-record.js";
import type { MemoryError } from "../../core/values/errors.js";
import type { CallContext } from "../../core/runtime/call.js";
import { createIndexes } from "../driver/create-indexes.js";
import { isDuplicateKey, storageError } from "../driver/errors.js";
import { ExactCollection } from "../driver/exact-collection.js";
import { refuseForeignDocuments } from "../driver/foreign-documents.js";
import { once } from "../driver/once.js";
import { reading, streaming } from "../driver/reads.js";
import { createTtlIndexes } from "../driver/ttl-indexes.js";
import { expiryIndex, proposalIndexes } from "./proposal-indexes.js";

type RecordDocument = Omit<ChangeRecord, "id"> &
  Record<"nodeId" | "scope", string> &
  Partial<Record<OwnerField, string>> & { _id: string; expiresAt?: Date };

/** Whose records: of one memory, or of all memories of a thread or a user. */
type AddressRange = Partial<Record<"nodeId" | "scope" | OwnerField, string>> & { scope: CheckedAddress["scope"] };

const own = {
  filter: { kind: { $in: ["interrupt", "proposal"] }, nodeId: { $exists: true } },
  option: "memoriesCollection",
};

const asPlainValues = { promoteValues: true, promoteLongs: true, useBigInt64: false, raw: false } as const;

/** The changes that wait for a person, of all memories of a store. Nothing is made before the first of them. */
export class RecordCollection {
  readonly #collection: ExactCollection<RecordDocument>;
  readonly #connect: () => Promise<void> | undefined;
  readonly #prepare: () => Promise<void> | undefined;
  readonly clock: () => Date;

  private constructor(
    collection: ExactCollection<RecordDocument>,
    connect: () => Promise<void> | undefined,
    prepare: () => Promise<void> | undefined,
    clock: () => Date,
  ) {
    this.#collection = collection;
    this.#connect = connect;
    this.#prepare = prepare;
    this.clock = clock;
  }

  static open(
    db: Db,
    {
      name,
      writeConcern,
      connect,
      clock,
    }: {
      name: string;
      writeConcern: WriteConcernSettings;
      connect: () => Promise<void> | undefined;
      clock: () => Date;
    },
  ): RecordCollection {
    // An attempt must see whether another has overtaken it.
    const collection = new ExactCollection(
      db.collection<RecordDocument>(name, { writeConcern, readPreference: "primary" }),
    );
    const prepare = once(async () => {
      await refuseForeignDocuments(collection, own);
      await createIndexes(collection, proposalIndexes, "a proposal", own.option);
      await createTtlIndexes(db, collection, [expiryIndex], "a proposal", own.option);
    });
    return new RecordCollection(collection, connect, prepare, clock);
  }

  forCall(call: CallContext): RecordCollection {
    return new RecordCollection(this.#collection.forCall(call), this.#connect, this.#prepare, this.clock);
  }

  async find(address: CheckedAddress, id: string): Promise<ChangeRecord | null> {
    const document = await reading(async () => {
      await this.#connect();
      return this.#collection.findOne<RecordDocument>({ _id: id, ...address, ...this.#present() }, asPlainValues);
    });
    return document === null ? null : recordIn(document);
  }

  async put(address: CheckedAddress, { id, ...record }: ChangeRecord, expiresAt: Date | null): Promise<ChangeRecord> {
    const document = { _id: id, ...address, ...record, ...(expiresAt !== null && { expiresAt }) };
    try {
      await this.#connect();
      await this.#prepare();
      const pipeline = [{ $replaceWith: { $literal: document } }];
      await this.#collection.findOneAndUpdate({ _id: id, status: "pending" }, pipeline, {
        upsert: true,
        projection: { _id: 1 },
      });
      return { id, ...record };
    } catch (error) {
      const decided = isDuplicateKey(error) ? await this.find(address, id) : null;
      if (decided === null) throw writeError(error);
      return decided;
    }
  }

  async swap(
    address: CheckedAddress,
    id: string,
    expected: { status: ChangeStatus; token?: string | null },
    fields: Partial<ChangeRecord>,
  ): Promise<ChangeRecord | null> {
    try {
      await this.#connect();
      const filter = { _id: id, ...address, ...expected, ...this.#present() };
      const before = await this.#collection.findOneAndUpdate<RecordDocument>(
        filter,
        [{ $set: literals(fields) }],
        asPlainValues,
      );
      return before === null ? null : { ...recordIn(before), ...fields };
    } catch (error) {
      throw writeError(error);
    }
  }

  async *list(
    address: CheckedAddress,
    kind: ChangeRecord["kind"],
    statuses: readonly ChangeStatus[],
  ): AsyncGenerator<ChangeRecord> {
    await reading(async () => this.#connect());
    const filter = { ...address, kind, status: { $in: statuses }, ...this.#present() };
    const cursor = this.#collection.find<RecordDocument>(filter, { sort: { at: 1, _id: 1 }, ...asPlainValues });
    for await (const document of streaming(cursor)) yield recordIn(document);
  }

  /**
   * Removes the records of a range, and the ids of its thread or user from all others. Idempotent. @returns how many of
   * the range. @throws MemoryError EIO
   */
  async remove(range: AddressRange): Promise<number> {
    try {
      await this.#connect();
      const field = ownerFields[range.scope];
      const owner = field === null || range.nodeId !== undefined ? undefined : range[field];
      if (field === null || owner === undefined) return await this.#collection.deleteMany({ ...range }, {});
      const removed = await this.#collection.deleteMany({ ...range, ...named(field, owner) }, {});
      if (field === "threadId")
        await this.#collection.deleteMany({ kind: "interrupt", ...named("actor.threadId", owner) }, {});
      await this.#collection.bulkWrite(
        ["actor", "decidedBy"].map((who) => ({
          updateMany: { filter: named(`${who}.${field}`, owner), update: { $unset: { [`${who}.${field}`]: "" } } },
        })),
        {},
      );
      return removed;
    } catch (error) {
      throw writeError(error);
    }
  }

  #present(): object {
    return { expiresAt: { $not: { $lte: this.clock() } } };
  }
}

function recordIn({
  _id: id,
  nodeId: _node,
  scope: _scope,
  threadId: _thread,
  userId: _user,
  expiresAt: _expiry,
  ...record
}: RecordDocument): ChangeRecord {
  return { id, ...record };
}

/** By an index that holds texts only: without the type the server does not use it. */
function named(field: string, id: string): object {
  return { [field]: { $eq: id, $type: "string" } };
}

/** Texts begin with what they begin with, also a dollar. */
function literals(fields: object): Record<string, object> {
  return Object.fromEntries(Object.entries(fields).map(([field, value]) => [field, { $literal: value as unknown }]));
}

function writeError(error: unknown): MemoryError {
  return storageError(error, "write", null);
}
