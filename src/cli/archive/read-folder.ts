import { isUtf8 } from "node:buffer";
import { realpath } from "node:fs/promises";
import { ioOrNull, isForbidden } from "../../backends/directory/fs-errors.js";
import { isReserved, reservedName, workFolder } from "../../backends/directory/names.js";
import { OpenDirectory } from "../../backends/directory/open-directory.js";
import { type FoundName, readDirectory } from "../../backends/directory/read-directory.js";
import type { SnapshotFile } from "../../core/tree/snapshot.js";
import { MemoryError } from "../../core/values/errors.js";
import { getCreationError, getPathPrefix, normalizePath, ROOT } from "../../core/values/paths.js";
import { compareCodeUnits } from "../../core/values/text.js";
import { about } from "../errors.js";
import type { OpenTarget } from "../targets/open-target.js";
import type { ImportedMemory } from "./read-archive.js";

/** An entry of a folder that no memory can take. */
export interface SkippedEntry {
  path: string;
  reason: string;
}

/**
 * Reads a folder of any program, such as a workspace. Skips what no memory can take: links, special files, files that
 * are no text or cannot be read, and names that no path can have. Takes names in NFD as NFC.
 */
export async function readFolder(
  target: OpenTarget,
  dir: string,
): Promise<{ memory: ImportedMemory; skipped: SkippedEntry[] }> {
  const { memory, name } = target;
  const skipped: SkippedEntry[] = [];
  const snapshot = await about(name, () => memory.snapshot());
  skipped.push(...(await listUnreadable(target, new Set(snapshot.files.map(({ path }) => path)))));
  await about(name, async () => findUnlisted(OpenDirectory.root(await realpath(dir)), ROOT, skipped));
  const isTaken = (path: string): boolean => {
    const reason = getPathFault(path);
    if (reason !== null) skipped.push({ path, reason });
    return reason === null;
  };
  const directories = new Set(snapshot.directories.map((path) => path.normalize()).filter(isTaken));
  const files = new Map<string, SnapshotFile>();
  for (const file of snapshot.files) {
    const path = file.path.normalize();
    if (files.has(path) || directories.has(path))
      skipped.push({ path: file.path, reason: "another file or folder has the same name in another spelling" });
    else if (isTaken(path)) files.set(path, { ...file, path });
  }
  skipped.sort((a, b) => compareCodeUnits(a.path, b.path));
  return {
    memory: { address: null, revision: null, files: [...files.values()], directories: [...directories] },
    skipped,
  };
}

/** Lists the files that the snapshot of a folder leaves out. */
async function listUnreadable({ memory, name }: OpenTarget, texts: ReadonlySet<string>): Promise<SkippedEntry[]> {
  const { files } = await about(name, () => memory.outline());
  const skipped: SkippedEntry[] = [];
  for (const { path } of files) {
    if (texts.has(path)) continue;
    const reason = await memory.read(path).then(() => "it changed while it was read", getMemoryFault);
    skipped.push({ path, reason });
  }
  return skipped;
}

/** Finds the entries that no listing of a folder shows. */
async function findUnlisted(directory: OpenDirectory, path: string, skipped: SkippedEntry[]): Promise<void> {
  for (const found of (await ioOrNull(readDirectory(directory))) ?? []) {
    const child = getPathPrefix(path) + printName(found.name);
    const reason = getNameFault(child, found);
    if (reason !== null) skipped.push({ path: child, reason });
    if (reason !== null || found.kind !== "dir" || isWorkFolder(child)) continue;
    try {
      await directory.check();
      const opened = await directory.openChild(found.name);
      if (opened === null) continue;
      await findUnlisted(opened, child, skipped).finally(() => opened.close());
    } catch (error) {
      if (!MemoryError.isInstance(error) || !isForbidden(error)) throw error;
      skipped.push({ path: child, reason: error.message });
    }
  }
}

const isWorkFolder = (path: string): boolean => path === ROOT + workFolder;

function getNameFault(path: string, { name, kind }: FoundName): string | null {
  if (kind === "link") return "it is a link, which is not followed";
  if (kind === "other") return "it is neither a file nor a folder";
  if (!isUtf8(name)) return "its name is not UTF-8";
  if (isWorkFolder(path)) return null;
  if (isReserved(name.toString())) return reservedName(name.toString()).message;
  try {
    return normalizePath(path) === path ? null : "its name contains a backslash";
  } catch (error) {
    return getMemoryFault(error);
  }
}

/** Returns why no memory can create a path. */
function getPathFault(path: string): string | null {
  try {
    return getCreationError(normalizePath(path), "posix")?.message ?? null;
  } catch (error) {
    return getMemoryFault(error);
  }
}

function getMemoryFault(error: unknown): string {
  if (MemoryError.isInstance(error)) return error.message;
  throw error;
}

/** Shows the bytes of a name that is not UTF-8 as `\xff`. */
function printName(name: Buffer): string {
  if (isUtf8(name)) return name.toString();
  return Array.from(name, (byte) => (byte < 0x80 ? String.fromCharCode(byte) : `\\x${byte.toString(16)}`)).join("");
}
