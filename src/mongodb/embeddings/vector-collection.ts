import type { Binary, Db, IndexDescription } from "mongodb";
import type { OwnerField } from "../../core/values/address.js";
import type { CallContext } from "../../core/runtime/call.js";
import { createIndexes } from "../driver/create-indexes.js";
import { isUnauthorized, storageError } from "../driver/errors.js";
import { ExactCollection } from "../driver/exact-collection.js";
import { refuseForeignDocuments } from "../driver/foreign-documents.js";
import { once } from "../driver/once.js";
import { reading } from "../driver/reads.js";
import { createTtlIndexes, type TtlIndex } from "../driver/ttl-indexes.js";

/** The vector of a passage of one memory. The text itself is only in the memory. */
export type VectorDocument = Record<"nodeId" | "scope", string> &
  Partial<Record<OwnerField, string>> & {
    /** A hash of the memory, the model and the text. */
    _id: string;
    /** The model that created the vector, and its dimensions. */
    model: string;
    /** A hash of the memory and the text: the vectors of all models are deleted with their text. */
    text: string;
    vector: Binary | Uint8Array;
    updatedAt: Date;
  };

/** More than a caller reads at once. The server also ends a batch at 16 MB. */
const maxBatchVectors = 10_000;

const own = { filter: { nodeId: { $exists: true }, vector: { $exists: true } }, option: "memoriesCollection" };

const ofTexts = (field: string): object => ({ [field]: { $type: "string" } });

/** Indexes for the vectors of one memory, and for those of a thread or a user, which `forget` searches for. */
export const vectorIndexes = [
  { name: "vectors_of_memory", key: { nodeId: 1, scope: 1, threadId: 1, userId: 1, model: 1, text: 1 } },
  { name: "vectors_by_thread", key: { threadId: 1 }, partialFilterExpression: ofTexts("threadId") },
  { name: "vectors_by_user", key: { userId: 1 }, partialFilterExpression: ofTexts("userId") },
] as const satisfies readonly IndexDescription[];

/** The collection is always separate from the memories. */
export function vectorsCollectionName(memoriesCollection: string): string {
  return `${memoriesCollection}_vectors`;
}

export interface VectorContext {
  connect: () => Promise<void> | undefined;
  clock: () => Date;
  /** The indexes by which MongoDB deletes the vectors of expired memories. */
  expiryIndexes: readonly TtlIndex[];
  /** False if this store has no embeddings. Another store may have some. */
  isUsed: boolean;
}

/** The vectors of the passages of all memories. Creates nothing before the first vector. */
export class VectorCollection {
  readonly #collection: ExactCollection<VectorDocument>;
  readonly #prepare: () => Promise<void> | undefined;
  readonly #context: VectorContext;

  private constructor(
    collection: ExactCollection<VectorDocument>,
    prepare: () => Promise<void> | undefined,
    context: VectorContext,
  ) {
    this.#collection = collection;
    this.#prepare = prepare;
    this.#context = context;
  }

  static open(db: Db, name: string, context: VectorContext): VectorCollection {
    const collection = new ExactCollection(db.collection<VectorDocument>(name));
    const prepare = once(async () => {
      await refuseForeignDocuments(collection, own);
      await createIndexes(collection, vectorIndexes, "the embeddings", own.option);
      await createTtlIndexes(db, collection, context.expiryIndexes, "the embeddings", own.option);
    });
    return new VectorCollection(collection, prepare, context);
  }

  read(filter: object, projection: object, call: CallContext): Promise<VectorDocument[]> {
    const options = { projection, promoteBuffers: true, batchSize: maxBatchVectors };
    return reading(async () => {
      await this.#context.connect();
      return this.#collection.find<VectorDocument>(filter, call, options).toArray();
    });
  }

  async insert(vectors: readonly Omit<VectorDocument, "updatedAt">[], call: CallContext): Promise<void> {
    const updatedAt = this.#context.clock();
    await this.#writing(async () => {
      await this.#prepare();
      await this.#collection.insertMissing(
        vectors.map((vector) => ({ ...vector, updatedAt })),
        call,
      );
    });
  }

  delete(filter: object, call: CallContext): Promise<void> {
    return this.#writing(() => this.#collection.deleteMany(filter, call));
  }

  /** Restarts the lifetimes of vectors that are older than `ageMs`. */
  renew(filter: object, ageMs: number, call: CallContext): Promise<void> {
    const updatedAt = this.#context.clock();
    const old = { ...filter, updatedAt: { $lt: new Date(updatedAt.getTime() - ageMs) } };
    return this.#writing(() => this.#collection.updateMany(old, { $set: { updatedAt } }, call));
  }

  /** Removes the vectors of the memories that a filter finds. Idempotent. @throws MemoryError EIO */
  async remove(range: object, call: CallContext): Promise<void> {
    try {
      await this.delete(range, call);
    } catch (error) {
      // A store without embeddings may lack the rights for the vectors of another store.
      if (this.#context.isUsed || !isUnauthorized(error)) throw error;
    }
  }

  async #writing(write: () => Promise<unknown>): Promise<void> {
    try {
      await this.#context.connect();
      await write();
    } catch (error) {
      throw storageError(error, "write", null);
    }
  }
}
