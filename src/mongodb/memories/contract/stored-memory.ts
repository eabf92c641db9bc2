import type { CallContext } from "../../../core/runtime/call.js";
import type { BackendFeatures, MemoryBackend } from "../../../core/contract/backend.js";
import type { ChangeListener } from "../../../core/contract/change-listener.js";
import type { FlushSource } from "../../history/history-source.js";
import type { VersionCollection } from "../../history/version-collection.js";
import type { TreeStorage } from "./tree-storage.js";

/** One memory as a layout stores it. `MongoMemory` makes a backend of it. */
export interface StoredMemory
  extends TreeStorage, Pick<MemoryBackend, "read" | "readFiles" | "list" | "stat" | "snapshot" | "outline"> {
  /** What the layout can do of these. */
  readonly features: Pick<BackendFeatures, "version" | "snapshotSince" | "prefilter">;
  listen(): Promise<ChangeListener | null>;
  /** Null where the store keeps no history. */
  readonly history: StoredHistory | null;
  /** The ids of approved changes with which the memory is marked. */
  marks(call: CallContext): Promise<string[]>;
  removeMarks(ids: readonly string[], call: CallContext): Promise<void>;
  /** When the memory was last changed; null if there is none. */
  updatedAt(call: CallContext): Promise<Date | null>;
}

/** Where the versions of one memory are. */
export interface StoredHistory {
  /** What the memory has recorded of itself, and its present texts. */
  source: FlushSource;
  versions: VersionCollection;
  /** Moves what the memory has recorded into the collection, and removes versions that are no longer kept. */
  flush: (call: CallContext) => Promise<void>;
}
