import type { MemoryActor } from "../../../core/values/actor.js";
import type { OlderText } from "../../../core/history/older-text.js";

/** The receipt of the last change that left one. Those of a store all take the same bytes. */
export interface LastChange {
  id: string;
  /** What it answers. */
  counts: [first: number, second: number];
  /** How many changes the outbox held before. */
  recorded?: number;
  recordedBytes?: number;
}

/** A change as the document of its memory holds it, by keys. Of one text it is a string: see `textEntry`. */
export type StoredChange = string | StoredTreeChange;

export interface StoredTreeChange {
  revision: number;
  at: Date;
  actor: MemoryActor | null;
  files: StoredFile[];
  directories?: { added?: (string | null)[]; removed?: string[]; moved?: { from: string; to: string } };
}

export interface StoredFile {
  key: string;
  from?: string;
  gone?: true;
  before?: string | null;
}

/** What is known of a change of one text before the server makes it. */
export interface TextHeader {
  at: number;
  actor: MemoryActor | null;
  from?: string;
  gone?: true;
  /** Its text stands behind the header. */
  older?: Omit<OlderText, "text">;
  /** The text before stands behind the header, if there was one. */
  holdsText?: boolean;
  /** Keys of directories that may be new. */
  parents?: readonly string[];
}
