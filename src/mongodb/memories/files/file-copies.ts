import { alreadyExists, hasCode, pathIsDirectory } from "../../../core/values/errors.js";
import type { Memory } from "../../../core/memory.js";
import type { ItemTimes } from "../reading/file-items.js";
import { type FileWrite, memoryAt } from "./file-writes.js";
import type { MemoriesContext } from "../memory-context.js";

type FilePut = Extract<FileWrite, { kind: "putMemory" }>;

/**
 * Copies a file with its times, unless the memory has a file at the path that is at least as new. With `dryRun`, only
 * says what would happen.
 * @throws MemoryError
 */
export async function copyFile(
  memories: MemoriesContext,
  { location, content }: FilePut,
  { createdAt, updatedAt }: ItemTimes,
  dryRun: boolean,
): Promise<"copied" | "unchanged"> {
  const { path } = location;
  if (path === null) return "unchanged";
  const at = (time: Date): Memory => memoryAt(location, memories, { clock: () => time });
  const found = await at(updatedAt).stat(path);
  if (found?.kind === "dir") throw pathIsDirectory();
  if (found !== null && found.updatedAt >= updatedAt) return "unchanged";
  if (dryRun) return "copied";
  try {
    const seen = found === null ? content : await at(updatedAt).read(path);
    if (found === null) await at(createdAt).write(path, content, { ifExists: "fail" });
    // The write compares the text once more, so that an edit by someone else in between is kept.
    await at(updatedAt).edit(path, (text) => {
      if (text !== seen) throw alreadyExists();
      return content;
    });
    return "copied";
  } catch (error) {
    if (hasCode(error, "EEXIST")) return "unchanged";
    throw error;
  }
}
