import type { MemoryActor } from "../../../core/values/actor.js";
import type { CheckedAddress } from "../../../core/values/address.js";
import type { LayoutBackend } from "../layout-backend.js";
import { pathIsDirectory } from "../../../core/values/errors.js";
import type { HistoryBackend } from "../../../core/history/history-backend.js";
import type { DeletedCounts } from "../../../core/memory.js";
import type { CallContext } from "../../../core/runtime/call.js";
import { FileChanges } from "./file-changes.js";
import { contextFor, type FilesContext } from "./files-context.js";
import { historyOf } from "./files-history.js";
import { changeOf, QueuedBackend } from "./queued-backend.js";

/**
 * The same memory, each change of which makes its versions in the same step (ADR 0023). It reads as one without history
 * does.
 */
export class RecordedBackend extends QueuedBackend {
  override forCall(call: CallContext): LayoutBackend {
    return new RecordedBackend(contextFor(call, this.context), this.address, this.limits);
  }

  forActor(actor: MemoryActor): LayoutBackend {
    return new RecordedBackend({ ...this.context, actor }, this.address, this.limits);
  }

  history(): HistoryBackend | null {
    return historyOf(this.context, {
      stored: this.stored,
      address: this.address,
      limits: this.limits,
      proposals: this.records(),
    });
  }

  override async delete(
    path: string,
    ifDirectory: "delete" | "fail",
    checkBelow?: (path: string) => void,
  ): Promise<DeletedCounts> {
    return this.change({
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

  override async rename(from: string, to: string, checkMoved: (path: string) => void): Promise<void> {
    await this.change({ paths: [from, to], below: [from], apply: (tree) => tree.rename(from, to, checkMoved) });
  }
}

/** The directory alone. @throws EINVAL where something lies in it */
export async function deleteEmptyDirectory(
  context: FilesContext,
  address: CheckedAddress,
  path: string,
): Promise<void> {
  await new FileChanges(context, address).queued(
    changeOf(context, { paths: [path], below: [path], apply: (tree) => tree.deleteEmptyDirectory(path) }),
  );
}
