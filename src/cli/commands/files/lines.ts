import type { Memory } from "../../../core/memory.js";
import { directoryNotFound } from "../../../core/values/errors.js";
import { ROOT } from "../../../core/values/paths.js";
import type { Output } from "../../terminal/output.js";

/**
 * Refuses a missing path, because it may be mistyped and a search would just find nothing. @throws MemoryError ENOENT
 */
export async function assertPath(memory: Memory, path: string): Promise<void> {
  if (path !== ROOT && (await memory.stat(path)) === null) throw directoryNotFound();
}

/** Formats a line like other grep programs. */
export function formatLine({ path, line, text }: { path: string; line: number; text: string }, out: Output): string {
  return `${out.style("magenta", out.foreign(path))}:${out.style("green", String(line))}:${out.foreign(text)}`;
}
