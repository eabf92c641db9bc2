import type { BackendFeatures, MemoryBackend } from "../../core/contract/backend.js";
import type { ChangeListener } from "../../core/contract/change-listener.js";
import type { ChangeRecords } from "../../core/contract/change-record.js";
import { snapshotSince } from "../../core/contract/snapshot-since.js";
import type { HistoryBackend } from "../../core/history/history-backend.js";
import type { CallContext } from "../../core/runtime/call.js";
import type { CheckedAddress } from "../../core/values/address.js";
import { createForwarder, type ForwardStage, type ForwardTable } from "./forward.js";
import type { Following } from "./following.js";
import type { KeptLayout } from "./layout.js";
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
  const home = open(following.home);
  // Most memories have never moved, and their calls need nothing of what follows.
  const run = async <R>(
    stage: ForwardStage,
    call: CallContext,
    use: (backend: MemoryBackend) => Promise<R>,
  ): Promise<R> => {
    if (following.placeOf(address) === "home") {
      try {
        return await use(home);
      } catch (error) {
        if (reasonToFollow(error) === null) throw error;
      }
    }
    return following
      .forCall(call)
      .run(address, stage, (place) => use(place === "home" ? home : open(following.at(place))));
  };
  const listen = async (call: CallContext): Promise<ChangeListener | null> => {
    const listened = await following.forCall(call).run(address, "read", async (place) => {
      // Where a memory that is nowhere will be made is not known.
      if (place === "nowhere") return null;
      const backend = place === "home" ? home : open(following.at(place));
      const listener = (await backend.features?.listen?.(call)) ?? null;
      return listener && { place, listener };
    });
    return listened && stopAfterMove(listened.listener, () => following.placeOf(address) === listened.place);
  };
  const { storage, embeddings, history, approvals } = home.features ?? {};
  const features: BackendFeatures = {
    ...(storage !== undefined && { storage }),
    version: (call) => run("read", call, async ({ features: own }) => (await own?.version?.(call)) ?? null),
    snapshotSince: (known, call) => run("read", call, (backend) => snapshotSince(backend, known, call)),
    prefilter: (query, path, call) =>
      run("read", call, async ({ features: own }) => (await own?.prefilter?.(query, path, call)) ?? null),
    listen,
    // The vectors are those of both layouts.
    ...(embeddings !== undefined && { embeddings }),
    ...(history !== undefined && {
      history: (call) =>
        createForwarder<HistoryBackend>(historyTable, (stage, _args, use) =>
          run(stage, call, (backend) => use((backend.features?.history ?? history)(call))),
        ),
    }),
    ...(approvals !== undefined && {
      approvals: (call) => {
        const records = approvals(call);
        const forwarded = createForwarder<ChangeRecords>(recordsTable, (stage, _args, use) =>
          run(stage, call, (backend) => use((backend.features?.approvals ?? approvals)(call))),
        );
        return {
          ...forwarded,
          now: () => records.now(),
          // The records are in one collection for all layouts.
          list: (kind, statuses) => records.list(kind, statuses),
        };
      },
    }),
  };
  const methods = createForwarder<MemoryBackend>(memoryTable, (stage, args, use) =>
    // Every method of a backend gets the call last.
    run(stage, args.at(-1) as CallContext, use),
  );
  return { ...methods, features };
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
