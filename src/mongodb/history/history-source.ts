import type { CallContext } from "../../core/runtime/call.js";
import type { MemorySnapshot } from "../../core/tree/snapshot.js";
import type { RecordedChange } from "./outbox.js";
import type { OwnerDocument } from "./version-document.js";

/** The memory from which versions come. */
export interface FlushSource {
  /**
   * Reads the memory with one command. Null if there is no memory, or if it has expired.
   * @param what "outbox": only the texts that the outbox needs
   */
  read(what: "outbox" | "tree" | { path: string }, call: CallContext): Promise<PresentMemory | null>;
  /** Removes the changes that have become versions. @returns false if the memory is gone */
  settle(present: PresentMemory, call: CallContext): Promise<boolean>;
}

/** The recorded changes of a memory. */
export interface StoredHistory extends FlushSource {
  /**
   * Moves the recorded changes of the memory into the collection of versions, and removes versions that are no longer
   * kept.
   */
  flush(call: CallContext): Promise<void>;
}

/** A memory at one point in time. */
export interface PresentMemory {
  /** A condition that finds the document of the memory. */
  documentId: unknown;
  /** The first part of the ids of the versions. */
  memory: string;
  revision: number;
  /** Changes that have not become versions yet. */
  changes: RecordedChange[];
  /** Texts by path: all, or those of the changes and of the requested path. */
  texts: ReadonlyMap<string, string>;
  /** Only with "tree". */
  tree?: MemorySnapshot;
  /** Only with `{ path }`. */
  isDirectory?: boolean;
  /** Null if the memory has versions already. */
  owner: OwnerDocument | null;
}

/** The changes of a tree that a revert makes. */
export interface Restoration {
  /** The whole text of each changed file, by path; null for a removed file. */
  files: ReadonlyMap<string, string | null>;
  /** The former path of each renamed file, by its new path. */
  renamed: ReadonlyMap<string, string>;
  addedDirectories: readonly string[];
  removedDirectories: readonly string[];
  /** The memory at the time of the plan. */
  tree: MemorySnapshot;
}
