import { type Embeddings, type MemoryBackend, nameStorage } from "../contract/backend.js";
import { type CallContext, withinTime } from "../runtime/call.js";
import { runInTurns, type Steps } from "../runtime/turns.js";
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
import { splitWords } from "./words.js";

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
}

/** The share of the time of a call after which its passages are chosen without the embeddings. */
const embeddingsShare = 0.2;

/**
 * Reads a memory by its index: if nothing has changed since the last time, no text is read again. If the embeddings
 * fail or hang, it ranks by words alone, because a model that sees no memory is worse off.
 */
export async function recallMemory(
  backend: MemoryBackend,
  owner: IndexOwner,
  recall: RecallOptions["recall"],
  call: CallContext,
): Promise<MemoryOutline> {
  const found = await searchByMeaning(backend, owner, recall, call);
  const { searchable, hits } = found ?? (await searchIndex(backend, owner, recall, null, call));
  const files = await runInTurns(describeFiles(searchable, hits), call);
  return sortTree({ files, directories: [...searchable.directories], revision: null }, call);
}

/** Searches by words and meaning. Returns null without embeddings, and if they fail or do not answer in their time. */
async function searchByMeaning(
  backend: MemoryBackend,
  owner: IndexOwner,
  recall: RecallOptions["recall"],
  call: CallContext,
): Promise<Found | null> {
  const { features } = backend;
  if (features?.embeddings === undefined) return null;
  const limits = { signals: [call.signal], timeoutMs: embeddingsShare * call.timeoutMs };
  try {
    return await withinTime(limits, "read", (part) =>
      searchIndex(backend, owner, recall, features.embeddings?.(part) ?? null, part),
    );
  } catch (error) {
    call.throwIfAborted();
    warnOnce(
      `embeddings of ${nameStorage(backend)}`,
      `the embeddings failed, so passages are chosen by words alone: ${error instanceof Error ? error.message : String(error)}`,
    );
    return null;
  }
}

interface Found {
  searchable: Searchable;
  hits: Hit[];
}

async function searchIndex(
  backend: MemoryBackend,
  owner: IndexOwner,
  { query, limit }: RecallOptions["recall"],
  embeddings: Embeddings | null,
  call: CallContext,
): Promise<Found> {
  const searchable = await readIndex(backend, owner, embeddings, call);
  const queryWords = query === "" ? [] : splitWords(owner.searchWords, query);
  const search = { query, queryWords, limit, path: ROOT, per: "passage" as const };
  return { searchable, hits: query === "" ? [] : await findHits(searchable, embeddings, search, call) };
}

function* describeFiles({ index, changedAt }: Searchable, hits: readonly Hit[]): Steps<OutlineFile[]> {
  const byPath = new Map<string, Recalled["hits"]>();
  for (const { file, passage, score } of hits) {
    const own = byPath.get(file.path);
    if (own === undefined) byPath.set(file.path, [{ passage, score }]);
    else own.push({ passage, score });
  }
  const files: OutlineFile[] = [];
  for (const { path, content, passages } of index.files) {
    const recalled: Recalled = { passages, changedAt: changedAt.get(path) ?? 0, hits: byPath.get(path) ?? [] };
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
  return { changedAt: 0, passages, hits: [] };
}
