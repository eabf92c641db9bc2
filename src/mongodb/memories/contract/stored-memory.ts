import type { Item } from "@langchain/langgraph-checkpoint";
import type { CallContext } from "../../../core/runtime/call.js";
import type { MemoryBackend } from "../../../core/contract/backend.js";
import type { ChangeListener } from "../../../core/contract/change-listener.js";
import type { MemoryOptions } from "../../../core/memory-options.js";
import type { VersionedSnapshot } from "../../../core/tree/snapshot.js";
import type { StoredHistory } from "../../history/history-source.js";
import type { MemoryLocation } from "../../operations/memory-location.js";
import type { TreeStorage } from "./tree-storage.js";

/** One memory as it is stored. `MongoMemory` makes a backend of it. */
export interface StoredMemory
  extends TreeStorage, Pick<MemoryBackend, "read" | "list" | "stat" | "snapshot" | "outline"> {
  /** Reads a text that differs after each change. Null if there is no memory. */
  version(call: CallContext): Promise<string | null>;
  /**
   * Reads the whole memory at one point in time. Leaves out texts whose version (by path) is known, if the storage can
   * do so.
   */
  snapshotSince(known: ReadonlyMap<string, string>, call: CallContext): Promise<VersionedSnapshot>;
  listen(call: CallContext): Promise<ChangeListener | null>;
  /** Null if the store keeps no history. */
  readonly history: StoredHistory | null;
  /** Reads the ids of approved changes that were made, until their records say so. */
  appliedIds(call: CallContext): Promise<string[]>;
  removeAppliedIds(ids: readonly string[], call: CallContext): Promise<void>;
  /** Reads the time of the last change of the memory. Null if there is no memory. */
  updatedAt(call: CallContext): Promise<Date | null>;
  /**
   * Reads the files and directories at these locations as items, or null if there is none. One command for each
   * hundred.
   */
  items(places: readonly MemoryLocation[], call: CallContext): Promise<(Item | null)[]>;
  /**
   * Refuses changes that the memory in its present state would refuse, one after the other. Changes nothing.
   * @throws what `write` of the backend throws, and EINVAL for a directory that is not empty
   */
  checkChanges(changes: readonly PlannedWrite[], options: Required<MemoryOptions>, call: CallContext): Promise<void>;
  /**
   * Rewrites the memory in the present form, as its next change would do.
   * @returns whether the memory had another form.
   * @throws ECONFLICT, ENOSPC
   */
  upgrade(call: CallContext): Promise<boolean>;
}

/** A write to a memory through the methods of the store. No delete is recursive. */
export type PlannedWrite =
  | { kind: "put"; path: string; content: string }
  | { kind: "deleteFile"; path: string }
  | { kind: "deleteDirectory"; path: string };
