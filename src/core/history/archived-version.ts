import type { MemoryActor } from "../values/actor.js";
import type { VersionOperation } from "./history.js";
import type { OlderText } from "./older-text.js";

/**
 * A version that is copied from one database to another. It contains the text before the change, not the one after it.
 */
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
  directories?:
    | {
        added?: string[] | undefined;
        removed?: string[] | undefined;
        moved?: { from?: string | undefined; to?: string | undefined } | undefined;
      }
    | undefined;
  redactedAt?: Date | undefined;
  /** True: only a part of the text is redacted. */
  masked?: true | undefined;
  redactedBy?: MemoryActor | undefined;
}

export interface ArchivedText {
  content: string;
  createdAt: Date;
  updatedAt: Date;
}

export interface ArchivedFile {
  path: string;
  /** Bytes of UTF-8. */
  sizeBytes: number;
  /** Reads the text, and does not cache it. Fastest in the order of the files. */
  load: () => Promise<ArchivedText>;
}

/** The files of a memory that is copied. */
export interface ArchivedTree {
  directories: readonly string[];
  files: readonly ArchivedFile[];
}

type UseVersion = (version: ArchivedVersion) => Promise<void> | void;

export interface ArchivedHistory {
  /** How many changes the memory has had. No later version has an id of these. */
  revision: number;
  /** Newest first, the same each time. Reads one version at a time. */
  each: (use: UseVersion) => Promise<void>;
  /**
   * The same of some files, by what `file` of their versions says: one file after the other, of each the newest first.
   */
  eachOf: (files: readonly string[], use: UseVersion) => Promise<void>;
}
