import type { Collection, FindOneAndUpdateOptions, FindOptions } from "mongodb";
import type { CheckedAddress } from "../../core/address.js";
import type { BackendLimits, MemoryBackend, WriteMode } from "../../core/backend.js";
import {
  alreadyExists,
  directoryNotFound,
  fileNotFound,
  fileTooLarge,
  MemoryError,
  memoryFull,
  parentIsFile,
  pathIsDirectory,
  pathIsFile,
} from "../../core/errors.js";
import type { KeyedMutex } from "../../core/keyed-mutex.js";
import type {
  DeletedCounts,
  FileStat,
  MemoryEntry,
  MemoryOutline,
  MemorySnapshot,
  MemoryStat,
} from "../../core/memory.js";
import { prefixOf, ROOT } from "../../core/paths.js";
import { MemoryTree } from "../../core/tree.js";
import { utf8Bytes } from "../../core/text.js";
import { type Answer, type Change, reportOf, type Status } from "./change.js";
import { filterOf, flatFieldsOf, type MemoryDocument, ownValue, pathOf, snapshotOf } from "./document.js";
import { isDuplicateKey, storageError } from "./errors.js";
import { listProjection, outlineProjection, readFilesProjection, readProjection, statProjection } from "./projections.js";
import { appendChange, newFileBytes, replaceChange, swapChange, writeChange } from "./text-changes.js";
import { deleteChange, renameDirectoryChange, renameFileChange } from "./tree-changes.js";

export interface MongoMemoryContext {
  collection: Collection<MemoryDocument>;
  /** Makes the unique indexes if this process has not yet; without them two first writes could make two documents. */
  ready: () => Promise<void>;
  /** Queues the edits of one file inside this process, so that they do not race each other. */
  edits: KeyedMutex;
  clock: () => Date;
}

const maxAttempts = 100;

interface Outcome<Report> {
  /** Null where there was no document. */
  report: (Report & { status: Status }) | null;
  /** The time that the change has written. */
  now: Date;
}

/** Values as JavaScript's own, whatever the client's defaults are. */
const asPlainValues = { promoteValues: true, promoteLongs: true, useBigInt64: false, raw: false } as const;

/** One memory as one document; every command is one server command (specification sections 4 and 5). */
export class MongoBackend implements MemoryBackend {
  readonly #context: MongoMemoryContext;
  readonly #address: CheckedAddress;
  readonly #limits: BackendLimits;

  constructor(context: MongoMemoryContext, address: CheckedAddress, limits: BackendLimits) {
    this.#context = context;
    this.#address = address;
    this.#limits = limits;
  }

  async read(path: string): Promise<string> {
    const found = await this.#find<{ text?: string; isDirectory?: true }>(readProjection(path));
    if (found === null) throw path === ROOT ? pathIsDirectory() : fileNotFound();
    if (found instanceof MemoryTree) return found.file(path).content;
    if (found.text !== undefined) return found.text;
    throw found.isDirectory ? pathIsDirectory() : fileNotFound();
  }

  async readFiles(paths: readonly string[]): Promise<(string | null)[]> {
    const found = await this.#find<{ texts: (string | null)[] }>(readFilesProjection(paths));
    if (found === null) return paths.map(() => null);
    return found instanceof MemoryTree ? paths.map((path) => found.files.get(path)?.content ?? null) : found.texts;
  }

