import type { ChangeListener } from "../../../core/contract/change-listener.js";
import type { CallContext } from "../../../core/runtime/call.js";
import type { CheckedAddress } from "../../../core/values/address.js";
import type { KeptLayout } from "../contract/layout.js";
import type { StoredHistory } from "../../history/history-source.js";
import type { StoredMemory } from "../contract/stored-memory.js";
import { createForwarder, type ForwardTable, type RunOnTarget } from "./forward.js";
import type { Following, LayoutPlace } from "./following.js";
import { reasonToFollow } from "./moved-memory.js";

const memoryTable: ForwardTable<Omit<StoredMemory, "listen">> = {
  attempt: "change",
  transact: "change",
  read: "read",
  readFiles: "read",
  list: "read",
  stat: "read",
  snapshot: "read",
  outline: "read",
  version: "read",
  snapshotSince: "read",
  prefilter: "read",
  appliedIds: "read",
  removeAppliedIds: "read",
  updatedAt: "read",
  items: "read",
  checkChanges: "read",
  upgrade: "read",
};

const historyTable: ForwardTable<StoredHistory> = { read: "read", settle: "read", flush: "read" };

/** Opens one memory in any layout: each call runs on the layout that keeps the memory. */
export function followMemory(
  following: Following,
  address: CheckedAddress,
  open: (layout: KeptLayout) => StoredMemory,
): StoredMemory {
  const home = open(following.home);
  const at = (place: LayoutPlace): StoredMemory => (place === "home" ? home : open(following.at(place)));
  /** Most memories have never moved, and their calls use only the first part. */
  const run: RunOnTarget<StoredMemory> = async (stage, args, use) => {
    if (following.getLastPlace(address) === "home") {
      try {
        return await use(home);
      } catch (error) {
        if (reasonToFollow(error) === null) throw error;
      }
    }
    // Every method gets the call last.
    return following.run(address, stage, (place) => use(at(place)), args.at(-1) as CallContext);
  };
  return {
    ...createForwarder<Omit<StoredMemory, "listen">>(memoryTable, run),
    history:
      home.history &&
      createForwarder<StoredHistory>(historyTable, (stage, args, use) =>
        run(stage, args, (memory) => use(requireHistory(memory))),
      ),
    listen: (call) => {
      const listen = async (place: LayoutPlace): Promise<ChangeListener | null> => {
        // It is not known in which layout the memory will be created.
        const listener = place === "nowhere" ? null : await at(place).listen(call);
        return listener && stopAfterMove(listener, () => following.getLastPlace(address) === place);
      };
      return following.run(address, "read", listen, call);
    },
  };
}

/** All layouts of a store keep a history, or none does. */
function requireHistory({ history }: StoredMemory): StoredHistory {
  if (history === null) throw new TypeError("a layout lacks the history that the other one has");
  return history;
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
