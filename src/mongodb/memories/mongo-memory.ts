import type { SharedCollections } from "./contract/store-context.js";
import type { Restoration, StoredHistory } from "../history/history-source.js";
import type { MongoClient } from "mongodb";
import type { ChangeRecords } from "../../core/contract/change-record.js";
import type { TextRedactor } from "../../core/history/text-redactor.js";
import type { HistoryBackend } from "../../core/history/history-backend.js";
import type { MemoryEntry, MemoryOutline, MemoryStat, OutlineOptions } from "../../core/memory.js";
import type { BackendFeatures, BackendLimits, MemoryBackend } from "../../core/contract/backend.js";
import type { CallContext } from "../../core/runtime/call.js";
import type { Embeddings } from "../../core/contract/embeddings.js";
import { applyChange } from "../../core/tree/apply-change.js";
import { type Change, type ChangeOptions, type ChangeResult, getScope } from "../../core/tree/change.js";
import type { MemorySnapshot } from "../../core/tree/snapshot.js";
import type { CheckedAddress } from "../../core/values/address.js";
import { MongoHistory } from "../history/memory-history.js";
import type { Embedder } from "../embeddings/embedder.js";
import { MemoryEmbeddings } from "../embeddings/memory-embeddings.js";
import { ApprovalRecords } from "./approval-records.js";
import type { MemoryExpiry } from "./expiry/memory-expiry.js";
import { restoreMemory } from "./memory-restoration.js";
import type { StoredMemory } from "./contract/stored-memory.js";

/** The parts that all memories of a store share. */
export interface MongoMemoryContext extends SharedCollections {
  /** The same object for all memories of a store. */
  storage: object;
  clock: () => Date;
  /** The times of files, if they differ from those of `clock`. */
  fileClock?: (() => Date) | undefined;
  expiry: MemoryExpiry;
  /** Whether the store only reads: a revert then only returns what it would record. */
  isReader: boolean;
}

/**
 * One memory in MongoDB. First, one command tries to make a change. If the command does not make the
 * change, the tree of `transact` makes or refuses it.
 */
export class MongoMemory implements MemoryBackend {
  readonly features: BackendFeatures;
  readonly #context: MongoMemoryContext;
  readonly #address: CheckedAddress;
  readonly #stored: StoredMemory;
  readonly #limits: BackendLimits;

  constructor(context: MongoMemoryContext, address: CheckedAddress, stored: StoredMemory, limits: BackendLimits) {
    this.#context = context;
    this.#address = address;
    this.#stored = stored;
    this.#limits = limits;
    const { embeddings } = context;
    const { history } = stored;
    this.features = {
      storage: context.storage,
      version: (call) => stored.version(call),
      snapshotSince: (known, call) => stored.snapshotSince(known, call),
      listen: (call) => stored.listen(call),
      approvals: (call) => this.#approvals(call),
      ...(embeddings !== null && { embeddings: (call) => this.#openEmbeddings(embeddings, call) }),
      ...(history !== null && { history: (call) => this.#openHistory(history, call) }),
    };
  }

  read(path: string, call: CallContext): Promise<string> {
    return this.#stored.read(path, call);
  }

  list(path: string, call: CallContext): Promise<MemoryEntry[]> {
    return this.#stored.list(path, call);
  }

  stat(path: string, call: CallContext): Promise<MemoryStat | null> {
    return this.#stored.stat(path, call);
  }

  snapshot(call: CallContext): Promise<MemorySnapshot> {
    return this.#stored.snapshot(call);
  }

  outline(options: Required<OutlineOptions>, call: CallContext): Promise<MemoryOutline> {
    return this.#stored.outline(options, call);
  }

  change(change: Change, options: ChangeOptions, call: CallContext): Promise<ChangeResult> {
    return this.#change(change, options, this.#limits.maxFileBytes, call);
  }

  async #change(
    change: Change,
    options: ChangeOptions,
    maxFileBytes: number,
    call: CallContext,
  ): Promise<ChangeResult> {
    const { clock, fileClock } = this.#context;
    const attempt = async (): Promise<ChangeResult | null> => {
      if (options.expectedDigest !== undefined) return null;
      const at = clock();
      const settings = { now: fileClock?.() ?? at, at, maxFileBytes };
      return this.#stored.attempt(toAttempted(change, options), settings, call);
    };
    const result = await attempt();
    if (result !== null) return result;
    const needsTexts = options.expectedDigest !== undefined;
    const keepsTexts = change.type === "rename";
    const scope = { ...getScope(change), needsTexts, keepsTexts };
    return this.#stored.transact(
      scope,
      (tree, { at }) => applyChange(tree, change, { now: fileClock?.() ?? at, maxFileBytes }, options),
      call,
      attempt,
    );
  }

  #openEmbeddings(embeddings: { client: MongoClient; embedder: Embedder }, call: CallContext): Embeddings {
    const { vectors, expiry } = this.#context;
    const address = this.#address;
    const lifetimeMs = expiry.lifetimeMs(address.scope);
    return new MemoryEmbeddings({ ...embeddings, address, vectors, lifetimeMs }, call);
  }

  #approvals(call: CallContext): ChangeRecords {
    const { maxFileBytes } = this.#limits;
    return new ApprovalRecords({ ...this.#context, address: this.#address, maxFileBytes }, this.#stored, call);
  }

  #openHistory(source: StoredHistory, call: CallContext): HistoryBackend {
    const { clock, versions, vectors } = this.#context;
    const context = {
      source,
      versions,
      restore: (restoration: Restoration, revision: number) =>
        restoreMemory(this.#stored, { restoration, revision }, this.#context, call),
      cover: async (path: string, { text, mask }: Pick<TextRedactor, "text" | "mask">) => {
        // The file may be larger than the limit is now.
        await this.#change({ type: "update", path, oldContent: text, content: mask }, {}, Infinity, call);
      },
      proposals: this.#approvals(call),
      removeVectors: () => vectors.remove(this.#address, call),
      clock,
      maxFileBytes: this.#limits.maxFileBytes,
    };
    return new MongoHistory(context, call);
  }
}

/** The paths below a directory must be checked on the tree. The delete of a file can still be one command. */
function toAttempted(change: Change, { checkPath }: ChangeOptions): Change {
  return change.type === "delete" && checkPath !== undefined ? { ...change, ifDirectory: "fail" } : change;
}
