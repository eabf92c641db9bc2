import { createHash } from "node:crypto";
import type { CheckedAddress } from "../../core/address.js";
import type { ArchivedVersion } from "../../core/archived-version.js";
import { canBeReadBy, isWhole, readOlderText } from "../../core/older-text.js";
import { memoryBytesCeiling } from "../../core/options.js";
import { sha256Of } from "../../core/sha256.js";
import { utf8Bytes } from "../../core/text.js";
import { inputFault } from "../fault.js";
import { nameOf } from "../targets/memory-name.js";
import { checkPath, type Tree } from "./tree.js";

/** What a file was before the versions that have been seen: a text, or none, or one that is redacted or no longer kept. */
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
  return { where: address === null ? "the folder" : nameOf(address), advice: "a store without `history` has changed the memory; leave --history out" };
}

/**
 * Goes through the history of a tree, if it has one.
 * @param use gets each version that is right
 * @returns `digest` differs for other texts and other versions
 * @throws CommandFault EINPUT
 */
export async function checkedHistory(
  { files, history }: Tree,
  advice: HistoryAdvice,
  use: (version: ArchivedVersion) => Promise<void> | void = () => undefined,
): Promise<{ versions: number; digest: string }> {
  let versions = 0;
  const texts = new Map<string, string>();
  if (history !== null) for (const { path, load } of files) texts.set(path, (await load()).content);
  const check = new HistoryCheck(texts, history?.revision ?? 0, advice);
  await history?.each(async (version) => {
    check.add(version);
    versions += 1;
    await use(version);
  });
  return { versions, digest: check.digest };
}

/**
 * Goes through a history from the newest version to the oldest, and refuses what no memory has recorded: each text must follow from the
 * one after it, with the size and the hash that its version says. Holds the texts of one moment.
 */
class HistoryCheck {
  readonly #texts: ReadonlyMap<string, string>;
  readonly #where: string;
  readonly #advice: string;
  readonly #trails = new Map<string, Trail>();
  readonly #hash = createHash("sha256");
  #newer: string;

  /**
   * @param texts of the files as they are now, by path
   */
  constructor(texts: ReadonlyMap<string, string>, revision: number, { where, advice }: HistoryAdvice) {
    this.#texts = texts;
    this.#where = where;
    this.#advice = advice;
    this.#newer = String(revision + 1);
    for (const [path, text] of texts) this.#hash.update(JSON.stringify([path, sha256Of(text)]));
  }

  /** Differs for other texts and other versions. */
  get digest(): string {
    return this.#hash.copy().digest("hex");
  }

  /** @throws CommandFault EINPUT */
  add(version: ArchivedVersion): void {
    this.#check(version);
    this.#newer = version.id;
    this.#hash.update(canonicalJson(version));
    const { id, file, operation, since } = version;
    if (file === undefined) return;
    const text = this.#textAfter(version);
    const former = this.#formerOf(version, text);
    // What was before a new file is another file.
    if (operation === "created" && id === file) this.#trails.delete(file);
    else this.#trails.set(file, { since, former });
  }

  /** What can be seen of one version. */
  #check(version: ArchivedVersion): void {
    const { id, file, since, path, from, operation, older, sizeBytes, sha256, redactedAt, directories } = version;
    const isRedacted = redactedAt !== undefined;
    const hasText = file !== undefined && !isRedacted && operation !== "deleted";
    if (compareIds(id, this.#newer) >= 0) throw this.#fault(id, "it is not older than the one before it, or newer than the memory");
    if ((file === undefined) !== (operation === undefined)) throw this.#fault(id, "file and operation go together");
    if ((path !== undefined) !== (file !== undefined && !isRedacted)) throw this.#fault(id, "it has a path if it is of a file and not redacted");
    if (from !== undefined && (operation !== "renamed" || isRedacted)) throw this.#fault(id, "only what is renamed has a path before");
    if (isRedacted && directories !== undefined) throw this.#fault(id, "a redacted version names no directory");
    if (file !== undefined && compareIds(file, id) > 0) throw this.#fault(id, "its file is younger");
    if (since !== undefined && compareIds(since, id) >= 0) throw this.#fault(id, "the version before it is younger");
    if ((sizeBytes !== null) !== hasText || (sha256 !== null) !== hasText) throw this.#fault(id, "it has a size and a hash if it has a text");
    if (older !== undefined && (file === undefined || operation === "created")) throw this.#fault(id, "there was no text before");
    const { added = [], removed = [], moved } = directories ?? {};
    for (const each of [path, from, ...added, ...removed, moved?.from, moved?.to]) if (each !== undefined) checkPath(each, this.#where);
  }

  /** @throws CommandFault EINPUT where it is not what the version says */
  #textAfter(version: ArchivedVersion): Former {
    const { id, file = "", path = "", operation, sizeBytes, sha256 } = version;
    const trail = this.#trails.get(file);
    if (operation === "deleted") {
      if (trail !== undefined) throw this.#fault(id, "a file that is deleted does not come back");
      return "none";
    }
    const after = trail === undefined ? this.#present(path) : trail.since === id ? trail.former : "unknown";
    if (after === "none") throw this.#fault(id, `there is no file ${path} after it`);
    if (sizeBytes === null || after === "unknown") return after;
    if (utf8Bytes(after.text) !== sizeBytes || sha256Of(after.text) !== sha256) throw this.#fault(id, `the text of ${path} is not what its size and hash say`);
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
    if (!text.isWellFormed() || text.length > memoryBytesCeiling) throw this.#fault(id, "the text before it is none of a memory");
    return { text };
  }

  #fault(id: string, reason: string): Error {
    return inputFault(`${this.#where}: version ${id} is not what a memory records: ${reason}; ${this.#advice}`);
  }
}

/** The same for the same fields in another order. */
function canonicalJson(version: ArchivedVersion): string {
  return JSON.stringify(version, (_key, value: unknown) => {
    const isRecord = typeof value === "object" && value !== null && !Array.isArray(value);
    return isRecord ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))) : value;
  });
}

function compareIds(one: string, other: string): number {
  const [[revision = 0, index = 0], [otherRevision = 0, otherIndex = 0]] = [one.split(".").map(Number), other.split(".").map(Number)];
  return revision - otherRevision || index - otherIndex;
}
