import type { ClientSession } from "mongodb";
import type { CheckedAddress } from "../../../core/values/address.js";
import { MemoryError } from "../../../core/values/errors.js";
import { asPlainValues } from "../../driver/plain-values.js";
import { reading } from "../../driver/reads.js";
import { inTransaction } from "../../driver/transactions.js";
import type { QueuedChange } from "./change-queue.js";
import { idOfPath, memoryKeyOf, rootIdOf } from "./document-ids.js";
import { refuseElsewhere } from "./elsewhere.js";
import { byId } from "./file-indexes.js";
import { type FilesContext, isOfMajority } from "./files-context.js";
import { MemoryLife } from "./memory-life.js";
import { outcomeOnNothing } from "./outcome-on-nothing.js";
import { reasonToFollow } from "../moved-memory.js";
import { transactionError } from "../transaction-errors.js";
import type { TextUpdate } from "./text-updates.js";
import { type Made, type NewFile, TreeSteps } from "./tree-steps.js";

/** The steps of a transaction, with its session for reading. */
export type RunSteps<T> = (steps: TreeSteps, session: ClientSession) => Promise<T>;

export interface ChangeOptions<T> {
  /** Whether an answer tells of a change. Default: all do */
  isChange?: (answer: T) => boolean;
  /**
   * Answers, or throws, for a memory that has expired, of which then nothing is removed. Undefined, as where it is left
   * out: the change makes a new one.
   */
  ifExpired?: () => T | undefined | Promise<T | undefined>;
}

/** The commands that change the documents of one memory. */
export class FileChanges {
  readonly #context: FilesContext;
  readonly #address: CheckedAddress;
  readonly #key: string;
  readonly #life: MemoryLife;

  constructor(context: FilesContext, address: CheckedAddress) {
    this.#context = context;
    this.#life = new MemoryLife(context, address);
    this.#address = address;
    this.#key = memoryKeyOf(address);
  }

  /** Takes marks of approved changes away. */
  async unmark(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const update = { $unset: Object.fromEntries(ids.map((id) => [`applied.${id}`, ""])) };
    await this.#writing<unknown>(
      true,
      () => this.#context.collection.updateOne({ _id: rootIdOf(this.#key) }, update, byId),
      { ifExpired: () => null },
    );
  }

  /**
   * @returns whether it changed a file. For less than `update`, for which a replica set keeps the document as it is
   * then.
   */
  set(path: string, { pipeline }: TextUpdate): Promise<boolean> {
    const _id = idOfPath(this.#key, path);
    return this.#writing(
      true,
      async () => (await this.#context.collection.updateOne({ _id }, pipeline, {})).modifiedCount > 0,
      { isChange: Boolean, ifExpired: () => false },
    );
  }

  /**
   * Answers what the document has afterwards. @param isChange whether that tells of a change. @returns null where
   * nothing is
   */
  update<Found extends object>(
    path: string,
    { pipeline }: TextUpdate,
    projection: Record<string, 0 | 1>,
    isChange: (found: Found) => boolean,
  ): Promise<Found | null> {
    const options = { projection, returnDocument: "after", ...asPlainValues } as const;
    return this.#writing<Found | null>(
      true,
      () => this.#context.collection.findOneAndUpdate<Found>({ _id: idOfPath(this.#key, path) }, pipeline, options),
      {
        isChange: (found) => found !== null && isChange(found),
        ifExpired: () => null,
      },
    );
  }

  create(file: NewFile): Promise<Made> {
    return this.#writing(
      true,
      () => this.#context.creations.create(this.#key, this.#address, file, this.#context.call),
      { isChange: (made) => made === "made" },
    );
  }

  /** @returns whether a file was there */
  deleteFile(path: string): Promise<boolean> {
    const filter = { _id: idOfPath(this.#key, path), kind: "file" };
    return this.#writing(false, async () => (await this.#context.collection.deleteOne(filter, byId)) > 0, {
      isChange: Boolean,
      ifExpired: () => false,
    });
  }

  inTransaction<T>(run: RunSteps<T>, options?: ChangeOptions<T>): Promise<T> {
    return this.#writing(false, () => this.#inTransaction(run), options);
  }

  async #inTransaction<T>(run: RunSteps<T>): Promise<T> {
    const { transactions, call } = this.#context;
    try {
      return await inTransaction(transactions, call, (session) =>
        run(new TreeSteps(this.#context, session, this.#address), session),
      );
    } catch (error) {
      if (MemoryError.isInstance(error) && reasonToFollow(error) === null) await this.#untilAcknowledged();
      throw error;
    }
  }

  /** Makes a change together with its versions, within the limit of the memory. */
  async queued<T>(change: QueuedChange<T>): Promise<T> {
    const { changes, call, maxMemoryBytes } = this.#context;
    const outcome = await this.#writing(
      true,
      () => changes.run(this.#key, this.#address, { ...change, maxMemoryBytes }, call),
      {
        isChange: (made) => "answer" in made,
        ifExpired: () => outcomeOnNothing(change, this.#address),
      },
    );
    if ("refusal" in outcome) {
      await reading(() => this.#untilAcknowledged());
      throw outcome.refusal;
    }
    return outcome.answer;
  }

  /** Until all is acknowledged that a refused transaction may have read: one that is aborted does not wait for it. */
  async #untilAcknowledged(): Promise<void> {
    if (!isOfMajority(this.#context)) return;
    const options = {
      projection: { _id: 1 },
      readConcern: { level: "linearizable" },
      readPreference: "primary",
      ...byId,
    } as const;
    await this.#context.collection.findOne({ _id: rootIdOf(this.#key) }, options);
  }

  /** @param isSeen whether a document has the time of the change */
  async #writing<T>(
    isSeen: boolean,
    write: () => Promise<T>,
    { isChange = () => true, ifExpired }: ChangeOptions<T> = {},
  ): Promise<T> {
    try {
      await this.#context.ready();
      const isPresent = this.#life.isPresent();
      if (isPresent !== true && !(await isPresent)) {
        const left = await ifExpired?.();
        if (left !== undefined) {
          refuseElsewhere(this.#context, null);
          return left;
        }
        await this.#life.remove();
      }
      const answer = await write();
      if (isChange(answer)) await this.#life.afterChange(isSeen);
      return answer;
    } catch (error) {
      throw MemoryError.isInstance(error) ? error : transactionError(error);
    }
  }
}
