import type { MemoryActor } from "../../../core/values/actor.js";
import type { CheckedAddress } from "../../../core/values/address.js";
import type { ChangeRecord, ChangeRecords } from "../../../core/contract/change-record.js";
import type { BackendLimits } from "../../../core/contract/backend.js";
import type { LayoutBackend, WriteMode } from "../layout-backend.js";
import {
  alreadyExists,
  directoryNotFound,
  fileNotFound,
  fileTooLarge,
  memoryFull,
  parentIsFile,
  pathIsDirectory,
  pathIsFile,
} from "../../../core/values/errors.js";
import type { HistoryBackend } from "../../../core/history/history-backend.js";
import type {
  DeletedCounts,
  FileStat,
  MemoryEntry,
  MemoryOutline,
  MemorySnapshot,
  MemoryStat,
  OutlineFile,
  OutlineOptions,
} from "../../../core/memory.js";
import type { FoundText } from "../../../core/tree/snapshot.js";
import { lostRace, maxAttempts, pause } from "../../../core/runtime/lost-race.js";
import type { CallContext } from "../../../core/runtime/call.js";
import { prefixOf, ROOT } from "../../../core/values/paths.js";
import type { MeaningBackend } from "../../../core/search/meaning.js";
import type { ChangeListener } from "../../../core/contract/change-listener.js";
import { MemoryTree } from "../../../core/tree/memory-tree.js";
import { MemoryEmbeddings } from "../../embeddings/memory-embeddings.js";
import { replaceText, utf8Bytes } from "../../../core/values/text.js";
import type { Change, Circumstances, Status } from "./change.js";
import { DocumentRecords } from "./document-records.js";
import {
  emptyDocumentBytes,
  type MemoryDocument,
  newFileBytes,
  ownValue,
  pathOfKey,
  snapshotOfDocument,
} from "./document.js";
import { vectorsInCall } from "../in-call.js";
import { contextFor, type DocumentContext } from "./document-context.js";
import type { KnownDocument } from "./known-documents.js";
import { listenToDocument, versionOf } from "./document-listener.js";
import { StoredDocument } from "./stored-document.js";
import { historyOf } from "./document-history.js";
import { withoutKey } from "./expressions.js";
import {
  findFilesProjection,
  listProjection,
  outlineProjection,
  readFilesProjection,
  readProjection,
  statProjection,
} from "./projections.js";
import { appendChange, replaceChange, swapChange, writeChange } from "./text-changes.js";
import {
  deleteChange,
  deleteFileChange,
  type DeleteMode,
  renameDirectoryChange,
  renameFileChange,
} from "./tree-changes.js";

/** One memory as one document; every command is one server command (specification sections 4 and 5). */
export class OneDocumentBackend implements LayoutBackend {
  readonly #context: DocumentContext;
  readonly #document: StoredDocument;
  readonly #address: CheckedAddress;
  readonly #limits: BackendLimits;
  readonly #known: KnownDocument;

  constructor(
    context: DocumentContext,
    address: CheckedAddress,
    limits: BackendLimits,
    known = context.known.of(address),
  ) {
    this.#context = context;
    this.#known = known;
    this.#document = new StoredDocument(context, address, limits, known);
    this.#address = address;
    this.#limits = limits;
  }

