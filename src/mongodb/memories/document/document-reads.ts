import type { CallContext } from "../../../core/runtime/call.js";
import { directoryNotFound, fileNotFound, pathIsDirectory, pathIsFile } from "../../../core/values/errors.js";
import type {
  MemoryEntry,
  MemoryOutline,
  MemorySnapshot,
  MemoryStat,
  OutlineFile,
  OutlineOptions,
} from "../../../core/memory.js";
import { MemoryTree } from "../../../core/tree/memory-tree.js";
import type { CheckedAddress } from "../../../core/values/address.js";
import { getPathPrefix, ROOT } from "../../../core/values/paths.js";
import { storageError } from "../../driver/errors.js";
import { asPlainValues } from "../../driver/plain-values.js";
import type { Expression } from "../expressions.js";
import { type MemoryDocument, ownValue, pathOfKey, snapshotOfDocument } from "./document.js";
import { type DocumentContext, presentLookUp } from "./document-context.js";
import {
  listProjection,
  outlineProjection,
  readFilesProjection,
  readProjection,
  statProjection,
} from "./projections.js";

type Projection = Record<string, Expression>;

/** The commands that read the document of one memory. */
export class DocumentReads {
  readonly #context: DocumentContext;
  readonly #address: CheckedAddress;

  constructor(context: DocumentContext, address: CheckedAddress) {
    this.#context = context;
    this.#address = address;
  }

  async read(path: string, call: CallContext): Promise<string> {
    const found = await this.#findTree<{ text?: string; isDirectory?: true }>(readProjection(path), call);
    if (found === null) throw path === ROOT ? pathIsDirectory() : fileNotFound();
    if (found instanceof MemoryTree) return found.file(path).content;
    if (found.text !== undefined) return found.text;
    throw found.isDirectory ? pathIsDirectory() : fileNotFound();
  }

  async readFiles(paths: readonly string[], call: CallContext): Promise<(string | null)[]> {
    const found = await this.#findTree<{ texts: (string | null)[] }>(readFilesProjection(paths), call);
    if (found === null) return paths.map(() => null);
    return found instanceof MemoryTree ? paths.map((path) => found.files.get(path)?.content ?? null) : found.texts;
  }

  async list(path: string, call: CallContext): Promise<MemoryEntry[]> {
    const found = await this.#findTree<{
      isFile: boolean;
      isDirectory?: true;
      files: string[];
      directories: string[];
    }>(listProjection(path), call);
    if (found === null) {
      if (path === ROOT) return [];
      throw directoryNotFound();
    }
    if (found instanceof MemoryTree) return found.list(path);
    if (found.isFile) throw pathIsFile();
    if (!found.isDirectory) throw directoryNotFound();
    const start = getPathPrefix(path).length;
    const getName = (key: string): string => pathOfKey(key).slice(start);
    return [
      ...found.directories.map((key) => ({ name: getName(key), kind: "dir" as const })),
      ...found.files.map((key) => ({ name: getName(key), kind: "file" as const })),
    ];
  }

  async stat(path: string, call: CallContext): Promise<MemoryStat | null> {
    const found = await this.#findTree<{
      fileBytes: number | null;
      directoryBytes?: number;
      meta?: { createdAt: Date; updatedAt: Date };
    }>(statProjection(path), call);
    const directory = (sizeBytes: number): MemoryStat => ({ kind: "dir", sizeBytes, createdAt: null, updatedAt: null });
    if (found === null) return path === ROOT ? directory(0) : null;
    if (found instanceof MemoryTree) return found.stat(path);
    const { fileBytes, directoryBytes, meta } = found;
    if (fileBytes === null) return directoryBytes === undefined ? null : directory(directoryBytes);
    const unknown = new Date(0);
    const { createdAt = unknown, updatedAt = unknown } = meta ?? {};
    return { kind: "file", sizeBytes: fileBytes, createdAt, updatedAt };
  }

  async snapshot(call: CallContext): Promise<MemorySnapshot> {
    return snapshotOfDocument(await this.findWhole(call));
  }

  async outline(options: Required<OutlineOptions>, call: CallContext): Promise<MemoryOutline> {
    const found = await this.#findTree<{
      files: { key: string; sizeBytes: number; lead?: string }[];
      directories: string[];
      revision: number;
      data?: Record<string, string>;
    }>(outlineProjection(options), call);
    if (found === null) return { files: [], directories: [], revision: 0 };
    if (found instanceof MemoryTree) return found.outline(options);
    const { data } = found;
    return {
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

  findWhole(call: CallContext): Promise<MemoryDocument | null> {
    // Leaves out the field only if there is a history: leaving it out takes the server some time, and it is rare
    // otherwise.
    return this.find<MemoryDocument>(this.#context.history === null ? {} : { outbox: 0 }, call);
  }

  /** Returns the result of a projection for a document of either layout. The projection must include the revision. */
  async find<Found extends object>(projection: Projection, call: CallContext): Promise<Found | null> {
    try {
      await this.#context.ready();
      const filter = presentLookUp(this.#context, this.#address);
      return await this.#context.collection.findOne<Found>(filter, { projection, ...asPlainValues }, call);
    } catch (error) {
      throw storageError(error, "read", null);
    }
  }

  /**
   * Returns the result of a projection. A document of the earlier layout, which has no revision, is read whole as a
   * tree by a second command.
   */
  async #findTree<Found extends object>(projection: Projection, call: CallContext): Promise<Found | MemoryTree | null> {
    const found = await this.find<Found & { revision?: number }>(projection, call);
    return found === null || found.revision !== undefined
      ? found
      : new MemoryTree(snapshotOfDocument(await this.findWhole(call)));
  }
}
