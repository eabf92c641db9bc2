import type { MemoryActor } from "../../../core/actor.js";
import type { CheckedAddress } from "../../../core/address.js";
import type { ChangeRecords } from "../../../core/approval/change-record.js";
import type { BackendLimits, MemoryBackend, WriteMode } from "../../../core/backend.js";
import { alreadyExists, fileNotFound, fileTooLarge, pathIsDirectory } from "../../../core/errors.js";
import type { HistoryBackend } from "../../../core/history-backend.js";
import type { DeletedCounts, FileStat, MemorySnapshot } from "../../../core/memory.js";
import type { OngoingCall } from "../../../core/ongoing-call.js";
import { ROOT } from "../../../core/paths.js";
import { appendText, replaceText, utf8Bytes } from "../../../core/text.js";
import type { QueuedChange } from "./change-queue.js";
import { FilesBackend } from "./files-backend.js";
import { contextFor, type FilesContext } from "./files-context.js";
import { historyOf } from "./files-history.js";
import { RecordedRecords } from "./recorded-records.js";
import type { RecordedTree } from "./recorded-tree.js";
import type { StoredFile } from "./stored-document.js";
import { StoredFiles } from "./stored-files.js";

/** What a change is, but for who makes it and when. */
type Told<T> = Pick<QueuedChange<T>, "paths" | "apply"> & Partial<Pick<QueuedChange<T>, "below" | "chars">>;

/** The same memory, each change of which makes its versions in the same step (ADR 0023). It reads as one without history does. */
export class RecordedBackend extends FilesBackend {
  readonly #context: FilesContext;
  readonly #stored: StoredFiles;
  readonly #address: CheckedAddress;
  readonly #limits: BackendLimits;

  constructor(context: FilesContext, address: CheckedAddress, limits: BackendLimits) {
    super(context, address, limits);
    this.#context = context;
    this.#stored = new StoredFiles(context, address);
    this.#address = address;
    this.#limits = limits;
  }

  override forCall(call: OngoingCall): MemoryBackend {
    return new RecordedBackend(contextFor(call, this.#context), this.#address, this.#limits);
  }

  forActor(actor: MemoryActor): MemoryBackend {
    return new RecordedBackend({ ...this.#context, actor }, this.#address, this.#limits);
  }

  history(): HistoryBackend | null {
    return historyOf(this.#context, { stored: this.#stored, address: this.#address, limits: this.#limits, proposals: this.records() });
  }

  override records(): ChangeRecords {
    return new RecordedRecords(this.#context, this.#stored, this.#address, (text) => this.#checked(text));
  }

  override async append(path: string, content: string, create: boolean): Promise<void> {
    if (path === ROOT) throw pathIsDirectory();
    this.#checked(content);
    await this.#change({ paths: [path], chars: content.length, apply: (tree) => this.#append(tree, path, content, create) });
  }

  override snapshotAndAppend(path: string, content: string, create: boolean): Promise<MemorySnapshot> {
    return this.#change({
      paths: [path],
      below: [ROOT],
      chars: content.length,
      apply: (tree) => {
        const before = tree.snapshot();
        this.#append(tree, path, content, create);
        return before;
      },
    });
  }

  #append(tree: RecordedTree, path: string, content: string, create: boolean): void {
    const isMissing = tree.kind(path) === undefined;
    if (isMissing && !create) throw fileNotFound();
    this.#put(tree, path, appendText(isMissing ? "" : tree.file(path).text, content));
  }

  override async replace(path: string, oldContent: string, content: string): Promise<number> {
    return this.#change({
      paths: [path],
      chars: content.length,
      apply: (tree) => {
        const { text, replaced } = replaceText(tree.file(path).text, oldContent, content, this.#limits.maxFileBytes);
        if (replaced > 0) this.#put(tree, path, text);
        return replaced;
      },
    });
  }

  override async delete(path: string, ifDirectory: "delete" | "fail", checkBelow?: (path: string) => void): Promise<DeletedCounts> {
    return this.#change({
      paths: [path],
      ...(ifDirectory === "delete" && { below: [path] }),
      apply: (tree) => {
        if (tree.kind(path) === "file") {
          tree.deleteFile(path);
          return { files: 1, dirs: 0 };
        }
        if (tree.kind(path) === "dir" && ifDirectory === "fail") throw pathIsDirectory();
        return tree.deleteDirectory(path, checkBelow);
      },
    });
  }

  override async write(path: string, content: string, mode: WriteMode): Promise<FileStat> {
    if (path === ROOT) throw pathIsDirectory();
    this.#checked(content);
    return this.#change({
      paths: [path],
      chars: content.length,
      apply: (tree) => {
        const kind = tree.kind(path);
        if (kind === "dir") throw pathIsDirectory();
        if (kind === "file" && mode.ifExists === "fail") throw alreadyExists();
        if (kind === undefined && mode.ifMissing === "fail") throw fileNotFound();
        return statOf(this.#put(tree, path, content));
      },
    });
  }

  override async edit(path: string, change: (text: string) => string): Promise<FileStat> {
    return this.#change({ paths: [path], apply: (tree) => statOf(this.#put(tree, path, change(tree.file(path).text))) });
  }

  override async rename(from: string, to: string, checkMoved: (path: string) => void): Promise<void> {
    await this.#change({ paths: [from, to], below: [from], apply: (tree) => tree.rename(from, to, checkMoved) });
  }

  #put(tree: RecordedTree, path: string, text: string): StoredFile {
    this.#checked(text);
    return tree.put(path, text);
  }

  #change<T>(told: Told<T>): Promise<T> {
    return this.#stored.recorded(changeOf(this.#context, told));
  }

  #checked(text: string): void {
    const { maxFileBytes } = this.#limits;
    const bytes = utf8Bytes(text);
    if (bytes > maxFileBytes) throw fileTooLarge(bytes, maxFileBytes);
  }
}

/** The directory alone. @throws EINVAL where something lies in it */
export async function deleteEmptyDirectory(context: FilesContext, address: CheckedAddress, path: string): Promise<void> {
  await new StoredFiles(context, address).recorded(changeOf(context, { paths: [path], below: [path], apply: (tree) => tree.deleteEmptyDirectory(path) }));
}

/** A change as it is made in a call. */
export function changeOf<T>({ actor, fileClock, clock }: Pick<FilesContext, "actor" | "fileClock" | "clock">, told: Told<T>): QueuedChange<T> {
  return { chars: 0, ...told, actor, clock, fileClock };
}

function statOf({ kind, sizeBytes, createdAt, updatedAt }: StoredFile): FileStat {
  return { kind, sizeBytes, createdAt, updatedAt };
}
