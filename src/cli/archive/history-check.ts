import { createHash } from "node:crypto";
import type { ArchivedHistory, ArchivedVersion } from "../../core/history/archived-version.js";
import { canBeReadBy, isWhole, readOlderText } from "../../core/history/older-text.js";
import type { CheckedAddress } from "../../core/values/address.js";
import { sha256Of } from "../../core/values/sha256.js";
import { utf8Bytes } from "../../core/values/text.js";
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

/** Of a memory whose history cannot be exported. */
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
  const order = new OrderCheck(history.revision, advice);
  await history.each(async (version) => {
    order.add(version);
    hash.update(stringifySorted(version));
    await use(version);
  });
  await checkTexts(files, history, order.filesByPath, advice, (path, text) =>
    hash.update(JSON.stringify([path, sha256Of(text)])),
  );
  return { versions: order.count, digest: hash.digest("hex") };
}

/** Goes through a history from the newest version to the oldest. */
class OrderCheck {
  count = 0;
  /** The files by the path of their newest version, "" for those without a text: deleted or redacted. */
  readonly filesByPath = new Map<string, string[]>();
  readonly #seenFiles = new Set<string>();
  readonly #advice: HistoryAdvice;
  #newerId: string;

  constructor(revision: number, advice: HistoryAdvice) {
    this.#advice = advice;
    this.#newerId = String(revision + 1);
  }

  /** @throws CommandError EINPUT */
  add({ id, file, path, from, operation, directories = {} }: ArchivedVersion): void {
    const { added = [], removed = [], moved } = directories;
    if (compareIds(id, this.#newerId) >= 0)
      throw versionError(this.#advice, id, "it is not older than the one before it, or newer than the memory");
    for (const each of [path, from, ...added, ...removed, moved?.from, moved?.to])
      if (each !== undefined) checkPath(each, this.#advice.where);
    this.#newerId = id;
    this.count += 1;
    if (file === undefined || this.#seenFiles.has(file)) return;
    this.#seenFiles.add(file);
    const lastPath = operation === "deleted" ? "" : (path ?? "");
    const files = this.filesByPath.get(lastPath);
    if (files === undefined) this.filesByPath.set(lastPath, [file]);
    else files.push(file);
  }
}

/** How many files without a text are checked together. */
const maxFiles = 1000;

/** @param report receives each text that is there now */
async function checkTexts(
  files: readonly TreeFile[],
  history: ArchivedHistory,
  filesByPath: Map<string, string[]>,
  advice: HistoryAdvice,
  report: (path: string, text: string) => void,
): Promise<void> {
  for (let start = 0; start < files.length;) {
    const texts = new Map<string, string>();
    for (const { path, load } of files.slice(start, start + batchFrom(files, start).length)) {
      const { content } = await load();
      report(path, content);
      texts.set(path, content);
    }
    const check = new TextCheck(texts, advice);
    await history.eachOf(
      [...texts.keys()].flatMap((path) => filesByPath.get(path) ?? []),
      (version) => check.add(version),
    );
    for (const path of texts.keys()) filesByPath.delete(path);
    start += texts.size;
  }
  const gone = [...filesByPath.values()].flat();
  for (let start = 0; start < gone.length; start += maxFiles) {
    const check = new TextCheck(new Map(), advice);
    await history.eachOf(gone.slice(start, start + maxFiles), (version) => check.add(version));
  }
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
    const text = this.#before?.file === file ? this.#getEarlierText(id) : this.#getPresentText(version);
    if (text !== null && sizeBytes !== null && (utf8Bytes(text) !== sizeBytes || sha256Of(text) !== sha256))
      throw versionError(this.#advice, id, `the text of ${path} is not what its size and hash say`);
    this.#before = { file, id: since, text: this.#readBefore(version, text) };
  }

  #getEarlierText(id: string): string | null {
    return this.#before?.id === id ? this.#before.text : null;
  }

  /** The text of a newest version. */
  #getPresentText({ id, path = "", operation }: ArchivedVersion): string | null {
    if (operation === "deleted" || path === "") return null;
    const text = this.#texts.get(path);
    if (text === undefined) throw versionError(this.#advice, id, `there is no file ${path} after it`);
    return text;
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