  async list(path: string): Promise<MemoryEntry[]> {
    const found = await this.#find<{ isFile: boolean; isDirectory?: true; files: string[]; directories: string[] }>(
      listProjection(path),
    );
    if (found === null) {
      if (path === ROOT) return [];
      throw directoryNotFound();
    }
    if (found instanceof MemoryTree) return found.list(path);
    if (found.isFile) throw pathIsFile();
    if (!found.isDirectory) throw directoryNotFound();
    const start = prefixOf(path).length;
    const nameOf = (key: string): string => pathOf(key).slice(start);
    return [
      ...found.directories.map((key) => ({ name: nameOf(key), kind: "dir" as const })),
      ...found.files.map((key) => ({ name: nameOf(key), kind: "file" as const })),
    ];
  }

  async append(path: string, content: string, create: boolean): Promise<void> {
    if (path === ROOT) throw pathIsDirectory();
    await this.#apply((now) => appendChange(path, content, create, now, this.#limits), this.#creating(path, content, create));
  }

  async snapshotAndAppend(path: string, content: string, create: boolean): Promise<MemorySnapshot> {
    if (path === ROOT) throw pathIsDirectory();
    const { before } = await this.#apply<{ before: MemoryDocument }>(
      (now) => appendChange(path, content, create, now, this.#limits, { before: "$$ROOT" }),
      this.#creating(path, content, create),
    );
    return snapshotOf(before ?? null);
  }

  async replace(path: string, oldContent: string, content: string): Promise<number> {
    if (path === ROOT) throw pathIsDirectory();
    const { replaced } = await this.#apply<{ replaced: number }>((now) =>
      replaceChange(path, oldContent, content, now, this.#limits),
    );
    return replaced ?? 0;
  }

  async delete(path: string): Promise<DeletedCounts> {
    const { report } = await this.#run<{ counts: [files: number, dirs: number] }>((now) => deleteChange(path, now), false);
    const [files, dirs] = report?.counts ?? [0, 0];
    return { files, dirs };
  }

  async write(path: string, content: string, mode: WriteMode): Promise<FileStat> {
    if (path === ROOT) throw pathIsDirectory();
    const create = mode.ifMissing === "create";
    const { createdAt, now } = await this.#apply<{ createdAt: Date }>(
      (time) => writeChange(path, content, mode, time, this.#limits),
      this.#creating(path, content, create),
    );
    return { kind: "file", sizeBytes: utf8Bytes(content), createdAt: createdAt ?? now, updatedAt: now };
  }

  async edit(path: string, change: (text: string) => string): Promise<FileStat> {
    return this.#context.edits.run(JSON.stringify([this.#address, path]), async () => {
      let text = await this.read(path);
      for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
        const expected = text;
        const content = change(expected);
        const sizeBytes = this.#checkedBytes(content);
        const swapped = await this.#apply<{ createdAt: Date; text: string }>((now) =>
          swapChange(path, expected, content, now, this.#limits),
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
      const found = await this.#apply<{ keys: string[]; revision: number }>((now) => renameFileChange(from, to, now));
      if (found.status === "ok") return;
      for (const key of found.keys ?? []) checkMoved(to + pathOf(key).slice(from.length));
      const moved = await this.#apply((now) => renameDirectoryChange(from, to, found.revision ?? 0, now));
      if (moved.status === "ok") return;
      await pause(attempt);
    }
    throw lostRace();
  }

  async stat(path: string): Promise<MemoryStat | null> {
    const found = await this.#find<{
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
    return { kind: "file", sizeBytes: fileBytes, createdAt: meta?.createdAt ?? unknown, updatedAt: meta?.updatedAt ?? unknown };
  }

  async snapshot(): Promise<MemorySnapshot> {
    return snapshotOf(await this.#findDocument<MemoryDocument>({}));
  }

  async outline(maxContentBytes: number): Promise<MemoryOutline> {
    const found = await this.#find<{
      files: { key: string; sizeBytes: number }[];
      directories: string[];
      revision: number;
      data?: Record<string, string>;
    }>(outlineProjection(maxContentBytes));
    if (found === null) return { files: [], directories: [], revision: 0 };
    if (found instanceof MemoryTree) return found.outline(maxContentBytes);
    const { data } = found;
    return {
      files: found.files.map(({ key, sizeBytes }) => {
        const path = pathOf(key);
        const content = ownValue(data, key);
        return content === undefined ? { path, sizeBytes } : { path, sizeBytes, content };
      }),
      directories: found.directories.map(pathOf),
      revision: found.revision,
    };
  }

  /** What can be checked here is: the size of a text, and, as an insert reports nothing, of a memory that only holds it. */
  #creating(path: string, content: string, create: boolean): boolean {
    const { maxMemoryBytes } = this.#limits;
    const bytes = this.#checkedBytes(content) + newFileBytes(path);
    if (create && bytes > maxMemoryBytes) throw memoryFull(bytes, maxMemoryBytes);
    return create;
  }

  #checkedBytes(text: string): number {
    const { maxFileBytes } = this.#limits;
    const bytes = utf8Bytes(text);
    if (bytes > maxFileBytes) throw fileTooLarge(bytes, maxFileBytes);
    return bytes;
  }

  /** Runs a change; refusals are thrown, "ok", "unchanged", "directory" of a rename and "raced" are the caller's. */
  async #apply<Report extends object>(
    build: (now: Date) => Change,
    upsert = false,
  ): Promise<Partial<Report> & { status: Status; now: Date }> {
    const { report, now } = await this.#run<Report>(build, upsert);
    if (report === null) {
      if (upsert) return { status: "ok", now } as Partial<Report> & { status: Status; now: Date };
      throw fileNotFound();
    }
    this.#refuse(report);
    return { ...report, now };
  }

  #refuse(report: { status: Status; sizeBytes?: number; memoryBytes?: number; keys?: unknown }): void {
    const { status, sizeBytes = 0, memoryBytes = 0 } = report;
    if (status === "missing") throw fileNotFound();
    if (status === "directory" && report.keys === undefined) throw pathIsDirectory();
    if (status === "parentIsFile") throw parentIsFile();
    if (status === "exists") throw alreadyExists();
    if (status === "fileTooLarge") throw fileTooLarge(sizeBytes, this.#limits.maxFileBytes);
    if (status === "memoryFull") throw memoryFull(memoryBytes, this.#limits.maxMemoryBytes);
  }

  /** One findOneAndUpdate; a second one only after a legacy document was rewritten or a racing insert came first. */
  async #run<Report extends object>(
    build: (now: Date) => Change,
    upsert: boolean,
  ): Promise<Outcome<Report>> {
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const now = this.#context.clock();
      const change = build(now);
      try {
        const { pipeline, projection } = change;
        const answer = await this.#update<Answer<Report>>(pipeline, { projection, upsert });
        const report = answer && reportOf(answer, change);
        if (report?.status !== "legacy") return { report, now };
        await this.#rewriteLegacy();
      } catch (error) {
        if (!isDuplicateKey(error)) throw storageError(error, "write", this.#limits.maxMemoryBytes);
      }
      await pause(attempt);
    }
    throw lostRace();
  }

  async #update<Report extends object>(
    pipeline: object[],
    options: FindOneAndUpdateOptions,
    extraFilter: object = {},
  ): Promise<Report | null> {
    await this.#context.ready();
    const filter = { ...filterOf(this.#address), ...extraFilter } as object;
    return (await this.#context.collection.findOneAndUpdate(filter, pipeline, {
      ...asPlainValues,
      ...options,
      returnDocument: "before",
      includeResultMetadata: false,
    })) as Report | null;
  }

  /** Rewrites a document of the earlier system flat, unless its content has changed since it was read. */
  async #rewriteLegacy(): Promise<void> {
    const document = await this.#findDocument<MemoryDocument>({});
    if (document === null || document.revision !== undefined) return;
    const { data, dirs } = document;
    const unchanged = {
      revision: { $exists: false },
      data: data === undefined ? { $exists: false } : { $eq: data },
      dirs: dirs === undefined ? { $exists: false } : { $eq: dirs },
    };
    const fields = { ...flatFieldsOf(snapshotOf(document)), revision: 0 };
    await this.#update([{ $replaceWith: { $mergeObjects: ["$$ROOT", { $literal: fields }] } }], { projection: { _id: 1 } }, unchanged);
  }

  async #find<Found extends object>(projection: object): Promise<Found | MemoryTree | null> {
    const found = await this.#findDocument<Found & { legacy?: MemoryDocument }>(projection);
    return found?.legacy ? new MemoryTree(snapshotOf(found.legacy)) : found;
  }

  async #findDocument<Found extends object>(projection: FindOptions["projection"]): Promise<Found | null> {
    try {
      await this.#context.ready();
      const options = { ...asPlainValues, projection: projection ?? {} };
      return (await this.#context.collection.findOne<Found>(filterOf(this.#address) as object, options)) ?? null;
    } catch (error) {
      throw storageError(error, "read", this.#limits.maxMemoryBytes);
    }
  }
}

function lostRace(): MemoryError {
  return new MemoryError("ECONFLICT", `ECONFLICT: the change lost its race ${maxAttempts} times; nothing was changed`);
}

/** Grows and varies, so that racing processes stop meeting. */
async function pause(attempt: number): Promise<void> {
  const delayMs = Math.random() * Math.min(2 ** attempt, 64);
  await new Promise((resolve) => setTimeout(resolve, delayMs));
}
