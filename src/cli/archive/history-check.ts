import { createHash } from "node:crypto";
import type { ArchivedVersion } from "../../core/history/archived-version.js";
import { canBeReadBy, isWhole, readOlderText } from "../../core/history/older-text.js";
import type { CheckedAddress } from "../../core/values/address.js";
import { hashSha256 } from "../../core/values/sha256.js";
import { utf8Bytes } from "../../core/values/text.js";
import { groupBy } from "../collections.js";
import { type CommandError, inputError } from "../errors.js";
import { formatAddress } from "../targets/format-address.js";
import { batchFrom } from "./read-ahead.js";
import { checkPath, type Tree, type TreeFile } from "./tree.js";

/** What the errors of a check name. */
export interface HistoryAdvice {
  where: string;
  /** What would be right. */
  advice: string;
}

/** The advice for a memory whose history cannot be exported. */
export function exportAdvice(address: CheckedAddress | null): HistoryAdvice {
  return {
    where: address === null ? "the folder" : formatAddress(address),
    advice: "a store without `history` has changed the memory; leave --history out",
  };
}

/**
 * Checks the history of a tree, if it has one: the order of its versions, and that each text has the size and the hash
 * that its version says. It goes through the versions twice, the second time file by file, so that it holds few texts.
 * @param use receives each version, newest first. They are right only if this does not throw in the end
 * @returns `digest` differs for other texts and other versions
 * @throws CommandError EINPUT
 */
export async function checkHistory(
  { files, history }: Tree,
  advice: HistoryAdvice,
  use: (version: ArchivedVersion) => Promise<void> | void = () => undefined,
): Promise<{ versions: number; digest: string }> {
  if (history === null) return { versions: 0, digest: "" };
  const hash = createHash("sha256");
  const lastPaths: LastPaths = new Map();
  let versions = 0;
  let newerId = String(history.revision + 1);
  await history.each(async (version) => {
    const { id, file, path = "", operation } = version;
    if (compareIds(id, newerId) >= 0)
      throw versionError(advice, id, "it is not older than the one before it, or newer than the memory");
    for (const each of getPaths(version)) checkPath(each, advice.where);
    newerId = id;
    versions += 1;
    if (file !== undefined && !lastPaths.has(file)) lastPaths.set(file, operation === "deleted" ? "" : path);
    hash.update(stringifySorted(version));
    await use(version);
  });
  for await (const { texts, fileIds } of readBatches(files, lastPaths)) {
    for (const [path, text] of texts) hash.update(JSON.stringify([path, hashSha256(text)]));
    const check = new TextCheck(texts, advice);
    await history.eachOf(fileIds, (version) => check.add(version));
  }
  return { versions, digest: hash.digest("hex") };
}

function getPaths({ path, from, directories = {} }: ArchivedVersion): string[] {
  const { added = [], removed = [], moved } = directories;
  return [path, from, ...added, ...removed, moved?.from, moved?.to].filter((each) => each !== undefined);
}

/** By file: the path of its newest version, "" for a file without a text: deleted or redacted. */
type LastPaths = Map<string, string>;

/** How many files without a text are checked together. */
const maxFiles = 1000;

/** The present texts, some at a time, with the files whose newest versions have them; then all other files. */
async function* readBatches(
  files: readonly TreeFile[],
  lastPaths: LastPaths,
): AsyncGenerator<{ texts: Map<string, string>; fileIds: string[] }> {
  const idsByPath = new Map<string, string[]>();
  for (const [path, entries] of groupBy(lastPaths, ([, lastPath]) => lastPath))
    idsByPath.set(
      path,
      entries.map(([id]) => id),
    );
  for (let start = 0; start < files.length;) {
    const texts = new Map<string, string>();
    const batch = files.slice(start, start + batchFrom(files, start).length);
    for (const { path, load } of batch) texts.set(path, (await load()).content);
    yield { texts, fileIds: batch.flatMap(({ path }) => idsByPath.get(path) ?? []) };
    for (const { path } of batch) idsByPath.delete(path);
    start += batch.length;
  }
  const others = [...idsByPath.values()].flat();
  for (let start = 0; start < others.length; start += maxFiles)
    yield { texts: new Map(), fileIds: others.slice(start, start + maxFiles) };
}

/**
 * Goes through the versions of one file after the other, of each from the newest to the oldest, and computes each text
 * from the next one. Holds one text.
 */
class TextCheck {
  readonly #texts: ReadonlyMap<string, string>;
  readonly #advice: HistoryAdvice;
  /** The version before the last one, and its text: null if that is redacted, no longer kept, or was never there. */
  #before: { file: string | undefined; id: string | undefined; text: string | null } | undefined;

  /** @param texts of the files as they are now, by path */
  constructor(texts: ReadonlyMap<string, string>, advice: HistoryAdvice) {
    this.#texts = texts;
    this.#advice = advice;
  }

  /** @throws CommandError EINPUT */
  add(version: ArchivedVersion): void {
    const { id, file, since, path = "", sizeBytes, sha256 } = version;
    const text = this.#getText(version);
    if (text !== null && sizeBytes !== null && (utf8Bytes(text) !== sizeBytes || hashSha256(text) !== sha256))
      throw versionError(this.#advice, id, `the text of ${path} is not what its size and hash say`);
    this.#before = { file, id: since, text: this.#readBefore(version, text) };
  }

  #getText({ id, file, path = "", operation }: ArchivedVersion): string | null {
    const before = this.#before;
    if (before?.file === file) return before?.id === id ? before.text : null;
    if (operation === "deleted" || path === "") return null;
    const present = this.#texts.get(path);
    if (present === undefined) throw versionError(this.#advice, id, `there is no file ${path} after it`);
    return present;
  }

  #readBefore({ id, operation, older }: ArchivedVersion, text: string | null): string | null {
    if (older === undefined) return operation === "renamed" ? text : null;
    if (older === null) return null;
    if (isWhole(older)) return older.text;
    if (text === null) return null;
    if (!canBeReadBy(older, text)) throw versionError(this.#advice, id, "it keeps more of the text than there is");
    return readOlderText(older, text);
  }
}

function versionError({ where, advice }: HistoryAdvice, id: string, reason: string): CommandError {
  return inputError(`${where}: version ${id} is not what a memory records: ${reason}; ${advice}`);
}

/** The same for the same fields in another order. */
function stringifySorted(version: ArchivedVersion): string {
  return JSON.stringify(version, (_key, value: unknown) => {
    const isRecord = typeof value === "object" && value !== null && !Array.isArray(value);
    return isRecord ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))) : value;
  });
}

function compareIds(one: string, other: string): number {
  const [revision = 0, index = 0] = one.split(".").map(Number);
  const [otherRevision = 0, otherIndex = 0] = other.split(".").map(Number);
  return revision - otherRevision || index - otherIndex;
}
