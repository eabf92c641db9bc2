import type { Item } from "@langchain/langgraph-checkpoint";
import type { CallContext } from "../../../core/runtime/call.js";
import type { MemoryBackend } from "../../../core/contract/backend.js";
import type { CandidateFiles } from "../../../core/contract/candidate-files.js";
import type { ChangeListener } from "../../../core/contract/change-listener.js";
import type { MemoryOptions } from "../../../core/memory-options.js";
import type { VersionedSnapshot } from "../../../core/tree/snapshot.js";
import type { StoredHistory } from "../../history/history-source.js";
import type { MemoryLocation } from "../../operations/checked-operation.js";
import type { ArchivedMemory } from "../memory-moment.js";
import type { ArchivedHistory, ArchivedTree } from "../../../core/history/archived-version.js";
import type { TreeStorage } from "./tree-storage.js";

/**
 * One memory as a layout stores it. `MongoMemory` makes a backend of it. Every method throws `movedAway` if another
 * layout keeps the memory, and may run again there.
 */
export interface StoredMemory
  extends TreeStorage, Pick<MemoryBackend, "read" | "readFiles" | "list" | "stat" | "snapshot" | "outline"> {
  /** Another text after each change. Null if the layout counts no changes, or there is no memory. */
  version(call: CallContext): Promise<string | null>;
  /** Everything at one moment, without the texts of the known versions, by path, if the layout can leave those out. */
  snapshotSince(known: ReadonlyMap<string, string>, call: CallContext): Promise<VersionedSnapshot>;
  /** The files that may answer a query. Null if the layout cannot tell. */
  prefilter(query: string, path: string, call: CallContext): Promise<CandidateFiles | null>;
  listen(call: CallContext): Promise<ChangeListener | null>;
  /** Null if the store keeps no history. */
  readonly history: StoredHistory | null;
  /** The ids of approved changes that were made, until their records say so. */
  appliedIds(call: CallContext): Promise<string[]>;
  removeAppliedIds(ids: readonly string[], call: CallContext): Promise<void>;
  /** When the memory was last changed; null if there is none. */
  updatedAt(call: CallContext): Promise<Date | null>;
  /** The files and directories at those places as items, null where nothing is; one command for each hundred. */
  items(places: readonly MemoryLocation[], call: CallContext): Promise<(Item | null)[]>;
  /**
   * Refuses what the memory as it is now would refuse of these changes, one after the other. Changes nothing.
   * @throws what `write` of the backend throws, and EINVAL for a directory in which something lies
   */
  checkChanges(changes: readonly PlannedWrite[], options: Required<MemoryOptions>, call: CallContext): Promise<void>;
  /**
   * A memory with its history, at one moment, which must be closed; null where there is no memory. Texts and versions
   * are read as they are asked for. @throws ECONFLICT as of `MemoryMoment`
   */
  archived(call: CallContext): Promise<ArchivedMemory | null>;
  /**
   * Makes a memory with its history. Nothing of it is seen before all of it is there; broken off, it is done again.
   * @returns false where there is a memory already, which stays
   */
  restore(archive: MemoryArchive, call: CallContext): Promise<boolean>;
  /**
   * Rewrites the memory in the present form, which its next change would do otherwise. @returns whether it had another.
   * @throws ECONFLICT, ENOSPC
   */
  upgrade(call: CallContext): Promise<boolean>;
}

/** What a memory is made of that `restore` makes. */
export interface MemoryArchive {
  /** Of a size that the layout keeps. It and the history are checked, and may be read several times. */
  tree: ArchivedTree;
  history: ArchivedHistory;
  /**
   * The same for the same content, and for no other: what was left of another attempt is used again, and never mixed.
   */
  key: string;
}

/** A write to a memory through the store's own methods; no delete is recursive. */
export type PlannedWrite =
  | { kind: "put"; path: string; content: string }
  | { kind: "deleteFile"; path: string }
  | { kind: "deleteDirectory"; path: string };
