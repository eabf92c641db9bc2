import type { CheckedAddress } from "../../../core/values/address.js";
import type { ChangeRecords } from "../../../core/approval/change-record.js";
import type { BackendLimits, MemoryBackend, WriteMode } from "../../../core/backend.js";
import {
  alreadyExists,
  directoryNotFound,
  fileNotFound,
  fileTooLarge,
  MemoryError,
  parentIsFile,
  pathIsDirectory,
  pathIsFile,
} from "../../../core/values/errors.js";
import { lostRace, maxAttempts, pause } from "../../../core/runtime/lost-race.js";
import type {
  DeletedCounts,
  FileStat,
  FoundText,
  MemoryEntry,
  MemoryOutline,
  MemorySnapshot,
  MemoryStat,
  OutlineOptions,
} from "../../../core/memory.js";
import type { CallContext } from "../../../core/runtime/call.js";
import { ROOT } from "../../../core/values/paths.js";
import type { MeaningBackend } from "../../../core/search/meaning.js";
import type { NarrowedTexts } from "../../../core/search/narrowed-texts.js";
import type { VersionedSnapshot } from "../../../core/tree/snapshot.js";
import { appendText, replaceText, utf8Bytes } from "../../../core/values/text.js";
import type { ChangeListener } from "../../../core/watch/memory-changes.js";
import { MemoryEmbeddings } from "../../embeddings/memory-embeddings.js";
import { memoryKeyOf } from "./document-ids.js";
import { listenToMemory } from "./files-listener.js";
import { FilesRecords } from "./files-records.js";
import { vectorsInCall } from "../in-call.js";
import { contextFor, type FilesContext } from "./files-context.js";
import type { RunSteps } from "./file-changes.js";
import type { StoredFile } from "./stored-document.js";
import { type StoredFiles, storedFiles } from "./stored-files.js";
import { appendUpdate, replaceUpdate, swapUpdate, type TextUpdate, writeUpdate } from "./text-updates.js";
import type { Made } from "./tree-steps.js";

/**
 * One memory as a document for each file and directory (ADR 0021). What changes the tree is a transaction, all else one
 * command.
 */
export class FilesBackend implements MemoryBackend {
  protected readonly context: FilesContext;
  protected readonly stored: StoredFiles;
  protected readonly address: CheckedAddress;
  readonly #key: string;
  protected readonly limits: BackendLimits;

  constructor(context: FilesContext, address: CheckedAddress, limits: BackendLimits) {
    this.context = context;
    this.stored = storedFiles(context, address);
    this.address = address;
    this.#key = memoryKeyOf(address);
    this.limits = limits;
  }

  forCall(call: CallContext): MemoryBackend {
    return new FilesBackend(contextFor(call, this.context), this.address, this.limits);
  }

  meaning(): MeaningBackend | null {
    const { embeddings, expiry } = this.context;
    const address = this.address;
    return (
      embeddings &&
      new MemoryEmbeddings({
        ...embeddings,
        address,
        vectors: vectorsInCall(this.context),
        lifetimeMs: expiry.lifetimeMs(address.scope),
      })
    );
  }

  /** One for all backends of a layout. */
  get storage(): object {
    return this.context.edits;
  }

  async listen(): Promise<ChangeListener | null> {
    await this.context.ready();
    return listenToMemory(this.context, this.#key);
  }

  async read(path: string): Promise<string> {
    const found = await this.stored.reads.find(path, { _id: 0, kind: 1, text: 1 });
    if (found?.kind === "file") return found.text;
    throw found !== null || path === ROOT ? pathIsDirectory() : fileNotFound();
  }

  async readFiles(paths: readonly string[]): Promise<(string | null)[]> {
    const texts = await this.stored.reads.texts(paths);
    return paths.map((path) => texts.get(path) ?? null);
  }

  findFiles(texts: readonly string[], suffix: string): Promise<FoundText[]> {
    return this.stored.reads.findFiles(texts, suffix);
  }

  async list(path: string): Promise<MemoryEntry[]> {
    const found = await this.stored.reads.list(path);
    if (found === "file") throw pathIsFile();
    if (found === null) throw directoryNotFound();
    return found;
  }

  async append(path: string, content: string, create: boolean): Promise<void> {
    if (path === ROOT) throw pathIsDirectory();
    this.checkedBytes(content);
    await this.#trying<unknown>(async (now) => {
      const appended = (): Promise<boolean> =>
        this.stored.changes.set(path, appendUpdate(content, now, this.limits.maxFileBytes));
      if (await appended()) return true;
      if (create && (await this.#create(path, content, now)) === "made") return true;
      const kind = await this.#kindOf(path);
      // The file may have been made meanwhile, and then its text need not be read.
      if (kind === "file") return (await appended()) || this.#appendHere(path, content);
      if (!create) throw fileNotFound();
      return null;
    });
  }

  /** Where the file may become too large. @returns null where it is gone again */
  async #appendHere(path: string, content: string): Promise<FileStat | null> {
    try {
      return await this.#swap(path, undefined, (text) => appendText(text, content));
    } catch (error) {
      if (MemoryError.isInstance(error) && error.code === "ENOENT") return null;
      throw error;
    }
  }

