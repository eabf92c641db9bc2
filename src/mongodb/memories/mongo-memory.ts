import type { MongoClient } from "mongodb";
import type { LeasedRecords } from "../../core/contract/change-record.js";
import type { TextRedactor } from "../../core/history/text-redactor.js";
import type { HistoryBackend } from "../../core/history/history-backend.js";
import type { MemoryEntry, MemoryOutline, MemoryStat, OutlineOptions } from "../../core/memory.js";
import type { BackendFeatures, Embeddings, MemoryBackend } from "../../core/contract/backend.js";
import type { CallContext } from "../../core/runtime/call.js";
import { addFiles } from "../../core/tree/add-files.js";
import { applyChange } from "../../core/tree/apply-change.js";
import { type Change, type ChangeOptions, type ChangeResult, getScope } from "../../core/tree/change.js";
import { noEdits } from "../../core/tree/memory-tree.js";
import type { MemorySnapshot } from "../../core/tree/snapshot.js";
import { MongoHistory } from "../history/memory-history.js";
import type { Embedder } from "../embeddings/embedder.js";
import { MemoryEmbeddings } from "../embeddings/memory-embeddings.js";
import { ApprovalRecords } from "./approval-records.js";
import { toOutcome, toResult } from "./changing/made-calls.js";
import { restoreMemory } from "./memory-restoration.js";
import type { PagedMemory } from "./memory-context.js";
import { StoredMemory } from "./stored-memory.js";
import type { Restoration, StoredHistory } from "../history/history-context.js";

/**
 * One memory in MongoDB. First, one command tries to make a change. If the command does not make the
 * change, the tree of `transact` makes or refuses it.
 */
export class MongoMemory implements MemoryBackend {
  readonly features: BackendFeatures;
  readonly #memory: PagedMemory;
  readonly #stored: StoredMemory;

  constructor(memory: PagedMemory) {
    this.#memory = memory;
    this.#stored = new StoredMemory(memory);
    const { embeddings, collection } = memory;
    const { history, reads } = this.#stored;
    this.features = {
      storage: collection,
      makesOnce: true,
      version: (call) => reads.version(call),
      load: (scope, call) => reads.load(scope, call),
      snapshotSince: (known, call) => reads.snapshotSince(known, call),
      listen: () => this.#stored.listen(),
      addFiles: (files, settings, call) =>
        this.#stored.transact(
          { paths: files.map(({ path }) => path), below: [] },
          (tree) => addFiles(tree, files, settings),
          call,
        ),
      approvals: (call) => this.#approvals(call),
      ...(embeddings !== null && { embeddings: (call) => this.#openEmbeddings(embeddings, call) }),
      ...(history !== null && { history: (call) => this.#openHistory(history, call) }),
    };
  }

  read(path: string, call: CallContext): Promise<string> {
    return this.#stored.reads.read(path, call);
  }

  list(path: string, call: CallContext): Promise<MemoryEntry[]> {
    return this.#stored.reads.list(path, call);
  }

  stat(path: string, call: CallContext): Promise<MemoryStat | null> {
    return this.#stored.reads.stat(path, call);
  }

  snapshot(call: CallContext): Promise<MemorySnapshot> {
    return this.#stored.reads.snapshot(call);
  }

  outline(options: Required<OutlineOptions>, call: CallContext): Promise<MemoryOutline> {
    return this.#stored.reads.outline(options, call);
  }

  change(change: Change, options: ChangeOptions, call: CallContext): Promise<ChangeResult> {
    return this.#change(change, options, this.#memory.limits.maxFileBytes, call);
  }

  async #change(
    change: Change,
    options: ChangeOptions,
    maxFileBytes: number,
    call: CallContext,
  ): Promise<ChangeResult> {
    const { clock, fileClock } = this.#memory;
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
    const scope = { ...getScope(change), needsTexts, keepsTexts, changeId: call.changeId ?? undefined };
    return this.#stored.transact<ChangeResult>(
      scope,
      (tree, { at, made }) => {
        if (made !== undefined) return { edits: noEdits, result: toResult(made) };
        const applied = applyChange(tree, change, { now: fileClock?.() ?? at, maxFileBytes }, options);
        return { ...applied, outcome: toOutcome(applied.result) };
      },
      call,
      attempt,
    );
  }

  #openEmbeddings(embeddings: { client: MongoClient; embedder: Embedder }, call: CallContext): Embeddings {
    const { vectors, expiry, address } = this.#memory;
    const lifetimeMs = expiry.lifetimeMs(address.scope);
    return new MemoryEmbeddings({ ...embeddings, address, vectors, lifetimeMs }, call);
  }

  #approvals(call: CallContext): LeasedRecords {
    return new ApprovalRecords(this.#memory, this.#stored, call);
  }

  #openHistory(source: StoredHistory, call: CallContext): HistoryBackend {
    const { clock, versions, vectors, address, limits } = this.#memory;
    const context = {
      source,
      versions,
      restore: (restoration: Restoration, revision: number) =>
        restoreMemory(this.#stored, { restoration, revision }, this.#memory, call),
      cover: async (path: string, { text, mask }: Pick<TextRedactor, "text" | "mask">) => {
        // The file may be larger than the limit is now.
        await this.#change({ type: "update", path, oldContent: text, content: mask }, {}, Infinity, call);
      },
      proposals: this.#approvals(call),
      removeVectors: () => vectors.remove(address, call),
      clock,
      maxFileBytes: limits.maxFileBytes,
    };
    return new MongoHistory(context, call);
  }
}

/** The paths below a directory must be checked on the tree. The delete of a file can still be one command. */
function toAttempted(change: Change, { checkPath }: ChangeOptions): Change {
  return change.type === "delete" && checkPath !== undefined ? { ...change, ifDirectory: "fail" } : change;
}
