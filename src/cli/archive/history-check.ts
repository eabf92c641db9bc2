import { createHash } from "node:crypto";
import type { CheckedAddress } from "../../core/values/address.js";
import type { ArchivedHistory, ArchivedVersion } from "../../core/history/archived-version.js";
import { canBeReadBy, isWhole, readOlderText } from "../../core/history/older-text.js";
import { memoryBytesCeiling } from "../../core/memory-options.js";
import { sha256Of } from "../../core/values/sha256.js";
import { utf8Bytes } from "../../core/values/text.js";
import { inputFault } from "../fault.js";
import { nameOf } from "../targets/memory-name.js";
import { batchFrom } from "./read-ahead.js";
import { checkPath, type Tree, type TreeFile } from "./tree.js";

/**
 * What a file was before the versions that have been seen: a text, or none, or one that is redacted or no longer kept.
 */
type Former = { text: string } | "none" | "unknown";

/** A file, as far back as its versions have been seen. */
interface Trail {
  /** The version before. */
  since: string | undefined;
  former: Former;
}

export interface HistoryAdvice {
  /** Of faults. */
  where: string;
  /** What would be right. */
  advice: string;
}

/** Of a memory whose history cannot be exported. */
export function exportAdvice(address: CheckedAddress | null): HistoryAdvice {
  return {
    where: address === null ? "the folder" : nameOf(address),
    advice: "a store without `history` has changed the memory; leave --history out",
  };
}

/**
 * Goes through the history of a tree, if it has one: first in the order of the versions, and then file by file, so that
 * it holds few texts.
 * @param use gets each version, newest first. It is right if this does not throw in the end
 * @returns `digest` differs for other texts and other versions
 * @throws CommandFault EINPUT
 */
export async function checkedHistory(
  { files, history }: Tree,
  advice: HistoryAdvice,
  use: (version: ArchivedVersion) => Promise<void> | void = () => undefined,
): Promise<{ versions: number; digest: string }> {
  if (history === null) return { versions: 0, digest: "" };
  let versions = 0;
  const order = new OrderCheck(history.revision, advice);
  const hash = createHash("sha256");
  await history.each(async (version) => {
    order.add(version);
    hash.update(canonicalJson(version));
    versions += 1;
    await use(version);
  });
  await checkTexts(files, history, order.lastPaths, advice, (path, text) =>
    hash.update(JSON.stringify([path, sha256Of(text)])),
  );
  return { versions, digest: hash.digest("hex") };
}

/**
 * @param lastPaths by file: where its newest version has it; "" where that has no text @param told each text that is
 * there now
 */
async function checkTexts(
  files: readonly TreeFile[],
  history: ArchivedHistory,
  lastPaths: ReadonlyMap<string, string>,
  advice: HistoryAdvice,
  told: (path: string, text: string) => void,
): Promise<void> {
  const check = (some: readonly string[], texts: ReadonlyMap<string, string>): Promise<void> => {
    const checked = new TextCheck(texts, advice);
    return history.eachOf(some, (version) => checked.add(version));
  };
  const filesAt = new Map<string, string[]>();
  for (const [file, path] of lastPaths) listIn(filesAt, path).push(file);
  for (let start = 0; start < files.length;) {
    const part = files.slice(start, start + batchFrom(files, start).length);
    const texts = new Map<string, string>();
    for (const { path, load } of part) {
      const { content } = await load();
      told(path, content);
      texts.set(path, content);
    }
    await check(
      part.flatMap(({ path }) => filesAt.get(path) ?? []),
      texts,
    );
    for (const { path } of part) filesAt.delete(path);
    start += part.length;
  }
  const gone = [...filesAt.values()].flat();
  for (let start = 0; start < gone.length; start += maxFiles)
    await check(gone.slice(start, start + maxFiles), new Map());
}

function listIn(lists: Map<string, string[]>, key: string): string[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}

/** How many files without a text are looked at together. */
const maxFiles = 1000;

/**
 * Goes through a history from the newest version to the oldest, and refuses what no memory has recorded, whatever the
 * texts are.
 */
class OrderCheck {
  /**
   * By the id that the versions of a file have in common: the path of its newest version, "" where that is redacted or
   * a deletion.
   */
  readonly lastPaths = new Map<string, string>();
  readonly #where: string;
  readonly #fault: VersionFault;
  #newer: string;

  constructor(revision: number, advice: HistoryAdvice) {
    this.#where = advice.where;
    this.#fault = faultFor(advice);
    this.#newer = String(revision + 1);
  }

  /** @throws CommandFault EINPUT */
  add(version: ArchivedVersion): void {
    this.#check(version);
    const { id, file, path = "", operation } = version;
    this.#newer = id;
    if (file !== undefined && !this.lastPaths.has(file)) this.lastPaths.set(file, operation === "deleted" ? "" : path);
  }

