import type { BackendFeatures, MemoryBackend } from "../../../core/contract/backend.js";
import type { ChangeListener } from "../../../core/contract/change-listener.js";
import type { ChangeRecords } from "../../../core/contract/change-record.js";
import { snapshotSince } from "../../../core/contract/snapshot-since.js";
import type { HistoryBackend } from "../../../core/history/history-backend.js";
import type { CallContext } from "../../../core/runtime/call.js";
import type { CheckedAddress } from "../../../core/values/address.js";
import { createForwarder, type ForwardStage, type ForwardTable } from "./forward.js";
import type { Following, Place } from "./following.js";
import type { KeptLayout } from "../contract/layout.js";
import { reasonToFollow } from "./moved-memory.js";

const memoryTable: ForwardTable<MemoryBackend> = {
  read: "read",
  readFiles: "read",
  list: "read",
  stat: "read",
  snapshot: "read",
  outline: "read",
  change: "change",
};

const historyTable: ForwardTable<HistoryBackend> = {
  page: "read",
  read: "read",
  readChange: "read",
  at: "read",
  texts: "read",
  lineage: "read",
  revert: "change",
  redact: "change",
};

/** `put` and `unmark` look at the memory, and change only their own collection. */
const recordsTable: ForwardTable<ChangeRecords> = {
  find: "read",
  put: "read",
  swap: "read",
  apply: "change",
  unmark: "read",
};

/** One memory, wherever it is: each call runs on the layout that keeps the memory. */
export function followMemory(
  following: Following,
  address: CheckedAddress,
  open: (layout: KeptLayout) => MemoryBackend,
): MemoryBackend {
  const memory = new FollowedMemory(following, address, open);
  const methods = createForwarder<MemoryBackend>(memoryTable, (stage, args, use) =>
    // Every method of a backend gets the call last.
    memory.run(stage, args.at(-1) as CallContext, use),
  );
  return { ...methods, features: createFeatures(memory) };
}

class FollowedMemory {
  readonly home: MemoryBackend;
  readonly #following: Following;
  readonly #address: CheckedAddress;
  readonly #open: (layout: KeptLayout) => MemoryBackend;

  constructor(following: Following, address: CheckedAddress, open: (layout: KeptLayout) => MemoryBackend) {
    this.#following = following;
    this.#address = address;
    this.#open = open;
    this.home = open(following.home);
  }

  /** Most memories have never moved, and their calls need nothing of what follows. */
  async run<R>(stage: ForwardStage, call: CallContext, use: (backend: MemoryBackend) => Promise<R>): Promise<R> {
    if (this.#following.placeOf(this.#address) === "home") {
      try {
        return await use(this.home);
      } catch (error) {
        if (reasonToFollow(error) === null) throw error;
      }
    }
    return this.#following.forCall(call).run(this.#address, stage, (place) => use(this.#at(place)));
  }

  /** Null for a memory that is nowhere: where it will be made is not known. */
  async listen(call: CallContext): Promise<ChangeListener | null> {
    return this.#following.forCall(call).run(this.#address, "read", async (place) => {
      if (place === "nowhere") return null;
      const listener = (await this.#at(place).features?.listen?.(call)) ?? null;
      return listener && stopAfterMove(listener, () => this.#following.placeOf(this.#address) === place);
    });
  }

  #at(place: Place): MemoryBackend {
    return place === "home" ? this.home : this.#open(this.#following.at(place));
  }
}

function createFeatures(memory: FollowedMemory): BackendFeatures {
  const { features = {} } = memory.home;
  return {
    ...(features.storage !== undefined && { storage: features.storage }),
    version: (call) => memory.run("read", call, async (backend) => (await backend.features?.version?.(call)) ?? null),
    snapshotSince: (known, call) => memory.run("read", call, (backend) => snapshotSince(backend, known, call)),
    prefilter: (query, path, call) =>
      memory.run("read", call, async (backend) => (await backend.features?.prefilter?.(query, path, call)) ?? null),
    listen: (call) => memory.listen(call),
    // The vectors are those of both layouts.
    ...(features.embeddings && { embeddings: (call: CallContext) => required(features.embeddings?.(call)) }),
    ...(features.history && { history: (call: CallContext) => followHistory(memory, call) }),
    ...(features.approvals && { approvals: (call: CallContext) => followApprovals(memory, call) }),
  };
}

function followHistory(memory: FollowedMemory, call: CallContext): HistoryBackend {
  return createForwarder<HistoryBackend>(historyTable, (stage, _args, use) =>
    memory.run(stage, call, (backend) => use(required(backend.features?.history?.(call)))),
  );
}

function followApprovals(memory: FollowedMemory, call: CallContext): ChangeRecords {
  const records = required(memory.home.features?.approvals?.(call));
  const forwarded = createForwarder<ChangeRecords>(recordsTable, (stage, _args, use) =>
    memory.run(stage, call, (backend) => use(required(backend.features?.approvals?.(call)))),
  );
  return {
    ...forwarded,
    now: () => records.now(),
    // The records are in one collection for all layouts.
    list: (kind, statuses) => records.list(kind, statuses),
  };
}

/** Both layouts of a store have the same features of these. */
function required<Feature>(feature: Feature | undefined): Feature {
  if (feature === undefined) throw new TypeError("a layout lacks a feature that the other one has");
  return feature;
}

/** Receives changes until the memory is found in another layout. */
function stopAfterMove(listener: ChangeListener, isThere: () => boolean): ChangeListener {
  return {
    get latest() {
      return listener.latest;
    },
    heard: async (known) => (isThere() ? listener.heard(known) : "renew"),
    close: () => listener.close(),
  };
}
