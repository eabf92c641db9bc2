import type { Embeddings, MemoryBackend } from "../contract/backend.js";
import type { CallContext } from "../runtime/call.js";
import { runInTimeSlices } from "../runtime/time-slices.js";
import { compareCodeUnits } from "../values/text.js";
import type { Hit } from "./best-hits.js";
import { fuse, rankBySimilarity } from "./fusion.js";
import { type IndexOwner, readIndex, type Searchable } from "./index-cache.js";
import { cutMark, findShownStart, findSpeaker } from "./passages.js";
import { type QueryWords, readQuery } from "./query-words.js";
import { rank } from "./rank.js";
import type { CheckedSearch, SearchHit } from "./search-options.js";

/** The lowest place in the rankings by words and by similarity at which a passage counts for both. */
export const fusedRanks = 100;

/** Finds the passages of a memory that are most relevant to a query, and describes them. */
export async function searchMemory(
  backend: MemoryBackend,
  owner: IndexOwner,
  search: CheckedSearch,
  call: CallContext,
): Promise<SearchHit[]> {
  const embeddings = backend.features?.embeddings?.(call) ?? null;
  const searchable = await readIndex(backend, owner, embeddings, call);
  const queryWords = readQuery(owner.searchWords, search.query);
  const hits = await findHits(searchable, embeddings, { ...search, queryWords }, call);
  return hits.flatMap(describeHit);
}

function describeHit({ file: { path, content, passages }, passage, score }: Hit): SearchHit[] {
  const place = passages.at(passage);
  if (place === undefined) return [];
  const speaker = findSpeaker(content, place);
  const text =
    speaker === ""
      ? content.slice(findShownStart(content, place), place.end)
      : speaker + cutMark + content.slice(place.start, place.end);
  return [{ path, startLine: place.firstLine, endLine: place.lastLine, text, score }];
}

/** Finds the passages of an index that are most relevant to a query: by words, and by meaning if there are vectors. */
export async function findHits(
  { index, vectors }: Searchable,
  embeddings: Embeddings | null,
  { queryWords, ...search }: CheckedSearch & { queryWords: QueryWords },
  call: CallContext,
): Promise<Hit[]> {
  if (embeddings === null || vectors === null || vectors.byText.size === 0)
    return runInTimeSlices(rank(index, queryWords, search), call);
  const getSimilarity = await embeddings.createSimilarity(search.query);
  const deeper = { ...search, limit: Math.max(search.limit, fusedRanks) };
  const byWords = await runInTimeSlices(rank(index, queryWords, deeper), call);
  const bySimilarity = await runInTimeSlices(rankBySimilarity(index, vectors, getSimilarity, deeper), call);
  return fuse(byWords, bySimilarity, search);
}

/** Returns the best hits of several answers. */
export function mergeHits(answers: readonly (readonly SearchHit[])[], limit: number): SearchHit[] {
  return answers
    .flat()
    .toSorted((a, b) => b.score - a.score || compareCodeUnits(a.path, b.path) || a.startLine - b.startLine)
    .slice(0, limit);
}
