import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Memory } from "../../src/index.js";
import { openFolder } from "../../src/backends/directory/open-directory-memory.js";

export const workFolder = ".langgraph-mongo-memory";
export const crashedId = "01234567-89ab-cdef-0123-456789abcdef";
export const heldByOthers = "EIO: other processes kept the memory locked for too long; nothing was changed";

/** Puts a lock into a folder, as its holder left it so long ago. */
export function leaveLock(dir: string, text: string, ageMs = 0, name = "lock"): void {
  mkdirSync(join(dir, workFolder), { recursive: true });
  writeFileSync(join(dir, workFolder, name), text);
  const time = new Date(Date.now() - ageMs);
  utimesSync(join(dir, workFolder, name), time, time);
}

/** Opens the memory in a folder, and waits for its lock as long as a busy machine may need. */
export function openPatiently(options: Parameters<typeof openFolder>[0]): Memory {
  return openFolder(options, 600_000);
}

/** Opens the memory in a folder, and waits for its lock only a moment. */
export function openImpatiently(dir: string): Memory {
  return openFolder({ dir }, 50);
}

/** Appends to the memory in a folder, and waits for its lock only a moment. */
export function appendSoon(dir: string): Promise<void> {
  return openImpatiently(dir).append("/file", "text");
}
