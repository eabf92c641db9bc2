import { isPaged } from "../core/backend-history.js";
import type { MemoryVersion } from "../core/history/history.js";
import type { FileText } from "../core/tree/snapshot.js";
import { MemoryError } from "../core/values/errors.js";
import { getPathPrefix, ROOT } from "../core/values/paths.js";
import { takeStart } from "../core/values/text.js";
import type { LearnedMemory } from "./learned-memory.js";
import { isLearnt, readVersion, type Source } from "./sources.js";

/** Searches for what the memory says about so many new texts. */
const maxSearches = 30;
const maxQueryChars = 1000;
const hitsPerSource = 3;
const maxListed = 200;

/** New texts, and the version up to which the history was read for them. */
export interface NewTexts {
  sources: Source[];
  bookmark: string | null;
}

/**
 * Reads the versions after a bookmark, oldest first, until they fill the room. If the bookmark is no longer kept, reads
 * all that is kept. @throws TypeError for a memory without a history
 */
export async function readNewVersions(
  { memory: { history }, mayRead }: LearnedMemory,
  bookmark: string | null,
  { versions: maxVersions, inputChars }: { versions: number; inputChars: number },
): Promise<NewTexts> {
  if (history === null || !isPaged(history))
    throw new TypeError("learn: the memory keeps no history; set `history: true` at the store, or pass messages");
  const versions: MemoryVersion[] = [];
  for await (const version of history.list()) {
    if (version.id === bookmark) break;
    versions.push(version);
  }
  const texts: NewTexts = { sources: [], bookmark };
  let [chars, read] = [0, 0];
  for (const { id, path, operation, actor } of versions.toReversed()) {
    const isInput = (operation === "created" || operation === "modified") && path !== "" && mayRead(path);
    if (isInput && !isLearnt(actor)) {
      const source = read < maxVersions ? readVersion(await history.readChange(id)) : null;
      const length = Math.min(source?.text.length ?? 0, Math.ceil(inputChars / 4));
      if (read >= maxVersions || (chars > 0 && chars + length > inputChars)) return texts;
      read += 1;
      chars += length;
      if (source !== null) texts.sources.push(source);
    }
    texts.bookmark = id;
  }
  return texts;
}

/** Finds what the memory says about new texts: whole files that may be changed, and passages of others. */
export async function findKnownTexts(
  { memory, mayRead, checkPath }: LearnedMemory,
  sources: readonly Source[],
  maxChars: number,
): Promise<{ files: FileText[]; passages: FileText[] }> {
  const mayWrite = (path: string): boolean => isAllowed(() => checkPath(path));
  const files = new Map<string, string>();
  const passages = new Map<string, FileText>();
  const newTexts = sources.map(({ text }) => text).join("\n");
  let left = maxChars;
  const fits = (text: string): boolean => {
    if (text.length > left) return false;
    left -= text.length;
    return true;
  };
  for (const { text } of sources.slice(0, maxSearches))
    for (const { path, startLine, text: passage } of await memory.search(takeStart(text, maxQueryChars), {
      limit: hitsPerSource,
    })) {
      const key = `${path}:${startLine}`;
      if (files.has(path) || passages.has(key) || !mayRead(path)) continue;
      const content = mayWrite(path) ? await readFile(memory, path) : undefined;
      if (content !== undefined && fits(content)) files.set(path, content);
      else if (!newTexts.includes(passage) && fits(passage)) passages.set(key, { path, content: passage });
    }
  return {
    files: Array.from(files, ([path, content]) => ({ path, content })),
    passages: [...passages.values()],
  };
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

/** Returns undefined for a path without a file. */
export async function readFile(memory: LearnedMemory["memory"], path: string): Promise<string | undefined> {
  try {
    return await memory.read(path);
  } catch (error) {
    if (MemoryError.isInstance(error) && error.code !== "EIO") return undefined;
    throw error;
  }
}

function isAllowed(check: () => void): boolean {
  try {
    check();
    return true;
  } catch {
    return false;
  }
}
