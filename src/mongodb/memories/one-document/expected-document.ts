import { fileTooLarge, memoryFull, parentIsFile, pathIsDirectory } from "../../../core/values/errors.js";
import type { MemoryOutline } from "../../../core/memory.js";
import type { MemoryOptions } from "../../../core/memory-options.js";
import { creationFault, parentsOf, prefixOf } from "../../../core/values/paths.js";
import { utf8Bytes } from "../../../core/values/text.js";
import { directoryNotEmpty, type PlannedChange } from "../layout.js";
import { directoryBytes, newFileBytes } from "./document.js";

/** A memory as it will be after the changes so far; refuses what the next one would be refused for. */
export class ExpectedDocument {
  /** Bytes of text by path. */
  readonly #files: Map<string, number>;
  readonly #directories: Set<string>;
  readonly #options: Required<MemoryOptions>;
  #documentBytes: number;

  /** @param documentBytes of the document as it is; of one that is not there yet, `emptyDocumentBytes`. */
  constructor({ files, directories }: MemoryOutline, documentBytes: number, options: Required<MemoryOptions>) {
    this.#files = new Map(files.map(({ path, sizeBytes }) => [path, sizeBytes]));
    this.#directories = new Set(directories);
    this.#documentBytes = documentBytes;
    this.#options = options;
  }

  apply(change: PlannedChange): void {
    if (change.kind === "put") this.#put(change.path, change.content);
    else if (change.kind === "deleteFile") this.#deleteFile(change.path);
    else this.#deleteDirectory(change.path);
  }

  #put(path: string, content: string): void {
    const { maxMemoryBytes } = this.#options;
    const textBytes = utf8Bytes(content);
    this.#checkPut(path, textBytes);
    const growth = textBytes - (this.#files.get(path) ?? -newFileBytes(path));
    const sizeBytes = this.#documentBytes + growth;
    if (growth > 0 && sizeBytes > maxMemoryBytes) throw memoryFull(sizeBytes, maxMemoryBytes);
    const present = this.#files.has(path) ? [] : parentsOf(path).filter((parent) => this.#directories.has(parent));
    this.#documentBytes = sizeBytes - directoryBytes(present);
    this.#files.set(path, textBytes);
    for (const parent of parentsOf(path)) this.#directories.add(parent);
  }

  #deleteFile(path: string): void {
    const textBytes = this.#files.get(path);
    if (textBytes === undefined) return;
    this.#files.delete(path);
    this.#documentBytes -= textBytes + newFileBytes(path) - directoryBytes(parentsOf(path));
  }

  #deleteDirectory(path: string): void {
    if (!this.#directories.has(path)) return;
    const isBelow = (other: string): boolean => other.startsWith(prefixOf(path));
    if ([...this.#files.keys(), ...this.#directories].some(isBelow)) throw directoryNotEmpty();
    this.#directories.delete(path);
    this.#documentBytes -= directoryBytes([path]);
  }

  #checkPut(path: string, textBytes: number): void {
    const { maxFileBytes, paths } = this.#options;
    if (textBytes > maxFileBytes) throw fileTooLarge(textBytes, maxFileBytes);
    if (this.#files.has(path)) return;
    if (this.#directories.has(path)) throw pathIsDirectory();
    const fault = creationFault(path, paths);
    if (fault) throw fault;
    if (parentsOf(path).some((parent) => this.#files.has(parent))) throw parentIsFile();
  }
}
