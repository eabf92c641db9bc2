import { maxBatch } from "../core/bulk.js";
import type { Memory } from "../core/memory.js";
import { hasCode, MemoryError } from "../core/values/errors.js";
import { getPathPrefix, normalizePath, ROOT } from "../core/values/paths.js";
import { checkText, utf8Bytes } from "../core/values/text.js";
import type { MoveInConversation, MoveInEntry } from "./item.js";
import { logPastConversation } from "./log-conversation.js";
import type { MoveInSettings } from "./options.js";
import { withOrigin } from "./origin.js";
import type { ReportWriter } from "./report.js";
import { describeRefusal, type ReadyFile, type StoreFiles } from "./write-files.js";

interface WaitingFile {
  file: ReadyFile;
  what: string;
  shortened: string | null;
}

/** Writes items in batches, and reports their outcomes. */
export class Mover {
  readonly #memory: Memory;
  readonly #settings: MoveInSettings;
  readonly #reporter: ReportWriter;
  readonly #store: StoreFiles;
  /** The files that wait for the next change, by path. */
  #batch = new Map<string, WaitingFile>();
  #batchBytes = 0;

  constructor(memory: Memory, settings: MoveInSettings, reporter: ReportWriter, store: StoreFiles) {
    this.#memory = memory;
    this.#settings = settings;
    this.#reporter = reporter;
    this.#store = store;
  }

  async addEntry(given: MoveInEntry): Promise<void> {
    const { what = given.path, userId } = given;
    const refusal = this.#refuseUser(userId);
    if (refusal !== null) return this.#reporter.skip(what, refusal);
    const { change } = this.#settings;
    const entry = change === undefined ? given : change(given);
    if (entry === null) return this.#reporter.skip(what, "the program left it out");
    try {
      await this.#addFile(this.#prepare(entry), what, entry.shortened ?? null);
    } catch (error) {
      if (!hasCode(error, "EINVAL")) throw error;
      this.#reporter.skip(what, describeRefusal(error));
    }
  }

  async addConversation(conversation: MoveInConversation): Promise<void> {
    const { into, propose, dryRun } = this.#settings;
    const { what, messages, shortened = "it has no messages" } = conversation;
    if (messages.length === 0) return this.#reporter.skip(what, shortened);
    if (propose) return this.#reporter.skip(what, "a conversation cannot be proposed");
    await this.flush();
    const path = `${getPathPrefix(into)}conversations`;
    const { count, losses } = await logPastConversation(this.#memory, conversation, { path, dryRun });
    const why = losses.length === 0 ? null : losses.join("; ");
    this.#reporter.add({ what, path, result: count === 0 ? "unchanged" : "logged", why });
  }

  /** Writes the files that wait. */
  async flush(): Promise<void> {
    const waiting = [...this.#batch.values()];
    if (waiting.length === 0) return;
    this.#batch = new Map();
    this.#batchBytes = 0;
    const results = await this.#store(waiting.map(({ file }) => file));
    for (const [index, { file, what, shortened }] of waiting.entries()) {
      const result = results[index] ?? "unchanged";
      if (MemoryError.isInstance(result)) this.#reporter.skip(what, describeRefusal(result), file.path);
      else this.#reporter.add({ what, path: file.path, result, why: shortened });
    }
  }

  async #addFile(file: ReadyFile, what: string, shortened: string | null): Promise<void> {
    const sizeBytes = utf8Bytes(file.content);
    const isFull = this.#batch.size >= maxBatch.files || this.#batchBytes + sizeBytes > maxBatch.bytes;
    if (isFull || this.#batch.has(file.path)) await this.flush();
    this.#batch.set(file.path, { file, what, shortened });
    this.#batchBytes += sizeBytes;
  }

  /** Returns the reason for which the memory does not take the item of a person. It names nobody. */
  #refuseUser(userId: MoveInEntry["userId"]): string | null {
    const { address } = this.#memory;
    const { fromUser = address.scope === "perUser" ? address.userId : undefined } = this.#settings;
    if (userId === undefined || (userId ?? undefined) === fromUser) return null;
    if (userId === null) return "it names no user";
    return fromUser === undefined ? "it belongs to a user, and no user was named" : "it belongs to another user";
  }

  /** @throws MemoryError EINVAL */
  #prepare(entry: MoveInEntry): ReadyFile {
    const { into, overwrite } = this.#settings;
    const { at = new Date(), createdAt = at, sources = [] } = entry;
    const local = normalizePath(entry.path);
    const path = into === ROOT ? local : normalizePath(into + local);
    const content = withOrigin(entry);
    checkText(content, "the text");
    return { path, content, createdAt, updatedAt: at, ifExists: overwrite ? "replace" : "fail", sources };
  }
}
