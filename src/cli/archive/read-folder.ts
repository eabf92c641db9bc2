import { isUtf8 } from "node:buffer";
import { realpath, stat } from "node:fs/promises";
import { ioOrNull, isForbidden } from "../../backends/directory/fs-errors.js";
import { inParallel } from "../../backends/directory/in-parallel.js";
import { isReserved, reservedName, workFolder } from "../../backends/directory/names.js";
import { OpenDirectory } from "../../backends/directory/open-directory.js";
import { type FoundName, readDirectory } from "../../backends/directory/read-directory.js";
import type { Memory, MemoryOutline } from "../../core/memory.js";
import type { SnapshotFile } from "../../core/tree/snapshot.js";
import { fileTooLarge, MemoryError } from "../../core/values/errors.js";
import { getCreationError, getPathPrefix, normalizePath, ROOT } from "../../core/values/paths.js";
import { compilePathPatterns } from "../../core/values/path-pattern.js";
import { comparePaths, largestFileBytes } from "../../core/values/text.js";
import { about, inputError, withFile } from "../errors.js";
import { openFolder } from "../targets/open-folder.js";
import type { ImportedMemory } from "./read-archive.js";

/** An entry of a folder that no memory can take. */
export interface SkippedEntry {
  kind: "skipped";
  path: string;
  reason: string;
}

/**
 * Reads a folder of any program, such as a workspace.
 * @param include patterns of the files that are taken. Default: all
 * @throws CommandError EINPUT if there is no such folder, because its name may be mistyped
 */
export async function readFolder(
  dir: string,
  include: readonly string[] | undefined,
): Promise<{ memory: ImportedMemory; skipped: SkippedEntry[] }> {
  const stats = await withFile(`--dir ${dir}`, "read", () => stat(dir));
  if (!stats.isDirectory()) throw inputError(`--dir ${dir}: it is a file; name the folder that the texts are in`);
  const { memory, name } = await openFolder("--dir", dir);
  const files: SnapshotFile[] = [];
  const skipped: SkippedEntry[] = [];
  const isIncluded = compilePathPatterns(include ?? ["/**"]);
  let others = 0;
  await about(name, async () => {
    const { files: all, directories: allDirectories } = await memory.outline();
    const listed = all.filter(({ path }) => isIncluded(path));
    others = all.length - listed.length;
    const outline = { files: listed, directories: include === undefined ? allDirectories : [] };
    for await (const item of readItems(memory, dir, outline))
      if (item.kind === "skipped") skipped.push(...(isIncluded(item.path) ? [item] : []));
      else files.push(item);
  });
  skipped.sort(comparePaths);
  if (others > 0) skipped.push(toSkipped(`${others} other files`, "--include does not name them"));
  return { memory: { address: null, files }, skipped };
}

function toSkipped(path: string, reason: string): SkippedEntry {
  return { kind: "skipped", path, reason };
}

/** A part of a folder, or what is wrong with it. */
type FolderItem = SnapshotFile | SkippedEntry;

/**
 * Reads a folder of any program, such as a workspace. Notes the parts that no memory can take: links, special files,
 * files that are no text or cannot be read, and names that no path can have. Takes names in NFD as NFC.
 * @param memory the memory of the folder
 */
async function* readItems(
  memory: Memory,
  dir: string,
  { files, directories }: Pick<MemoryOutline, "files" | "directories">,
): AsyncGenerator<FolderItem> {
  yield* findUnlisted(OpenDirectory.root(await realpath(dir)), ROOT);
  const taken = new Set<string>();
  for (const directory of new Set(directories.map((path) => path.normalize()))) {
    const why = getPathFault(directory);
    if (why === null) taken.add(directory);
    if (why !== null) yield toSkipped(directory, why);
  }
  for (let start = 0; start < files.length; start += filesAtOnce) {
    const some = files.slice(start, start + filesAtOnce);
    for (const file of await inParallel(some, ({ path }) => readFile(memory, path))) {
      if (file.kind === "skipped") {
        yield file;
        continue;
      }
      const path = file.path.normalize();
      const twin = taken.has(path) ? "another file or folder has the same name in another spelling" : null;
      const why = twin ?? getPathFault(path);
      if (why === null) taken.add(path);
      yield why === null ? { ...file, path } : toSkipped(file.path, why);
    }
  }
}

/** The texts that are in memory at once. */
const filesAtOnce = 32;

/** Reads a file of a folder, or notes why it cannot be read. */
async function readFile(memory: Memory, path: string): Promise<SnapshotFile | SkippedEntry> {
  try {
    const [content, facts] = [await memory.read(path), await memory.stat(path)];
    if (facts?.kind !== "file") return toSkipped(path, "it changed while it was read");
    const { sizeBytes } = facts;
    if (sizeBytes > largestFileBytes) throw fileTooLarge(sizeBytes, largestFileBytes);
    return { path, content, ...facts };
  } catch (error) {
    return toSkipped(path, getMemoryFault(error));
  }
}

/** Finds the entries that no listing of a folder shows. */
async function* findUnlisted(directory: OpenDirectory, path: string): AsyncGenerator<SkippedEntry> {
  for (const found of (await ioOrNull(readDirectory(directory))) ?? []) {
    const child = getPathPrefix(path) + printName(found.name);
    const why = getNameFault(child, found);
    if (why !== null) yield toSkipped(child, why);
    if (why !== null || found.kind !== "dir" || isWorkFolder(child)) continue;
    let opened: OpenDirectory | null = null;
    try {
      await directory.check();
      opened = await directory.openChild(found.name);
      if (opened !== null) yield* findUnlisted(opened, child);
    } catch (error) {
      if (!MemoryError.isInstance(error) || !isForbidden(error)) throw error;
      yield toSkipped(child, error.message);
    } finally {
      opened?.close();
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
