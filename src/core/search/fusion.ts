import { compareCodeUnits } from "../values/text.js";
import type { Steps } from "../runtime/time-slices.js";
import { BestHits, getLine, type Hit } from "./best-hits.js";
import type { Vector } from "../contract/backend.js";
import { isWithin, type WordIndex } from "./word-index.js";
import type { PassageVectors } from "./passage-vectors.js";
import type { CheckedSearch } from "./search-options.js";

/** Finds the passages that are most similar to a query, best first. */
export function* rankBySimilarity(
  index: WordIndex,
  { byText }: PassageVectors,
  getSimilarity: (vector: Vector) => number,
  { path, limit, per }: Omit<CheckedSearch, "query">,
): Steps<Hit[]> {
  const best = new BestHits({ limit, per });
  for (const file of index.files.filter(isWithin(path))) {
    yield* best.addFile(file, (passage) => {
      const { start, end } = file.passages.at(passage) ?? { start: 0, end: 0 };
      const vector = byText.get(file.content.slice(start, end));
      return vector === undefined ? null : getSimilarity(vector);
    });
    yield;
  }
  return best.sorted();
}

/*
 * Reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009). The paper uses 60, and gives both rankings the
 * same weight. With these numbers, a passage that is low in both rankings comes before a passage that is first by words
 * alone, and searches of long dialogues were worse than searches by words (bench/search/RESULTS.md).
 */
const rankConstant = 3;
const similarityShare = 0.5;

/**
 * Finds the passages that are high in either ranking, best first. For a file, and for a long line, takes the passage of
 * the ranking in which the file or line is higher. A passage that is first in both keeps its score by words. So hits of
 * memories with and without embeddings can be sorted together.
 */
export function fuse(
  byWords: readonly Hit[],
  bySimilarity: readonly Hit[],
  { limit, per }: Pick<CheckedSearch, "limit" | "per">,
): Hit[] {
  const unit = ((byWords[0]?.score ?? 1) * (rankConstant + 1)) / (1 + similarityShare);
  const fused = new Map<string, Hit & { rank: number }>();
  const add = (hits: readonly Hit[], share: number): void =>
    hits.forEach((hit, rank) => {
      const { path } = hit.file;
      const key = per === "file" ? path : `${getLine(hit.file, hit.passage)} ${path}`;
      const other = fused.get(key);
      const score = (other?.score ?? 0) + (unit * share) / (rankConstant + rank + 1);
      fused.set(key, other !== undefined && other.rank <= rank ? { ...other, score } : { ...hit, rank, score });
    });
  add(byWords, 1);
  add(bySimilarity, similarityShare);
  return Array.from(fused.values())
    .toSorted((a, b) => b.score - a.score || compareCodeUnits(a.file.path, b.file.path) || a.passage - b.passage)
    .slice(0, limit);
}
