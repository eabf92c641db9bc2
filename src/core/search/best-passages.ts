import { countPassages, type IndexedFile } from "./indexed-file.js";
import type { CheckedSearch } from "./search-options.js";

/** A passage with its score. */
export interface Ranked {
  file: IndexedFile;
  passage: number;
  score: number;
}

/** Collects the best passages, or the best one of each file, best first; those of one score by path and line. */
export class BestPassages {
  readonly #best: Ranked[] = [];
  readonly #limit: number;
  readonly #isPerFile: boolean;

  constructor({ limit, per }: Pick<CheckedSearch, "limit" | "per">) {
    this.#limit = limit;
    this.#isPerFile = per === "file";
  }

  /** Adds the passages of a file. Files come in the order of paths. @param scoreOf null for a passage that is no hit */
  addFile(file: IndexedFile, scoreOf: (passage: number) => number | null): void {
    let bestOfFile: Ranked | null = null;
    // Passage 0 is the path.
    for (let passage = 1, end = countPassages(file); passage < end; passage += 1) {
      const score = scoreOf(passage);
      if (score === null) continue;
      if (!this.#isPerFile) this.#keep({ file, passage, score });
      else if (bestOfFile === null || score > bestOfFile.score) bestOfFile = { file, passage, score };
    }
    if (bestOfFile !== null) this.#keep(bestOfFile);
  }

  ranked(): Ranked[] {
    return this.#best;
  }

  /** Puts a candidate behind all that are as good, because candidates come by path and line. */
  #keep(candidate: Ranked): void {
    const best = this.#best;
    if (best.length === this.#limit && candidate.score <= (best.at(-1)?.score ?? 0)) return;
    let low = 0;
    let high = best.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((best[middle]?.score ?? 0) >= candidate.score) low = middle + 1;
      else high = middle;
    }
    best.splice(low, 0, candidate);
    if (best.length > this.#limit) best.pop();
  }
}