  forCall(call: CallContext): LayoutBackend {
    return new OneDocumentBackend(contextFor(call, this.#context), this.#address, this.#limits, this.#known);
  }

  forActor(actor: MemoryActor): LayoutBackend {
    return new OneDocumentBackend({ ...this.#context, actor }, this.#address, this.#limits, this.#known);
  }

  history(): HistoryBackend | null {
    return historyOf(this.#context, {
      document: this.#document,
      address: this.#address,
      limits: this.#limits,
      proposals: this.records(),
    });
  }

  meaning(): MeaningBackend | null {
    const { embeddings, expiry } = this.#context;
    const address = this.#address;
    return (
      embeddings &&
      new MemoryEmbeddings({
        ...embeddings,
        address,
        vectors: vectorsInCall(this.#context),
        lifetimeMs: expiry.lifetimeMs(address.scope),
      })
    );
  }

  /** One for all backends of a layout. */
  get storage(): object {
    return this.#context.edits;
  }

  async version(): Promise<string | null> {
    return versionOf(await this.#document.reads.findVersion());
  }

  async listen(): Promise<ChangeListener | null> {
    await this.#context.ready();
    return listenToDocument(this.#context, this.#address);
  }

  async read(path: string): Promise<string> {
    const found = await this.#document.reads.find<{ text?: string; isDirectory?: true }>(readProjection(path));
    if (found === null) throw path === ROOT ? pathIsDirectory() : fileNotFound();
    if (found instanceof MemoryTree) return found.file(path).content;
    if (found.text !== undefined) {
      this.#known.setFile(path, null);
      return found.text;
    }
    throw found.isDirectory ? pathIsDirectory() : fileNotFound();
  }

  async readFiles(paths: readonly string[]): Promise<(string | null)[]> {
    const found = await this.#document.reads.find<{ texts: (string | null)[] }>(readFilesProjection(paths));
    if (found === null) return paths.map(() => null);
    return found instanceof MemoryTree ? paths.map((path) => found.files.get(path)?.content ?? null) : found.texts;
  }

  async findFiles(texts: readonly string[]): Promise<FoundText[]> {
    const found = await this.#document.reads.find<{ found: { key: string; content: string }[] }>(
      findFilesProjection(texts),
    );
    if (found === null) return [];
    return found instanceof MemoryTree
      ? found.snapshot().files
      : found.found.map(({ key, content }) => ({ path: pathOfKey(key), content }));
  }

  async list(path: string): Promise<MemoryEntry[]> {
    const found = await this.#document.reads.find<{
      isFile: boolean;
      isDirectory?: true;
      files: string[];
      directories: string[];
    }>(listProjection(path));
    if (found === null) {
      if (path === ROOT) return [];
      throw directoryNotFound();
    }
    if (found instanceof MemoryTree) return found.list(path);
    if (found.isFile) throw pathIsFile();
    if (!found.isDirectory) throw directoryNotFound();
    const start = prefixOf(path).length;
    const nameOf = (key: string): string => pathOfKey(key).slice(start);
    return [
      ...found.directories.map((key) => ({ name: nameOf(key), kind: "dir" as const })),
      ...found.files.map((key) => ({ name: nameOf(key), kind: "file" as const })),
    ];
  }

  async append(path: string, content: string, create: boolean): Promise<void> {
    if (path === ROOT) throw pathIsDirectory();
    const upsert = this.#creating(path, content, create);
    await this.#apply((circumstances) => appendChange(path, content, create, circumstances), { upsert });
    this.#known.setFile(path, null);
  }

  async snapshotAndAppend(path: string, content: string, create: boolean): Promise<MemorySnapshot> {
    if (path === ROOT) throw pathIsDirectory();
    const upsert = this.#creating(path, content, create);
    const { before } = await this.#apply<{ before: MemoryDocument }>(
      (circumstances) =>
        appendChange(path, content, create, circumstances, {
          before: this.#context.history === null ? "$$ROOT" : withoutKey("$$ROOT", "outbox"),
        }),
      { upsert },
    );
    return snapshotOfDocument(before ?? null);
  }

  async replace(path: string, oldContent: string, content: string): Promise<number> {
    if (path === ROOT) throw pathIsDirectory();
    const found = await this.#apply<{ counts: [replaced: number, none: number]; text: string }>(
      (circumstances) => replaceChange(path, oldContent, content, circumstances),
      { expected: ["costly"] },
    );
    return found.status === "costly"
      ? this.#replaceHere(path, oldContent, content, found.text)
      : (found.counts?.[0] ?? 0);
  }

  /** Searches in this process, in linear time, where the server would take long. */
  async #replaceHere(path: string, oldContent: string, content: string, stored: string | undefined): Promise<number> {
    let replaced = 0;
    await this.#swap(path, stored, (text) => {
      const changed = replaceText(text, oldContent, content, this.#limits.maxFileBytes);
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
    if (await this.#deleteKnown(path)) return { files: 1, dirs: 0 };
    if (ifDirectory === "fail" || checkBelow === undefined) return (await this.#delete(path, ifDirectory)).counts;
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const found = await this.#delete(path, "report");
      if (found.status !== "directory") return found.counts;
      for (const key of found.keys) checkBelow(pathOfKey(key));
      const deleted = await this.#delete(path, found.revision);
      if (deleted.status !== "raced") return deleted.counts;
      await pause(attempt);
    }
    throw lostRace();
  }

  /** In fewer operators, as nothing has to be known of a directory. */
  async #deleteKnown(path: string): Promise<boolean> {
    if (this.#context.history !== null || !this.#known.isFile(path)) return false;
    this.#known.forgetFile(path);
    const { report } = await this.#document.change((circumstances) => deleteFileChange(path, circumstances), false);
    return report?.status === "ok";
  }

  async #delete(
    path: string,
    mode: DeleteMode,
  ): Promise<{ status: Status; counts: DeletedCounts; keys: string[]; revision: number }> {
    const build = (circumstances: Circumstances): Change => deleteChange(path, mode, circumstances);
    const { report } = await this.#document.change<{
      counts: [files: number, dirs: number];
      keys?: string[];
      revision?: number;
    }>(build, false);
    const { status = "unchanged", counts: [files, dirs] = [0, 0], keys = [], revision = 0 } = report ?? {};
    if (status === "directory" && mode === "fail") throw pathIsDirectory();
    return { status, counts: { files, dirs }, keys, revision };
  }

  async write(path: string, content: string, mode: WriteMode): Promise<FileStat> {
    if (path === ROOT) throw pathIsDirectory();
    const upsert = this.#creating(path, content, mode.ifMissing === "create");
    const { now, ...made } = await this.#apply<{ createdAt: Date }>(
      (circumstances) => writeChange(path, content, mode, circumstances, this.#known.createdAt(path)),
      { upsert },
    );
    const createdAt = made.createdAt ?? now;
    this.#known.setFile(path, createdAt);
    return { kind: "file", sizeBytes: utf8Bytes(content), createdAt, updatedAt: now };
  }

  async edit(path: string, change: (text: string) => string): Promise<FileStat> {
    return this.#swap(path, undefined, change);
  }

  /**
   * Sets the text to `change(text)` if nobody changed it meanwhile, else tries again with the text as it is then.
   * @param stored the text as it was found; undefined reads it
   * @param change null changes nothing
   */
  async #swap<Changed extends string | null>(
    path: string,
    stored: string | undefined,
    change: (text: string) => Changed,
  ): Promise<FileStat | (Changed & null)> {
    return this.#context.edits.run(JSON.stringify([this.#address, path]), async () => {
      let text = stored ?? (await this.read(path));
      for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
        const expected = text;
        const content = change(expected);
        if (content === null) return content as Changed & null;
        const sizeBytes = this.#checkedBytes(content);
        const swapped = await this.#apply<{ createdAt: Date; text: string }>(
          (circumstances) => swapChange(path, expected, content, circumstances),
          { expected: ["raced"] },
        );
        if (swapped.status === "ok") {
          const { createdAt, now } = swapped;
          return { kind: "file", sizeBytes, createdAt: createdAt ?? now, updatedAt: now };
        }
        text = swapped.text ?? (await this.read(path));
        await pause(attempt);
      }
      throw lostRace();
    });
  }

  async rename(from: string, to: string, checkMoved: (path: string) => void): Promise<void> {
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const found = await this.#apply<{ keys: string[]; revision: number }>(
        (circumstances) => renameFileChange(from, to, circumstances),
        { expected: ["directory"] },
      );
      if (found.status === "ok") return;
      for (const key of found.keys ?? []) checkMoved(to + pathOfKey(key).slice(from.length));
      const { revision = 0 } = found;
      const moved = await this.#apply((circumstances) => renameDirectoryChange(from, to, revision, circumstances), {
        expected: ["raced"],
      });
      if (moved.status === "ok") return;
      await pause(attempt);
    }
    throw lostRace();
  }

  async stat(path: string): Promise<MemoryStat | null> {
    const found = await this.#document.reads.find<{
      fileBytes: number | null;
      directoryBytes?: number;
      meta?: { createdAt: Date; updatedAt: Date };
    }>(statProjection(path));
    const directory = (sizeBytes: number): MemoryStat => ({ kind: "dir", sizeBytes, createdAt: null, updatedAt: null });
    if (found === null) return path === ROOT ? directory(0) : null;
    if (found instanceof MemoryTree) return found.stat(path);
    const { fileBytes, directoryBytes, meta } = found;
    if (fileBytes === null) return directoryBytes === undefined ? null : directory(directoryBytes);
    const unknown = new Date(0);
    return {
      kind: "file",
      sizeBytes: fileBytes,
      createdAt: meta?.createdAt ?? unknown,
      updatedAt: meta?.updatedAt ?? unknown,
    };
  }

  async snapshot(): Promise<MemorySnapshot> {
    return snapshotOfDocument(await this.#document.reads.findWhole());
  }

  async outline(wanted: Required<OutlineOptions>): Promise<MemoryOutline> {
    const found = await this.#document.reads.find<{
      files: { key: string; sizeBytes: number; lead?: string }[];
      directories: string[];
      revision: number;
      data?: Record<string, string>;
    }>(outlineProjection(wanted));
    if (found === null) return { files: [], directories: [], revision: 0 };
    if (found instanceof MemoryTree) return found.outline(wanted);
    const { data } = found;
    return {
      // Without a rest and spreads, which cost more than all else here.
      files: found.files.map(({ key, sizeBytes, lead }) => {
        const file: OutlineFile = { path: pathOfKey(key), sizeBytes };
        const content = ownValue(data, key);
        if (lead !== undefined) file.lead = lead;
        if (content !== undefined) file.content = content;
        return file;
      }),
      directories: found.directories.map(pathOfKey),
      revision: found.revision,
    };
  }

  records(): ChangeRecords {
    return new DocumentRecords(this.#context, this.#document, this.#address, (record, found) =>
      this.#applyRecord(record, found),
    );
  }

  /** Makes an approved change, if nobody has changed the document since it was read. */
  async #applyRecord(record: ChangeRecord, found: MemoryDocument | null): Promise<"applied" | "raced"> {
    const { id, command, path, to, isDirectory, edited } = record;
    const after = edited?.after ?? record.after;
    const upsert = found === null && after !== null && this.#creating(path, after, true);
    const build = (circumstances: Circumstances): Change => {
      if (after !== null) return writeChange(path, after, { ifExists: "replace", ifMissing: "create" }, circumstances);
      if (command === "delete") return deleteChange(path, "delete", circumstances);
      const destination = to ?? path;
      if (!isDirectory) return renameFileChange(path, destination, circumstances);
      return renameDirectoryChange(path, destination, found?.revision ?? 0, circumstances);
    };
    if (after !== null) this.#checkedBytes(after);
    // Who proposed it has made it. Who approved it, the record says.
    const document = new StoredDocument(
      { ...this.#context, actor: record.actor },
      this.#address,
      this.#limits,
      this.#known,
    );
    const { report } = await document.change(build, upsert, { id, found });
    if (report === null || report.status === "ok") return "applied";
    this.#refuse(report);
    return "raced";
  }

  /**
   * What can be checked here is: the size of a text, and, as an insert reports nothing, of a memory that only holds it.
   */
  #creating(path: string, content: string, create: boolean): boolean {
    const { maxMemoryBytes } = this.#limits;
    const bytes = this.#checkedBytes(content) + newFileBytes(path) + emptyDocumentBytes(this.#address);
    if (create && bytes > maxMemoryBytes) throw memoryFull(bytes, maxMemoryBytes);
    return create;
  }

  #checkedBytes(text: string): number {
    const { maxFileBytes } = this.#limits;
    const bytes = utf8Bytes(text);
    if (bytes > maxFileBytes) throw fileTooLarge(bytes, maxFileBytes);
    return bytes;
  }

  /**
   * Runs a change and throws what refused it, but for the reasons that the caller expects.
   * @param options.upsert whether a missing document is made; default false, and the file is missing with it
   */
  async #apply<Report extends object>(
    build: (circumstances: Circumstances) => Change,
    { upsert = false, expected = [] }: { upsert?: boolean; expected?: readonly Status[] } = {},
  ): Promise<Partial<Report> & { status: Status; now: Date }> {
    const { report, now } = await this.#document.change<Report>(build, upsert);
    if (report === null) {
      if (upsert) return { status: "ok", now } as Partial<Report> & { status: Status; now: Date };
      throw fileNotFound();
    }
    if (!expected.includes(report.status)) this.#refuse(report);
    return Object.assign(report, { now });
  }

  #refuse({
    status,
    sizeBytes = 0,
    memoryBytes = 0,
  }: {
    status: Status;
    sizeBytes?: number;
    memoryBytes?: number;
  }): void {
    if (status === "missing") throw fileNotFound();
    if (status === "directory") throw pathIsDirectory();
    if (status === "parentIsFile") throw parentIsFile();
    if (status === "exists") throw alreadyExists();
    if (status === "fileTooLarge") throw fileTooLarge(sizeBytes, this.#limits.maxFileBytes);
    if (status === "memoryFull") throw memoryFull(memoryBytes, this.#limits.maxMemoryBytes);
  }
}
