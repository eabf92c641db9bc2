import type { ChangeRecords } from "../../../core/contract/change-record.js";
import type { LayoutBackend, WriteMode } from "../layout-backend.js";
import { alreadyExists, fileNotFound, pathIsDirectory } from "../../../core/values/errors.js";
import type { FileStat, MemorySnapshot } from "../../../core/memory.js";
import type { CallContext } from "../../../core/runtime/call.js";
import { ROOT } from "../../../core/values/paths.js";
import { appendText, replaceText } from "../../../core/values/text.js";
import type { QueuedChange } from "./change-queue.js";
import { FilesBackend } from "./files-backend.js";
import { contextFor, type FilesContext } from "./files-context.js";
import { RecordedRecords } from "./recorded-records.js";
import type { RecordedTree } from "./recorded-tree.js";
import type { StoredFile } from "./stored-document.js";

/** What a change is, but for who makes it and when. */
export type Told<T> = Pick<QueuedChange<T>, "paths" | "apply"> & Partial<Pick<QueuedChange<T>, "below" | "chars">>;

/**
 * The same memory with a limit of all its texts (ADR 0027): each change of a text is a transaction of the queue, which
 * also a history needs. What makes nothing larger, such as a delete, stays as it is.
 */
export class QueuedBackend extends FilesBackend {
  override forCall(call: CallContext): LayoutBackend {
    return new QueuedBackend(contextFor(call, this.context), this.address, this.limits);
  }

  override records(): ChangeRecords {
    return new RecordedRecords(this.context, this.stored, this.address, (text) => this.checkedBytes(text));
  }

  override async append(path: string, content: string, create: boolean): Promise<void> {
    if (path === ROOT) throw pathIsDirectory();
    this.checkedBytes(content);
    await this.change({
      paths: [path],
      chars: content.length,
      apply: (tree) => this.#append(tree, path, content, create),
    });
  }

  override snapshotAndAppend(path: string, content: string, create: boolean): Promise<MemorySnapshot> {
    return this.change({
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
    return this.change({
      paths: [path],
      chars: content.length,
      apply: (tree) => {
        const { text, replaced } = replaceText(tree.file(path).text, oldContent, content, this.limits.maxFileBytes);
        if (replaced > 0) this.#put(tree, path, text);
        return replaced;
      },
    });
  }

  override async write(path: string, content: string, mode: WriteMode): Promise<FileStat> {
    if (path === ROOT) throw pathIsDirectory();
    this.checkedBytes(content);
    return this.change({
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
    return this.change({ paths: [path], apply: (tree) => statOf(this.#put(tree, path, change(tree.file(path).text))) });
  }

  #put(tree: RecordedTree, path: string, text: string): StoredFile {
    this.checkedBytes(text);
    return tree.put(path, text);
  }

  protected change<T>(told: Told<T>): Promise<T> {
    return this.stored.changes.queued(changeOf(this.context, told));
  }
}

/** A change as it is made in a call. */
export function changeOf<T>(
  { actor, fileClock, clock }: Pick<FilesContext, "actor" | "fileClock" | "clock">,
  told: Told<T>,
): QueuedChange<T> {
  return { chars: 0, ...told, actor, clock, fileClock };
}

function statOf({ kind, sizeBytes, createdAt, updatedAt }: StoredFile): FileStat {
  return { kind, sizeBytes, createdAt, updatedAt };
}
