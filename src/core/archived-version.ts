import type { MemoryActor } from "./actor.js";
import type { VersionOperation } from "./history.js";
import type { OlderText } from "./older-text.js";
import type { MemorySnapshot } from "./snapshot.js";

/** A version on its way from one database to another, as it is kept: it holds the text before it, not the one after it. */
export interface ArchivedVersion {
  id: string;
  /** The id of the first version of this file. Absent where the change was of directories alone. */
  file?: string | undefined;
  /** The id of the version before, of this file or of a deleted one at its path. */
  since?: string | undefined;
  /** Absent where it is redacted, as in `from`. */
  path?: string | undefined;
  from?: string | undefined;
  operation?: VersionOperation | undefined;
  at: Date;
  actor: MemoryActor | null;
  /** Absent where there was none or the same. Null: it is redacted. */
  older?: OlderText | null | undefined;
  sizeBytes: number | null;
  sha256: string | null;
  directories?: { added?: string[] | undefined; removed?: string[] | undefined; moved?: { from: string; to: string } | undefined } | undefined;
  redactedAt?: Date | undefined;
  redactedBy?: MemoryActor | undefined;
}

/** A memory with its history, at one moment. */
export interface ArchivedMemory {
  tree: MemorySnapshot;
  /** Null if there is none. */
  history: ArchivedHistory | null;
}

export interface ArchivedHistory {
  /** How many changes the memory has had. No later version has an id of these. */
  revision: number;
  /** Newest first; the same each time. One version is held at a time. */
  each: (use: (version: ArchivedVersion) => Promise<void> | void) => Promise<void>;
}
