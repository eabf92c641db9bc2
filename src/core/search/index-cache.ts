import { getVersions, type MemoryBackend, snapshotSince } from "../contract/backend.js";
import type { FileText, VersionedFile } from "../tree/snapshot.js";
import type { CallContext } from "../runtime/call.js";
import { runInTurns } from "../runtime/turns.js";
import type { CheckedAddress } from "../values/address.js";
import { getObjectId } from "../values/object-ids.js";
import { indexTexts, type MemoryIndex } from "./memory-index.js";
import { getVectors, type PassageVectors } from "./passage-vectors.js";
import type { SearchWords } from "./words.js";

/** What all indexes of this process may take in memory together. A larger one is made for each search. */
const maxCachedBytes = 100_000_000;

/** What a search looks into. */
export interface Searchable {
  index: MemoryIndex;
  /** Null where the storage has no embeddings. */
  vectors: PassageVectors | null;
}

/** A memory as it was at its last search. */
interface CachedMemory extends Searchable {
  /** Estimated size in memory. */
  bytes: number;
  /** The version of the memory before the texts were read; null if the backend keeps no count. */
  version: string | null;
  /** The versions of the texts, by path. Empty if the backend has none. */
  textVersions: ReadonlyMap<string, string>;
}

interface CacheEntry {
  /** Each search waits for the one before it. It never rejects. */
  latest: Promise<CachedMemory | null>;
  bytes: number;
}

/** The one used last is the last. */
const cache = new Map<string, CacheEntry>();
let cachedBytes = 0;

/** The memory of an index. */
export interface IndexOwner {
  address: CheckedAddress;
  /** The backend with which the memory was opened. */
  opened: MemoryBackend;
  searchWords: SearchWords;
}

/**
 * The index of a memory as it is now. Only texts that have changed since the last search are indexed and embedded
 * again.
 */
export async function readIndex(backend: MemoryBackend, owner: IndexOwner, call: CallContext): Promise<Searchable> {
  const { address, opened, searchWords } = owner;
  const storageId = getObjectId(opened.features?.storage ?? opened);
  const key = `${storageId} ${getObjectId(searchWords)} ${JSON.stringify(address)}`;
  // Before the texts: they may be newer than it, and then the next search reads again, but they are never older.
  const version = (await backend.features?.version?.(call)) ?? null;
  const entry = cache.get(key) ?? { latest: Promise.resolve(null), bytes: 0 };
  cache.set(key, entry);
  const before = entry.latest;
  const current = before.then(async (previous) => {
    const cached = await refresh(backend, owner, { version, previous }, call);
    keep(key, entry, cached.bytes);
    return cached;
  });
  entry.latest = current.catch(async () => {
    if (entry.bytes === 0 && cache.get(key) === entry) cache.delete(key);
    return before;
  });
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

async function refresh(
  backend: MemoryBackend,
  { opened, searchWords }: IndexOwner,
  { version, previous }: Pick<CachedMemory, "version"> & { previous: CachedMemory | null },
  call: CallContext,
): Promise<CachedMemory> {
  const isCurrent = version !== null && version === previous?.version;
  const isEmbedded = previous?.vectors?.isComplete !== false;
  if (previous !== null && isCurrent && isEmbedded) return previous;
  call.throwIfAborted();
  const texts = previous !== null && isCurrent ? previous : await readTexts(backend, searchWords, previous, call);
  if (previous !== null && texts.index === previous.index && isEmbedded) return { ...previous, version };
  const { index, textVersions } = texts;
  const embeddings = backend.features?.embeddings?.(call) ?? null;
  const indexed = { files: index.files, version, previous: previous?.vectors ?? null };
  const vectors = embeddings && (await getVectors(embeddings, opened, indexed, call));
  let bytes = index.bytes + (vectors?.bytes ?? 0);
  for (const [path, textVersion] of textVersions) bytes += 100 + 2 * (path.length + textVersion.length);
  return { version, textVersions, index, vectors, bytes };
}

/** The texts as they are now: the index of `previous` itself if none has changed. */
async function readTexts(
  backend: MemoryBackend,
  searchWords: SearchWords,
  previous: CachedMemory | null,
  call: CallContext,
): Promise<Pick<CachedMemory, "index" | "textVersions">> {
  const { files } = await snapshotSince(backend, previous?.textVersions ?? new Map(), call);
  const isUnchanged = files.length === previous?.index.files.length && files.every(({ content }) => content === null);
  if (previous !== null && isUnchanged) return previous;
  const work = indexTexts(restoreTexts(files, previous), searchWords, previous?.index ?? null);
  return { index: await runInTurns(work, call), textVersions: getVersions(files) };
}

/** All texts. One that was left out is the one in the index. */
function restoreTexts(files: readonly VersionedFile[], previous: CachedMemory | null): FileText[] {
  const known = new Map(previous?.index.files.map(({ path, content }) => [path, content]));
  return files.map(({ path, content }) => ({ path, content: content ?? known.get(path) ?? "" }));
}

/** How many indexes there are and what they take, for tests and measurements. @internal */
export function cachedIndexes(): { count: number; bytes: number } {
  return { count: cache.size, bytes: cachedBytes };
}