  async snapshotAndAppend(path: string, content: string, create: boolean): Promise<MemorySnapshot> {
    if (path === ROOT) throw pathIsDirectory();
    const append: RunSteps<MemorySnapshot> = async (steps, session) => {
      const at = this.#now();
      // So that of two such calls one sees what the other has appended.
      await steps.touchRoot(at);
      const before = await this.stored.reads.snapshotIn(session);
      if (before.directories.includes(path)) throw pathIsDirectory();
      const file = before.files.find((each) => each.path === path);
      if (file === undefined && !create) throw fileNotFound();
      const text = appendText(file?.content ?? "", content);
      this.checkedBytes(text);
      if ((await steps.put({ path, text, at })) === "parentIsFile") throw parentIsFile();
      return before;
    };
    // Those of this process one after the other: as each writes the root, the server would abort all but one of them,
    // over and over.
    return this.context.edits.run(JSON.stringify([this.address]), () => this.stored.changes.inTransaction(append));
  }

  async replace(path: string, oldContent: string, content: string): Promise<number> {
    if (path === ROOT) throw pathIsDirectory();
    return this.#trying(async (now) => {
      const update = replaceUpdate(oldContent, content, now, this.limits.maxFileBytes);
      const isMade = ({ lastChange }: Pick<StoredFile, "lastChange">): boolean => lastChange?.id === update.textId;
      const found = await this.stored.changes.update<Pick<StoredFile, "lastChange">>(
        path,
        update,
        { _id: 0, lastChange: 1 },
        (each) => isMade(each) && each.lastChange?.replaced !== 0,
      );
      if (found?.lastChange !== undefined && isMade(found)) return found.lastChange.replaced;
      if ((await this.#kindOf(path)) === undefined) throw fileNotFound();
      return this.#replaceHere(path, oldContent, content);
    });
  }

