import { type Embeddings, type MemoryBackend, nameStorage } from "../contract/backend.js";
import { type CallContext, withinTime } from "../runtime/call.js";
import { runInTimeSlices, type Steps } from "../runtime/time-slices.js";
import { warnOnce } from "../runtime/warn-once.js";
import type { MemoryOutline, OutlineFile } from "../tree/snapshot.js";
import { ROOT } from "../values/paths.js";
import { sortTree } from "../tree/sort-tree.js";
import { utf8Bytes } from "../values/text.js";
import type { Hit } from "./best-hits.js";
import { type IndexOwner, readIndex, type Searchable } from "./index-cache.js";
import { PassageTable } from "./passage-table.js";
import { findPassages } from "./passages.js";
import { findHits } from "./search-texts.js";
import { readQuery } from "./query-words.js";

/** Requests an outline with all texts, and with the passages that fit a query. @internal */
export interface RecallOptions {
  recall: {
    /** Any text; "" finds no passages. */
    query: string;
    /** The largest number of passages. */
    limit: number;
  };
}

/** Facts about a file for a prompt. */
export interface Recalled {
  /** In milliseconds. 0 if it is not known. */
  changedAt: number;
  /** Passage 0 is the path. */
  passages: PassageTable;
  /** Passages that fit the query, by their numbers. A higher score is better. */
  hits: { passage: number; score: number }[];
  /** Whether a passage contains a word of the query. */
  hasQueryWord: (passage: number) => boolean;
}

/** The share of the time of a call for the client of the embeddings. Then passages are chosen without it. */
const embeddingsShare = 0.2;

/**
 * Reads a memory by its index: if nothing has changed since the last time, no text is read again. If the embeddings or
 * their stored vectors fail, it ranks by words alone, because a model that sees no memory is worse off.
 */
export async function recallMemory(
  backend: MemoryBackend,
  owner: IndexOwner,
  recall: RecallOptions["recall"],
  call: CallContext,
): Promise<MemoryOutline> {
  const { searchable, ...found } = await searchByMeaning(backend, owner, recall, call);
  const files = await runInTimeSlices(describeFiles(searchable, found), call);
  return sortTree({ files, directories: [...searchable.directories], revision: null }, call);
}

/** Searches by words and meaning, or by words alone without embeddings, and if that fails. */
async function searchByMeaning(
  backend: MemoryBackend,
  owner: IndexOwner,
  recall: RecallOptions["recall"],
  call: CallContext,
): Promise<Found> {
  const embeddings = backend.features?.embeddings?.(call);
  if (embeddings === undefined) return searchIndex(backend, owner, recall, null, call);
  try {
    return await searchIndex(backend, owner, recall, limitClient(embeddings, call), call);
  } catch (error) {
    call.throwIfAborted();
    // A storage that fails for all of the memory fails here again, and then no warning is needed.
    const found = await searchIndex(backend, owner, recall, null, call);
    const about = error instanceof ClientFailure ? "embeddings" : "storage";
    const cause = error instanceof ClientFailure ? error.cause : error;
    const message = cause instanceof Error ? cause.message : String(cause);
    warnOnce(
      `${about} of ${nameStorage(backend)}`,
      `the ${about} failed, so passages are chosen by words alone: ${message}`,
    );
    return found;
  }
}

/** The client of the embeddings failed or did not answer, not the storage of the vectors. */
class ClientFailure extends Error {}

/** Gives the client of embeddings its share of the time of a call. @throws ClientFailure */
function limitClient(embeddings: Embeddings, call: CallContext): Embeddings {
  let leftMs = Math.round(embeddingsShare * call.timeoutMs);
  const ask = async <Answer>(request: () => Promise<Answer>): Promise<Answer> => {
    const startMs = performance.now();
    try {
      return await withinTime({ signals: [call.signal], timeoutMs: leftMs }, "read", request);
    } catch (cause) {
      throw new ClientFailure("the client of the embeddings failed", { cause });
    } finally {
      leftMs = Math.max(1, Math.round(leftMs - (performance.now() - startMs)));
    }
  };
  return {
    maxTexts: embeddings.maxTexts,
    stored: (texts) => embeddings.stored(texts),
    store: (vectors) => embeddings.store(vectors),
    keepOnly: (texts, all) => embeddings.keepOnly(texts, all),
    embed: (texts) => ask(() => embeddings.embed(texts)),
    createSimilarity: (query) => ask(() => embeddings.createSimilarity(query)),
  };
}

interface Found {
  searchable: Searchable;
  hits: Hit[];
  /** The words of the query, by their numbers. */
  wordNumbers: ReadonlySet<number | undefined>;
}

async function searchIndex(
  backend: MemoryBackend,
  owner: IndexOwner,
  { query, limit }: RecallOptions["recall"],
  embeddings: Embeddings | null,
  call: CallContext,
): Promise<Found> {
  const searchable = await readIndex(backend, owner, embeddings, call);
  if (query === "") return { searchable, hits: [], wordNumbers: new Set() };
  const queryWords = readQuery(owner.searchWords, query);
  const search = { query, queryWords, limit, path: ROOT, per: "passage" as const };
  const hits = await findHits(searchable, embeddings, search, call);
  const wordNumbers = new Set(queryWords.words.map((word) => searchable.index.vocabulary.find(word)));
  return { searchable, hits, wordNumbers };
}

function* describeFiles(
  { index, changedAt }: Searchable,
  { hits, wordNumbers }: Omit<Found, "searchable">,
): Steps<OutlineFile[]> {
  const byPath = new Map<string, Recalled["hits"]>();
  for (const { file, passage, score } of hits) {
    const own = byPath.get(file.path);
    if (own === undefined) byPath.set(file.path, [{ passage, score }]);
    else own.push({ passage, score });
  }
  const files: OutlineFile[] = [];
  for (const { path, content, passages, words } of index.files) {
    const recalled: Recalled = {
      passages,
      changedAt: changedAt.get(path) ?? 0,
      hits: byPath.get(path) ?? [],
      hasQueryWord: (passage) =>
        words
          .subarray(passages.get(passage, "firstWord"), passages.get(passage + 1, "firstWord"))
          .some((word) => wordNumbers.has(word)),
    };
    const file = { path, content, sizeBytes: utf8Bytes(content), recalled };
    files.push(file);
    yield;
  }
  return files;
}

/** Returns the facts that `recallMemory` has added to a file. For a file of another outline, finds its passages. */
export function* getRecalled(file: OutlineFile & { recalled?: Recalled }): Steps<Recalled> {
  if (file.recalled !== undefined) return file.recalled;
  const passages = new PassageTable();
  passages.add({ start: 0, end: 0, firstLine: 1, lastLine: 1, level: 0 }, 0);
  for (const passage of findPassages(file.content ?? "")) {
    if (passage !== null) passages.add(passage, 0);
    yield;
  }
  return { changedAt: 0, passages, hits: [], hasQueryWord: () => false };
}
