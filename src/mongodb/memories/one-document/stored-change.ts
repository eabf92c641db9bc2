import type { MemoryActor } from "../../../core/actor.js";
import type { OlderText } from "../../../core/older-text.js";

/** A change as the document of its memory holds it, by keys. */
export interface StoredChange {
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
  beforeBytes?: number | null;
  older?: OlderText;
}
