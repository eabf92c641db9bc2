import type { MemoryBackend } from "../backend.js";
import type { CallContext } from "../runtime/call.js";
import { compareCodeUnits } from "../values/text.js";
import type { Ranked } from "./best-passages.js";
import { fuse, rankByMeaning } from "./fused-ranking.js";
import { type IndexOwner, indexOf } from "./index-cache.js";
import { placeOf } from "./indexed-file.js";
import { indexTexts } from "./memory-index.js";
import { rank, soughtIn } from "./ranking.js";
import type { CheckedSearch, SearchHit } from "./search-options.js";
import { englishWords, wordsBy } from "./words.js";

/** How far down the rankings by words and by meaning a passage may stand that is found by both. */
export const fusedRanks = 100;

/** The passages of a memory that have most to do with a query. */
export async function searchMemory(
  backend: MemoryBackend,
  owner: IndexOwner,
  wanted: CheckedSearch,
  call: CallContext,
): Promise<SearchHit[]> {
  return hitsOf(await rankedIn(backend, owner, wanted, call));
}

async function rankedIn(
  backend: MemoryBackend,
  owner: IndexOwner,
  wanted: CheckedSearch,
  call: CallContext,
): Promise<Ranked[]> {
  const { query, limit, path } = wanted;
  const meaning = backend.features?.embeddings?.(call) ?? null;
  // The storage knows no words but these, and nothing of meaning.
  const narrowed =
    meaning === null && owner.wordsOf === englishWords
      ? ((await backend.features?.prefilter?.(query, path, call)) ?? null)
      : null;
  if (narrowed !== null) {
    const chosen = await indexTexts(narrowed.texts, englishWords, null, () => call.throwIfAborted());
    return rank(chosen, soughtIn(chosen, englishWords(query)), wanted, narrowed.files);
  }
  const { index, vectors } = await indexOf(backend, owner, call);
  const sought = soughtIn(index, wordsBy(owner.wordsOf, query));
  if (meaning === null || vectors === null || vectors.byText.size === 0) return rank(index, sought, wanted);
  const nearness = await meaning.nearness(query);
  const deeper = { ...wanted, limit: Math.max(limit, fusedRanks) };
  return fuse(rank(index, sought, deeper), rankByMeaning(index, vectors, nearness, deeper), wanted);
}

function hitsOf(ranked: readonly Ranked[]): SearchHit[] {
  return ranked.map(({ file, passage, score }) => {
    const { start, end, firstLine: startLine, lastLine: endLine } = placeOf(file, passage);
    return { path: file.path, startLine, endLine, text: file.content.slice(start, end), score };
  });
}

/** The best of several answers. */
export function bestHits(answers: readonly (readonly SearchHit[])[], limit: number): SearchHit[] {
  return answers
    .flat()
    .toSorted((a, b) => b.score - a.score || compareCodeUnits(a.path, b.path) || a.startLine - b.startLine)
    .slice(0, limit);
}
