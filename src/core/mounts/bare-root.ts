import type { CheckedAddress } from "../values/address.js";
import type { MemoryBackend } from "../backend.js";
import { openMemoryOver } from "../checked-memory.js";
import { fileNotFound, MemoryError, pathIsDirectory } from "../values/errors.js";
import type {
  DeletedCounts,
  FileStat,
  Memory,
  MemoryEntry,
  MemoryOutline,
  MemorySnapshot,
  MemoryStat,
  OutlineOptions,
} from "../memory.js";
import { type PathRule, ROOT } from "../values/paths.js";
import { MemoryTree } from "../tree/memory-tree.js";
import type { ChangeListener } from "../watch/memory-changes.js";
import { silence } from "../watch/watch-nothing.js";

const empty = new MemoryTree({ files: [], directories: [], revision: null });

/** The root of a tree without a memory at "/": it is empty, and nobody can create anything in it. */
class BareRoot implements MemoryBackend {
  readonly storage = empty;

  async read(path: string): Promise<string> {
    return empty.file(path).content;
  }

  async readFiles(paths: readonly string[]): Promise<null[]> {
    return paths.map(() => null);
  }

  async list(path: string): Promise<MemoryEntry[]> {
    return empty.list(path);
  }

  async append(path: string, _content: string, create: boolean): Promise<void> {
    throw refusal(path, create);
  }

  async snapshotAndAppend(path: string, _content: string, create: boolean): Promise<MemorySnapshot> {
    throw refusal(path, create);
  }

  async replace(path: string): Promise<number> {
    throw refusal(path, false);
  }

  async delete(path: string, ifDirectory: "delete" | "fail"): Promise<DeletedCounts> {
    if (ifDirectory === "fail" && path === ROOT) throw pathIsDirectory();
    return { files: 0, dirs: 0 };
  }

  async write(path: string, _content: string, { ifMissing }: { ifMissing: "create" | "fail" }): Promise<FileStat> {
    throw refusal(path, ifMissing === "create");
  }

  async edit(path: string): Promise<FileStat> {
    throw refusal(path, false);
  }

  async rename(from: string): Promise<void> {
    throw refusal(from, false);
  }

  async stat(path: string): Promise<MemoryStat | null> {
    return empty.stat(path);
  }

  async snapshot(): Promise<MemorySnapshot> {
    return empty.snapshot();
  }

  async listen(): Promise<ChangeListener> {
    return silence;
  }

  async outline(wanted: Required<OutlineOptions>): Promise<MemoryOutline> {
    return empty.outline(wanted);
  }
}

function refusal(path: string, creates: boolean): MemoryError {
  if (path === ROOT) return pathIsDirectory();
  if (!creates) return fileNotFound();
  return new MemoryError(
    "EACCES",
    "EACCES: no memory is mounted at /, so nothing can be created there; create below a mount point",
  );
}

export function bareRoot(address: CheckedAddress, paths: PathRule): Memory {
  return openMemoryOver(() => new BareRoot(), address, { paths, timeoutMs: Infinity }, { isUntraced: true });
}