  /** What can be seen of one version. */
  #check(version: ArchivedVersion): void {
    const { id, file, since, path, from, operation, older, sizeBytes, sha256, redactedAt, directories } = version;
    const isRedacted = redactedAt !== undefined;
    const hasText = file !== undefined && !isRedacted && operation !== "deleted";
    if (compareIds(id, this.#newer) >= 0)
      throw this.#fault(id, "it is not older than the one before it, or newer than the memory");
    if ((file === undefined) !== (operation === undefined)) throw this.#fault(id, "file and operation go together");
    if ((path !== undefined) !== (file !== undefined && !isRedacted))
      throw this.#fault(id, "it has a path if it is of a file and not redacted");
    if (from !== undefined && (operation !== "renamed" || isRedacted))
      throw this.#fault(id, "only what is renamed has a path before");
    if (isRedacted && directories !== undefined) throw this.#fault(id, "a redacted version names no directory");
    if (file !== undefined && compareIds(file, id) > 0) throw this.#fault(id, "its file is younger");
    if (since !== undefined && compareIds(since, id) >= 0) throw this.#fault(id, "the version before it is younger");
    if ((sizeBytes !== null) !== hasText || (sha256 !== null) !== hasText)
      throw this.#fault(id, "it has a size and a hash if it has a text");
    if (older !== undefined && (file === undefined || operation === "created"))
      throw this.#fault(id, "there was no text before");
    const { added = [], removed = [], moved } = directories ?? {};
    for (const each of [path, from, ...added, ...removed, moved?.from, moved?.to])
      if (each !== undefined) checkPath(each, this.#where);
  }
}

/**
 * Goes through the versions of one file after the other, of each from the newest to the oldest: each text must follow
 * from the one after it, with the size and the hash that its version says. Holds one of them.
 */
class TextCheck {
  readonly #texts: ReadonlyMap<string, string>;
  readonly #fault: VersionFault;
  #file: string | undefined;
  #trail: Trail | undefined;

  /** @param texts of the files as they are now, by path */
  constructor(texts: ReadonlyMap<string, string>, advice: HistoryAdvice) {
    this.#texts = texts;
    this.#fault = faultFor(advice);
  }

  /** @throws CommandFault EINPUT */
  add(version: ArchivedVersion): void {
    const { file, since } = version;
    if (file !== this.#file) this.#trail = undefined;
    this.#file = file;
    this.#trail = { since, former: this.#formerOf(version, this.#textAfter(version)) };
  }

  /** @throws CommandFault EINPUT where it is not what the version says */
  #textAfter(version: ArchivedVersion): Former {
    const { id, path = "", operation, sizeBytes, sha256 } = version;
    const trail = this.#trail;
    if (operation === "deleted") {
      if (trail !== undefined) throw this.#fault(id, "a file that is deleted does not come back");
      return "none";
    }
    const after = trail === undefined ? this.#present(path) : trail.since === id ? trail.former : "unknown";
    if (after === "none") throw this.#fault(id, `there is no file ${path} after it`);
    if (sizeBytes === null || after === "unknown") return after;
    if (utf8Bytes(after.text) !== sizeBytes || sha256Of(after.text) !== sha256)
      throw this.#fault(id, `the text of ${path} is not what its size and hash say`);
    return after;
  }

  /** The newest version of a file that is there has its text. */
  #present(path: string): Former {
    const text = this.#texts.get(path);
    if (text !== undefined) return { text };
    return path === "" ? "unknown" : "none";
  }

  #formerOf({ id, operation, older }: ArchivedVersion, after: Former): Former {
    if (operation === "created") return "none";
    if (older === undefined) return operation === "renamed" ? after : "unknown";
    if (older === null) return "unknown";
    if (isWhole(older)) return { text: older.text };
    if (typeof after === "string") return "unknown";
    if (!canBeReadBy(older, after.text)) throw this.#fault(id, "it keeps more of the text than there is");
    const text = readOlderText(older, after.text);
    if (!text.isWellFormed() || text.length > memoryBytesCeiling)
      throw this.#fault(id, "the text before it is none of a memory");
    return { text };
  }
}

type VersionFault = (id: string, reason: string) => Error;

function faultFor({ where, advice }: HistoryAdvice): VersionFault {
  return (id, reason) => inputFault(`${where}: version ${id} is not what a memory records: ${reason}; ${advice}`);
}

/** The same for the same fields in another order. */
function canonicalJson(version: ArchivedVersion): string {
  return JSON.stringify(version, (_key, value: unknown) => {
    const isRecord = typeof value === "object" && value !== null && !Array.isArray(value);
    return isRecord ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))) : value;
  });
}

function compareIds(one: string, other: string): number {
  const [[revision = 0, index = 0], [otherRevision = 0, otherIndex = 0]] = [
    one.split(".").map(Number),
    other.split(".").map(Number),
  ];
  return revision - otherRevision || index - otherIndex;
}
