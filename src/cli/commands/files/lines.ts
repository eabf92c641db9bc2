import type { Memory } from "../../../core/memory.js";
import { directoryNotFound } from "../../../core/values/errors.js";
import { ROOT } from "../../../core/values/paths.js";
import type { Output } from "../../terminal/output.js";

/** A search finds nothing below a missing path, but the path may be mistyped. @throws MemoryError ENOENT */
export async function assertPath(memory: Memory, path: string): Promise<void> {
  if (path !== ROOT && (await memory.stat(path)) === null) throw directoryNotFound();
}

/** As grep programs print it. */
export function formatLine({ path, line, text }: { path: string; line: number; text: string }, out: Output): string {
  return `${out.style("magenta", out.foreign(path))}:${out.style("green", String(line))}:${out.foreign(text)}`;
}
