import type { Memory } from "../../core/memory.js";
import { MemoryError } from "../../core/values/errors.js";

/** Returns the text of a file, or null if the path has no file. */
export async function readPresentText(memory: Memory, path: string): Promise<string | null> {
  try {
    return await memory.read(path);
  } catch (error) {
    if (MemoryError.isInstance(error) && (error.code === "ENOENT" || error.code === "EISDIR")) return null;
    throw error;
  }
}
