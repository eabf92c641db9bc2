import type { CallContext } from "../../core/runtime/call.js";
import type { MemorySnapshot } from "../../core/tree/snapshot.js";
import type { RecordedChange } from "./outbox.js";
import type { OwnerDocument } from "./version-document.js";

/** Where versions come from. */
export interface FlushSource {
  /**
   * One command. Null where there is no memory, or it has expired. @param what "outbox": the texts that the outbox
   * needs only
   */
  read(what: "outbox" | "tree" | { path: string }, call: CallContext): Promise<PresentMemory | null>;
  /** Forgets the changes that have become versions. @returns false where the memory is gone */
  settle(present: PresentMemory, call: CallContext): Promise<boolean>;
}

/** What a memory has recorded of its changes. */
export interface StoredHistory extends FlushSource {
  /** Moves what the memory has recorded into the collection of versions, and removes versions that are no longer kept. */
  flush(call: CallContext): Promise<void>;
}

/** A memory as it is at one moment. */
export interface PresentMemory {
  /** The id of its document, as it is and as versions have it. */
  documentId: unknown;
  memory: string;
  revision: number;
  /** Which have not become versions yet. */
  changes: RecordedChange[];
  /** The first of them as the layout stores it. */
  firstStored: unknown;
  /** Texts by path: all, or those of the changes and of the path that was asked for. */
  texts: ReadonlyMap<string, string>;
  /** With "tree" only. */
  tree?: MemorySnapshot;
  /** With `{ path }` only. */
  isDirectory?: boolean;
  /** Null where the memory has versions already. */
  owner: OwnerDocument | null;
}

/** What a revert makes of a tree. */
export interface Restoration {
  /** The whole text of each file that changes, by path; null for one that goes. */
  files: ReadonlyMap<string, string | null>;
  /** Which of the files is renamed from where. */
  renamed: ReadonlyMap<string, string>;
  addedDirectories: readonly string[];
  removedDirectories: readonly string[];
  /** As the memory was when this was planned. */
  tree: MemorySnapshot;
}
