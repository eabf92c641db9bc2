import { compareCodeUnits } from "../values/text.js";
import { BestPassages, type Ranked } from "./best-passages.js";
import { placeOf } from "./indexed-file.js";
import type { Vector } from "./meaning.js";
import { isWithin, type MemoryIndex } from "./memory-index.js";
import type { PassageVectors } from "./passage-vectors.js";
import type { CheckedSearch } from "./search-options.js";

/** The passages that are nearest to a query, nearest first. */
export function rankByMeaning(
  index: MemoryIndex,
  { byText }: PassageVectors,
  nearness: (vector: Vector) => number,
  { path, limit, per }: Omit<CheckedSearch, "query">,
): Ranked[] {
  const best = new BestPassages({ limit, per });
  for (const file of index.files.filter(isWithin(path))) {
    best.addFile(file, (passage) => {
      const { start, end } = placeOf(file, passage);
      const vector = byText.get(file.content.slice(start, end));
      return vector === undefined ? null : nearness(vector);
    });
  }
  return best.ranked();
}

/*
 * Reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009). Their constant is 60, and each ranking counts as
 * much as the other. Then a passage that is low in both comes before one that is first by words alone, and long
 * dialogues were searched worse than by words (bench/search/RESULTS.md).
 */
const rankConstant = 3;
const meaningShare = 0.5;

/**
 * The passages that are high in either ranking, best first. For a file it takes the passage of the ranking in which the
 * file is higher. A passage that is first in both keeps its score by words, so hits of memories with and without
 * embeddings can be sorted together.
 */
export function fuse(
  byWords: readonly Ranked[],
  byMeaning: readonly Ranked[],
  { limit, per }: Pick<CheckedSearch, "limit" | "per">,
): Ranked[] {
  const unit = ((byWords[0]?.score ?? 1) * (rankConstant + 1)) / (1 + meaningShare);
  const fused = new Map<string, Ranked & { rank: number }>();
  for (const [ranking, share] of [
    [byWords, 1],
    [byMeaning, meaningShare],
  ] as const) {
    ranking.forEach((ranked, rank) => {
      const key = per === "file" ? ranked.file.path : `${ranked.passage} ${ranked.file.path}`;
      const other = fused.get(key);
      const score = (other?.score ?? 0) + (unit * share) / (rankConstant + rank + 1);
      fused.set(key, other !== undefined && other.rank <= rank ? { ...other, score } : { ...ranked, rank, score });
    });
  }
  return Array.from(fused.values())
    .toSorted((a, b) => b.score - a.score || compareCodeUnits(a.file.path, b.file.path) || a.passage - b.passage)
    .slice(0, limit);
}
