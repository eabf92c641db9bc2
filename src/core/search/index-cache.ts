import type { CheckedAddress } from "../values/address.js";
import type { MemoryBackend } from "../backend.js";
import { KeyedMutex } from "../runtime/keyed-mutex.js";
import { idOf } from "../values/object-ids.js";
import type { CallContext } from "../runtime/call.js";
import type { FoundText, VersionedFile } from "../tree/snapshot.js";
import { snapshotSince, versionsOf } from "../tree/snapshot-since.js";
import { indexTexts, type MemoryIndex } from "./memory-index.js";
import { type PassageVectors, vectorsOf } from "./passage-vectors.js";
import type { SearchWords } from "./words.js";

/** What all indexes of this process may take in memory together. A larger one is made for each search. */
const maxKeptBytes = 100_000_000;

/** What a search looks into. */
export interface Searchable {
  index: MemoryIndex;
  /** Null where the storage has no embeddings. */
  vectors: PassageVectors | null;
}

interface Kept extends Searchable {
  /** What the backend said before the texts were read; null if it keeps no count. */
  version: string | null;
  /** Those of the texts, by path. Empty if the backend tells none. */
  textVersions: ReadonlyMap<string, string>;
  /** About what it takes in memory. */
  bytes: number;
}

const none: ReadonlyMap<string, string> = new Map();

/** The one used last is the last. */
const kept = new Map<string, Kept>();
let keptBytes = 0;
const building = new KeyedMutex();

/** Whose index it is. */
export interface IndexOwner {
  address: CheckedAddress;
  /** The backend with which the memory was opened. */
  opened: MemoryBackend;
  wordsOf: SearchWords;
}

/**
 * The index of a memory as it is now. Only texts that have changed since the last search are indexed and embedded
 * again.
 */
export async function indexOf(
  backend: MemoryBackend,
  { address, opened, wordsOf }: IndexOwner,
  call: CallContext,
): Promise<Searchable> {
  const key = `${idOf(opened.features?.storage ?? opened)} ${idOf(wordsOf)} ${JSON.stringify(address)}`;
  // Before the texts: what is kept with it may be newer, and then the next search reads again, but it is never older.
  const version = (await backend.features?.version?.(call)) ?? null;
  const current = (): Searchable | null => {
    const found = kept.get(key);
    if (found === undefined || !isOf(version, found) || !isEmbedded(found)) return null;
    keep(key, found);
    return found;
  };
  return (
    current() ??
    building.run(key, async () => {
      call.throwIfAborted();
      // Another search may have made it meanwhile.
      const ofAnother = current();
      if (ofAnother !== null) return ofAnother;
      const previous = kept.get(key) ?? null;
      // Of a memory that has not changed only texts may be left to embed.
      const texts =
        previous !== null && isOf(version, previous) ? previous : await indexedNow(backend, wordsOf, previous, call);
      if (previous !== null && texts.index === previous.index && isEmbedded(previous)) {
        keep(key, { ...previous, version });
        return previous;
      }
      const { index, textVersions } = texts;
      const meaning = backend.features?.embeddings?.(call) ?? null;
      const vectors =
        meaning &&
        (await vectorsOf(meaning, opened, { files: index.files, version, previous: previous?.vectors ?? null }, call));
      const bytes = index.bytes + (vectors?.bytes ?? 0) + bytesOfVersions(textVersions);
      const made = { version, textVersions, index, vectors, bytes };
      keep(key, made);
      return made;
    })
  );
}

/** Whether the texts are those of a version. Of a backend that keeps no count nobody knows. */
function isOf(version: string | null, { version: ofTexts }: Kept): boolean {
  return version !== null && version === ofTexts;
}

/** Whether no text is left to embed. */
function isEmbedded({ vectors }: Kept): boolean {
  return vectors?.isComplete !== false;
}

/** The texts as they are now: the index of `previous` itself if none has changed. */
async function indexedNow(
  backend: MemoryBackend,
  wordsOf: SearchWords,
  previous: Kept | null,
  call: CallContext,
): Promise<Pick<Kept, "index" | "textVersions">> {
  const { files } = await snapshotSince(backend, previous?.textVersions ?? none, call);
  if (previous !== null && isUnchanged(files, previous)) return previous;
  const index = await indexTexts(textsOf(files, previous), wordsOf, previous?.index ?? null, () =>
    call.throwIfAborted(),
  );
  return { index, textVersions: versionsOf(files) };
}

/** Whether all texts are those of the index, and no more are there. */
function isUnchanged(files: readonly VersionedFile[], { index }: Kept): boolean {
  return files.length === index.files.length && files.every(({ content }) => content === null);
}

/** All texts. One that was left out is the one in the index. */
function textsOf(files: readonly VersionedFile[], previous: Kept | null): FoundText[] {
  const known = new Map(previous?.index.files.map(({ path, content }) => [path, content]));
  return files.map(({ path, content }) => ({ path, content: content ?? known.get(path) ?? "" }));
}

function keep(key: string, entry: Kept): void {
  drop(key);
  if (entry.bytes > maxKeptBytes) return;
  kept.set(key, entry);
  keptBytes += entry.bytes;
  for (const oldest of kept.keys()) {
    if (keptBytes <= maxKeptBytes) return;
    drop(oldest);
  }
}

function drop(key: string): void {
  const entry = kept.get(key);
  if (entry === undefined) return;
  kept.delete(key);
  keptBytes -= entry.bytes;
}

function bytesOfVersions(versions: ReadonlyMap<string, string>): number {
  let bytes = 0;
  for (const [path, version] of versions) bytes += 100 + 2 * (path.length + version.length);
  return bytes;
}

/** What is kept, for tests and measurements. @internal */
export function keptIndexes(): { count: number; bytes: number } {
  return { count: kept.size, bytes: keptBytes };
}
