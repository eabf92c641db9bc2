import { type IndexedFile, stepsPerYield } from "./word-index.js";
import type { Steps } from "../runtime/time-slices.js";
import type { CheckedSearch } from "./search-options.js";

/** A passage with its score. */
export interface Hit {
  file: IndexedFile;
  passage: number;
  score: number;
}

/** Collects the best passages, or the best one of each file. */
export class BestHits {
  readonly #limit: number;
  readonly #perFile: boolean;
  #hits: Hit[] = [];
  /** A later hit with this score, or a lower one, is not among the best. */
  #tooLow = -Infinity;

  constructor({ limit, per }: Pick<CheckedSearch, "limit" | "per">) {
    this.#limit = limit;
    this.#perFile = per === "file";
  }

  /**
   * Adds the passages of a file. Files come in the order of their paths. The pieces of a long line give one hit, the
   * best piece.
   * @param getScore returns null if a passage is no hit
   */
  *addFile(file: IndexedFile, getScore: (passage: number) => number | null): Steps<void> {
    let best: Hit | null = null;
    // Passage 0 is the path.
    for (let passage = 1; passage < file.passages.length; passage += 1) {
      if (passage % stepsPerYield === 0) yield;
      const score = getScore(passage);
      if (score === null) continue;
      const isSameHit = best !== null && (this.#perFile || getLine(file, best.passage) === getLine(file, passage));
      if (best !== null && isSameHit && score <= best.score) continue;
      if (best !== null && !isSameHit) this.#add(best);
      best = { file, passage, score };
    }
    if (best !== null) this.#add(best);
  }

  /** Returns the hits, best first. Hits with equal scores stay in the order of paths and lines. */
  sorted(): Hit[] {
    return this.#hits.toSorted((a, b) => b.score - a.score).slice(0, this.#limit);
  }

  #add(hit: Hit): void {
    if (hit.score <= this.#tooLow) return;
    this.#hits.push(hit);
    if (this.#hits.length < 4 * this.#limit) return;
    this.#hits = this.sorted();
    this.#tooLow = this.#hits.at(-1)?.score ?? -Infinity;
  }
}

export function getLine(file: IndexedFile, passage: number): number {
  return file.passages.get(passage, "firstLine") ?? 0;
}
