import { MongoBackend } from "./one-document/one-document-backend.js";
import type { MongoMemoryContext } from "./one-document/stored-document.js";
import { CheckedMemory } from "../../core/checked-memory.js";
import { alreadyExists, MemoryError, pathIsDirectory } from "../../core/errors.js";
import type { Memory } from "../../core/memory.js";
import { memoryDefaults } from "../../core/options.js";
import type { MemoryWrite } from "./file-writes.js";

/** The freer rule, as for puts. */
const memoryOptions = { ...memoryDefaults, paths: "posix" } as const;

type FilePut = Extract<MemoryWrite, { kind: "putMemory" }>;

/** Takes over a file with its times, unless the memory has one at its path that is as new; or only says so. @throws MemoryError */
export async function copyFile(
  context: MongoMemoryContext,
  { place: { address, path }, content }: FilePut,
  { createdAt, updatedAt }: { createdAt: Date; updatedAt: Date },
  dryRun: boolean,
): Promise<"copied" | "unchanged"> {
  if (path === null) return "unchanged";
  const at = (time: Date): Memory =>
    new CheckedMemory(new MongoBackend({ ...context, clock: () => time }, address, memoryOptions), address, memoryOptions);
  const found = await at(updatedAt).stat(path);
  if (found?.kind === "dir") throw pathIsDirectory();
  if (found !== null && found.updatedAt >= updatedAt) return "unchanged";
  if (dryRun) return "copied";
  try {
    const seen = found === null ? content : await at(updatedAt).read(path);
    if (found === null) await at(createdAt).write(path, content, { ifExists: "fail" });
    // Compared once more as it is written, so that an edit of someone else in between is kept.
    await at(updatedAt).edit(path, (text) => {
      if (text !== seen) throw alreadyExists();
      return content;
    });
    return "copied";
  } catch (error) {
    if (MemoryError.isInstance(error) && error.code === "EEXIST") return "unchanged";
    throw error;
  }
}
