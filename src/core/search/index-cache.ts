import { type Embeddings, getVersions, type MemoryBackend, snapshotSince } from "../contract/backend.js";
import type { FileText, VersionedFile } from "../tree/snapshot.js";
import { type CallContext, untilAborted } from "../runtime/call.js";
import { yieldToEventLoop, runInTimeSlices } from "../runtime/time-slices.js";
import type { CheckedAddress } from "../values/address.js";
import { getObjectId } from "../values/object-ids.js";
import { indexTexts, type WordIndex } from "./word-index.js";
import { getVectors, type PassageVectors } from "./passage-vectors.js";
import type { SearchWords } from "./words.js";

/** The most memory of all indexes of this process together. A larger index is made anew for each search. */
const maxCachedBytes = 100_000_000;

/** The data that a search reads. */
export interface Searchable {
  index: WordIndex;
  /** Paths of all directories but the root, in any order. */
  directories: readonly string[];
  /** The time when each file was changed, in milliseconds, by path. */
  changedAt: ReadonlyMap<string, number>;
  /** Null if it was read without embeddings. */
  vectors: PassageVectors | null;
}

/** A memory as it was at its last search. */
interface CachedMemory extends Searchable {
  /** Estimated size in memory. */
  bytes: number;
  /** The version of the memory before the texts were read; null if the backend has no versions. */
  version: string | null;
  /** The versions of the texts, by path. Empty if the backend has none. */
  textVersions: ReadonlyMap<string, string>;
}

interface CacheEntry {
  /** The last search, for which the next one waits. It never rejects. */
  latest: Promise<CachedMemory | null>;
  bytes: number;
}

/** The index that was used last is the last entry. */
const cache = new Map<string, CacheEntry>();
let cachedBytes = 0;

/** The memory that an index belongs to. */
export interface IndexOwner {
  address: CheckedAddress;
  /** The backend with which the memory was opened. */
  opened: MemoryBackend;
  searchWords: SearchWords;
}

/**
 * Reads the index of a memory as it is now. Only texts that have changed since the last search are indexed and embedded
 * again.
 */
export async function readIndex(
  backend: MemoryBackend,
  owner: IndexOwner,
  embeddings: Embeddings | null,
  call: CallContext,
): Promise<Searchable> {
  const { address, opened, searchWords } = owner;
  const storageId = getObjectId(opened.features?.storage ?? opened);
  const key = `${storageId} ${getObjectId(searchWords)} ${JSON.stringify(address)}`;
  // The version is read before the texts. So the texts may be newer than the version, and the next search then reads
  // again, but the texts are never older.
  const version = (await backend.features?.version?.(call)) ?? null;
  const entry = cache.get(key) ?? { latest: Promise.resolve(null), bytes: 0 };
  cache.set(key, entry);
  const before = entry.latest;
  const current = before.then((previous) => refresh(backend, owner, { version, previous, embeddings }, call));
  // The next search does not wait for a client that hangs.
  entry.latest = untilAborted(call, () => current).then(
    (cached) => {
      keep(key, entry, cached.bytes);
      return cached;
    },
    async () => {
      if (entry.bytes === 0 && cache.get(key) === entry) cache.delete(key);
      return before;
    },
  );
  return current;
}

function keep(key: string, entry: CacheEntry, bytes: number): void {
  drop(key);
  if (bytes > maxCachedBytes) return;
  entry.bytes = bytes;
  cache.set(key, entry);
  cachedBytes += bytes;
  for (const oldest of cache.keys()) {
    if (cachedBytes <= maxCachedBytes) return;
    drop(oldest);
  }
}

function drop(key: string): void {
  cachedBytes -= cache.get(key)?.bytes ?? 0;
  cache.delete(key);
}

interface Refreshed extends Pick<CachedMemory, "version"> {
  previous: CachedMemory | null;
  embeddings: Embeddings | null;
}

async function refresh(
  backend: MemoryBackend,
  { opened, searchWords }: IndexOwner,
  { version, previous, embeddings }: Refreshed,
  call: CallContext,
): Promise<CachedMemory> {
  const isCurrent = version !== null && version === previous?.version;
  const isEmbedded = embeddings === null || previous?.vectors?.isComplete === true;
  if (previous !== null && isCurrent && isEmbedded) return previous;
  call.throwIfAborted();
  const texts = previous !== null && isCurrent ? previous : await readTexts(backend, searchWords, previous, call);
  if (previous !== null && texts.index === previous.index && isEmbedded) return { ...previous, ...texts, version };
  const { index, textVersions } = texts;
  const indexed = { files: index.files, version, previous: previous?.vectors ?? null };
  const vectors = embeddings && (await getVectors(embeddings, opened, indexed, call));
  let bytes = index.bytes + (vectors?.bytes ?? 0);
  let shared = "";
  for (const [path, textVersion] of textVersions) {
    bytes += 150 + 2 * path.length;
    // The files of a page of MongoDB come one after another, and share the text of their version.
    if (textVersion !== shared) bytes += 50 + 2 * textVersion.length;
    shared = textVersion;
  }
  return { ...texts, version, vectors, bytes };
}

type ReadTexts = Pick<CachedMemory, "index" | "textVersions" | "directories" | "changedAt">;

/** Reads the texts as they are now. Returns the index of `previous` if no text has changed. */
async function readTexts(
  backend: MemoryBackend,
  searchWords: SearchWords,
  previous: CachedMemory | null,
  call: CallContext,
): Promise<ReadTexts> {
  const { files, directories } = await snapshotSince(backend, previous?.textVersions ?? new Map(), call);
  const isUnchanged = files.length === previous?.index.files.length && files.every(({ content }) => content === null);
  if (previous !== null && isUnchanged) {
    const { index, textVersions, changedAt } = previous;
    return { index, textVersions, changedAt, directories };
  }
  // The driver has read all texts in one step, after which others have waited long enough.
  await yieldToEventLoop();
  const work = indexTexts(restoreTexts(files, previous), searchWords, previous?.index ?? null);
  const index = await runInTimeSlices(work, call);
  const changedAt = new Map(
    files.map(({ path, updatedAt }) => [path, updatedAt?.getTime() ?? previous?.changedAt.get(path) ?? 0]),
  );
  return { index, directories, changedAt, textVersions: getVersions(files) };
}

/** Returns all texts. Takes a text that was left out from the index. */
function restoreTexts(files: readonly VersionedFile[], previous: CachedMemory | null): FileText[] {
  const known = new Map(previous?.index.files.map(({ path, content }) => [path, content]));
  return files.map(({ path, content }) => ({ path, content: content ?? known.get(path) ?? "" }));
}

/** Returns the number of indexes and the memory that they take, for tests and measurements. @internal */
export function measureCachedIndexes(): { count: number; bytes: number } {
  return { count: cache.size, bytes: cachedBytes };
}
