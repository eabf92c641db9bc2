import type { PagedHistory } from "../core/backend-history.js";
import type { VersionChange } from "../core/history/history-backend.js";
import type { FileText } from "../core/tree/snapshot.js";
import { catchRefusal } from "../core/values/errors.js";
import { getPathPrefix, ROOT } from "../core/values/paths.js";
import { takeStart } from "../core/values/text.js";
import type { LearnedMemory } from "./learned-memory.js";
import { isLearnt, readVersion, type Source } from "./sources.js";

/** The largest number of new texts for which one run searches the memory. */
const maxSearches = 30;
const maxQueryChars = 1000;
const hitsPerSource = 3;
const maxListed = 200;

/** New texts of the history. */
interface NewTexts {
  sources: Source[];
  /** The last version that was read. */
  bookmark: string | null;
  /** Whether there are later versions. */
  more: boolean;
}

/** The largest number of versions that one run reads. */
const maxVersions = 100;

/** A run lists more versions than it reads, because it does not read all kinds of versions. */
const maxListedVersions = 10 * maxVersions;

/** The number of versions whose whole texts are in memory at once. */
const readAtOnce = 25;

/**
 * Reads the versions after a bookmark, oldest first, until their texts have `inputChars`.
 * @throws TypeError for a memory without a history
 */
export async function readNewVersions(
  { history, mayRead }: LearnedMemory,
  bookmark: string | null,
  { inputChars, timeZone }: { inputChars: number; timeZone: string },
): Promise<NewTexts> {
  if (history === null)
    throw new TypeError("learn: the memory keeps no history; set `history: true` on the store, or pass messages");
  const listed = await history.after(bookmark, maxListedVersions);
  const inputs = listed.flatMap(({ id, path, operation, actor }) => {
    const hasText = (operation === "created" || operation === "modified") && path !== "";
    return hasText && mayRead(path) && !isLearnt(actor) ? [id] : [];
  });
  const texts: NewTexts = { sources: [], bookmark, more: true };
  let chars = 0;
  for await (const change of readInGroups(history, inputs.slice(0, maxVersions))) {
    const source = readVersion(change, timeZone);
    const length = Math.min(source?.text.length ?? 0, Math.ceil(inputChars / 4));
    if (chars > 0 && chars + length > inputChars) return texts;
    chars += length;
    if (source !== null) texts.sources.push(source);
    texts.bookmark = change.id;
  }
  if (inputs.length > maxVersions) return texts;
  return { ...texts, bookmark: listed.at(-1)?.id ?? bookmark, more: listed.length === maxListedVersions };
}

async function* readInGroups(history: PagedHistory, ids: readonly string[]): AsyncGenerator<VersionChange> {
  for (let start = 0; start < ids.length; start += readAtOnce)
    yield* await history.readChanges(ids.slice(start, start + readAtOnce));
}

/** Finds passages about the new texts. Returns a file whole if the run may change it. */
export async function findKnownTexts(
  { memory, mayRead, mayChange }: LearnedMemory,
  sources: readonly Source[],
  maxChars: number,
): Promise<{ files: FileText[]; passages: FileText[] }> {
  const files = new Map<string, string>();
  const passages = new Map<string, FileText>();
  const newTexts = sources.map(({ text }) => text).join("\n");
  let left = maxChars;
  const fits = (text: string): boolean => {
    if (text.length > left) return false;
    left -= text.length;
    return true;
  };
  // All at once. Reason: if the word index is too large to keep, these searches then share one reading of the memory.
  const hits = await Promise.all(
    sources.slice(0, maxSearches).map(({ text }) => memory.search(toQuery(text), { limit: hitsPerSource })),
  );
  for (const { path, startLine, text: passage } of hits.flat()) {
    const key = `${path}:${startLine}`;
    if (files.has(path) || passages.has(key) || !mayRead(path)) continue;
    const content = mayChange(path) ? await catchRefusal(memory.read(path)) : null;
    if (content !== null && fits(content)) files.set(path, content);
    else if (!newTexts.includes(passage.trim()) && fits(passage)) passages.set(key, { path, content: passage });
  }
  return {
    files: Array.from(files, ([path, content]) => ({ path, content })),
    passages: [...passages.values()],
  };
}

function toQuery(text: string): string {
  return takeStart(text.trim(), maxQueryChars).toWellFormed();
}

/** Finds the paths of the files that are most like new texts: one of them may have the same text. */
export async function findSimilarFiles({ memory }: LearnedMemory, texts: readonly string[]): Promise<string[]> {
  const queries = texts.map(toQuery).filter((query) => query !== "");
  const hits = await Promise.all(queries.map((query) => memory.search(query, { limit: hitsPerSource, per: "file" })));
  return hits.flat().map(({ path }) => path);
}

/** Lists the files directly below the directories that patterns name, such as `/profile` of `/profile/**`. */
export async function listWritable({ memory }: LearnedMemory, write: readonly string[]): Promise<string[]> {
  const found = new Set<string>();
  for (const pattern of write) {
    const directory = /^(?:\/[^/*?]+)*(?=\/|$)/.exec(pattern)?.[0] || ROOT;
    const stat = await memory.stat(directory);
    if (stat?.kind === "file") found.add(directory);
    if (stat?.kind !== "dir") continue;
    for (const { name, kind } of await memory.list(directory))
      if (found.size < maxListed) found.add(getPathPrefix(directory) + name + (kind === "dir" ? "/" : ""));
  }
  return [...found];
}