  /** Searches in this process, in linear time, where the server would take long, and where the answer is a refusal. */
  async #replaceHere(path: string, oldContent: string, content: string): Promise<number> {
    let replaced = 0;
    await this.#swap(path, undefined, (text) => {
      const changed = replaceText(text, oldContent, content, this.limits.maxFileBytes);
      replaced = changed.replaced;
      return replaced === 0 ? null : changed.text;
    });
    return replaced;
  }

  async delete(
    path: string,
    ifDirectory: "delete" | "fail",
    checkBelow?: (path: string) => void,
  ): Promise<DeletedCounts> {
    if (path !== ROOT) {
      if (await this.stored.changes.deleteFile(path)) return { files: 1, dirs: 0 };
      const kind = await this.#kindOf(path, "answered");
      if (kind === undefined) return { files: 0, dirs: 0 };
      if (kind === "file") return this.delete(path, ifDirectory, checkBelow);
    }
    if (ifDirectory === "fail") throw pathIsDirectory();
    return this.stored.changes.inTransaction((steps) => steps.deleteDirectory(path, this.#now(), checkBelow), {
      isChange: ({ files, dirs }) => files + dirs > 0,
      ifExpired: () => ({ files: 0, dirs: 0 }),
    });
  }

  async write(path: string, content: string, mode: WriteMode): Promise<FileStat> {
    if (path === ROOT) throw pathIsDirectory();
    const sizeBytes = this.checkedBytes(content);
    return this.#trying(async (now) => {
      const statOf = (createdAt: Date): FileStat => ({ kind: "file", sizeBytes, createdAt, updatedAt: now });
      if (mode.ifExists === "replace") {
        const createdAt = await this.#set(path, writeUpdate(content, now));
        if (createdAt !== null) return statOf(createdAt);
      }
      if (mode.ifMissing === "create" && (await this.#create(path, content, now)) === "made") return statOf(now);
      const kind = await this.#kindOf(path);
      if (kind === "file" && mode.ifExists === "fail") throw alreadyExists();
      if (kind === undefined && mode.ifMissing === "fail") throw fileNotFound();
      return null;
    });
  }

  async edit(path: string, change: (text: string) => string): Promise<FileStat> {
    return this.#swap(path, undefined, change);
  }

  /**
   * Sets the text to `change(text)` if nobody changed it meanwhile, else tries again with the text as it is then.
   * @param stored the text as it was found; undefined reads it
   * @param change null leaves all as it was
   */
  async #swap<Changed extends string | null>(
    path: string,
    stored: string | undefined,
    change: (text: string) => Changed,
  ): Promise<FileStat | (Changed & null)> {
    return this.context.edits.run(JSON.stringify([this.address, path]), async () => {
      for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
        const text = attempt === 0 && stored !== undefined ? stored : await this.read(path);
        const content = change(text);
        if (content === null) return content as Changed & null;
        const sizeBytes = this.checkedBytes(content);
        const now = this.#now();
        const createdAt = await this.#set(path, swapUpdate(text, content, now));
        if (createdAt !== null) return { kind: "file", sizeBytes, createdAt, updatedAt: now };
        await pause(attempt);
      }
      throw lostRace();
    });
  }

  async rename(from: string, to: string, checkMoved: (path: string) => void): Promise<void> {
    await this.stored.changes.inTransaction((steps) => steps.rename(from, to, this.#now(), checkMoved), {
      ifExpired: () => {
        throw fileNotFound();
      },
    });
  }

  async stat(path: string): Promise<MemoryStat | null> {
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const found =
        path === ROOT
          ? null
          : await this.stored.reads.find(path, { _id: 0, kind: 1, sizeBytes: 1, createdAt: 1, updatedAt: 1 });
      if (found === null && path !== ROOT) return null;
      if (found?.kind === "file") {
        const { kind, sizeBytes, createdAt, updatedAt } = found;
        return { kind, sizeBytes, createdAt, updatedAt };
      }
      const sizeBytes = await this.stored.reads.sizeBelow(path);
      if (sizeBytes !== null) return { kind: "dir", sizeBytes, createdAt: null, updatedAt: null };
    }
    throw lostRace();
  }

  snapshot(): Promise<MemorySnapshot> {
    return this.stored.reads.snapshot();
  }

  snapshotSince(known: ReadonlyMap<string, string>): Promise<VersionedSnapshot> {
    return this.stored.reads.snapshotSince(known);
  }

  narrow(query: string, path: string): Promise<NarrowedTexts | null> {
    return this.stored.reads.narrow(query, path);
  }

  outline(wanted: Required<OutlineOptions>): Promise<MemoryOutline> {
    return this.stored.reads.outline(wanted);
  }

  records(): ChangeRecords {
    return new FilesRecords(this.context, this.stored, this.address, (text) => this.checkedBytes(text));
  }

  /** @returns what is there, and undefined where nothing is. @throws EISDIR unless `ifDirectory` is "answered" */
  async #kindOf(path: string, ifDirectory: "refused" | "answered" = "refused"): Promise<"file" | "dir" | undefined> {
    const found = await this.stored.reads.find(path, { _id: 0, kind: 1 });
    if (found?.kind === "dir" && ifDirectory === "refused") throw pathIsDirectory();
    return found?.kind;
  }

  /** Tries until it answers something else than null: what it found was gone a moment later. */
  async #trying<T>(attemptAt: (now: Date) => Promise<T | null>): Promise<T> {
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const answer = await attemptAt(this.#now());
      if (answer !== null) return answer;
      await pause(attempt);
    }
    throw lostRace();
  }

  /** @throws ENOTDIR */
  async #create(path: string, text: string, at: Date): Promise<Made> {
    const made = await this.stored.changes.create({ path, text, at });
    if (made === "parentIsFile") throw parentIsFile();
    return made;
  }

  /** @returns when the file was made; null where nothing was changed */
  async #set(path: string, update: TextUpdate): Promise<Date | null> {
    const isSet = ({ textId }: Pick<StoredFile, "textId">): boolean => textId === update.textId;
    const found = await this.stored.changes.update<Pick<StoredFile, "createdAt" | "textId">>(
      path,
      update,
      { _id: 0, createdAt: 1, textId: 1 },
      isSet,
    );
    return found !== null && isSet(found) ? found.createdAt : null;
  }

  #now(): Date {
    return (this.context.fileClock ?? this.context.clock)();
  }

  /** @throws EFBIG */
  protected checkedBytes(text: string): number {
    const { maxFileBytes } = this.limits;
    const bytes = utf8Bytes(text);
    if (bytes > maxFileBytes) throw fileTooLarge(bytes, maxFileBytes);
    return bytes;
  }
}
