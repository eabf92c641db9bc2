import type { CheckedAddress } from "../../../core/values/address.js";
import type { BackendLimits } from "../../../core/contract/backend.js";
import { MemoryTree } from "../../../core/tree/memory-tree.js";
import { storageError } from "../../driver/errors.js";
import { asPlainValues } from "../../driver/plain-values.js";
import type { Expression } from "../expressions.js";
import { type MemoryDocument, snapshotOfDocument } from "./document.js";
import { type DocumentContext, knownIdOf, presentLookUp, refuseElsewhere } from "./document-context.js";
import { addressFields, isAt, type KnownDocument } from "./known-documents.js";
import { bytesWithoutOutbox } from "./outbox-expressions.js";

type Projection = Record<string, Expression>;

/** The commands that read the document of one memory. */
export class DocumentReads {
  readonly #context: DocumentContext;
  readonly #address: CheckedAddress;
  readonly #limits: BackendLimits;
  readonly #known: KnownDocument;

  constructor(context: DocumentContext, address: CheckedAddress, limits: BackendLimits, known: KnownDocument) {
    this.#context = context;
    this.#address = address;
    this.#limits = limits;
    this.#known = known;
  }

  /**
   * What the projection answers. It holds the revision, as all that are asked for here do; of a document without one, a
   * second command reads the whole tree.
   */
  async find<Found extends object>(projection: Projection): Promise<Found | MemoryTree | null> {
    const found = await this.findRaw<Found & { revision?: number }>(projection);
    return found === null || found.revision !== undefined
      ? found
      : new MemoryTree(snapshotOfDocument(await this.findWhole()));
  }

  findWhole(): Promise<MemoryDocument | null> {
    // To leave a field out takes the server some time, so not where there is hardly ever one.
    return this.findRaw<MemoryDocument>(this.#context.history === null ? {} : { outbox: 0 }, true);
  }

  /** Nothing of the earlier layout is read for it. */
  findVersion(): Promise<Pick<MemoryDocument, "_id" | "revision"> | null> {
    return this.findRaw<Pick<MemoryDocument, "_id" | "revision">>({ revision: 1 });
  }

  /** Bytes of BSON, without what the history has in it; null where there is no document. */
  async findSize(): Promise<number | null> {
    const found = await this.findRaw<{ sizeBytes: number }>({ _id: 0, revision: 1, sizeBytes: bytesWithoutOutbox });
    return found?.sizeBytes ?? null;
  }

  /** Null if there is no document, or only an earlier one without times. */
  async findUpdatedAt(): Promise<Date | null> {
    const found = await this.findRaw<Pick<MemoryDocument, "updatedAt">>({ _id: 0, revision: 1, updatedAt: 1 });
    return found?.updatedAt ?? null;
  }

  /**
   * What the projection answers, whichever layout the document has. @param answersWhole whether the projection leaves
   * out fields, and does not name those that it answers
   */
  async findRaw<Found extends object>(projection: Projection, answersWhole = false): Promise<Found | null> {
    try {
      await this.#context.ready();
      const found =
        (await this.#findById<Found>(projection, answersWhole)) ??
        (await this.#findByAddress<Found>(projection, answersWhole));
      refuseElsewhere(this.#context, found);
      return found;
    } catch (error) {
      throw storageError(error, "read", this.#limits.maxMemoryBytes);
    }
  }

  /** Null where the id is not known, or no longer that of this memory. */
  async #findById<Found extends object>(projection: Projection, answersWhole: boolean): Promise<Found | null> {
    const _id = knownIdOf(this.#context, this.#address, this.#known);
    if (_id === undefined) return null;
    const options = { projection: answersWhole ? projection : { ...addressFields, ...projection }, ...asPlainValues };
    const found = await this.#context.collection.findOne<Found & Partial<MemoryDocument>>({ _id }, options);
    if (found !== null && isAt(this.#address, found)) return found;
    this.#known.forgetId();
    return null;
  }

  async #findByAddress<Found extends object>(projection: Projection, answersWhole: boolean): Promise<Found | null> {
    const options = { projection: answersWhole ? projection : { ...projection, _id: 1 }, ...asPlainValues };
    const found = await this.#context.collection.findOne<Found & Pick<MemoryDocument, "_id" | "revision">>(
      presentLookUp(this.#context, this.#address),
      options,
    );
    // Only in today's layout are the values of its fields what the changes by an id take them for.
    if (typeof found?.revision === "number") this.#known.setId(found._id);
    return found;
  }
}
