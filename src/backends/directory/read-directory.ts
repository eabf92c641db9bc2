import type { Dirent, Stats } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { ioOrNull } from "./fs-errors.js";
import { inParallel } from "./in-parallel.js";
import type { OpenDirectory } from "./open-directory.js";

export interface FoundName {
  /** The bytes of the name, because Node would change a name that is not UTF-8. */
  name: Buffer;
  /** `other` is a special file, such as a pipe. Null if the name is gone. */
  kind: "file" | "dir" | "link" | "other" | null;
}

/** Returns the names in a directory. @throws Node's error if the directory cannot be read */
export async function readDirectory(directory: OpenDirectory): Promise<FoundName[]> {
  const found: Dirent<Buffer>[] | Buffer[] = await readdir(directory.base, { withFileTypes: true, encoding: "buffer" });
  if (!areNames(found)) return found.map((entry) => ({ name: entry.name, kind: getKind(entry) }));
  return inParallel(found, async (name) => {
    const stats = await ioOrNull(lstat(directory.pathTo(name)));
    return { name, kind: stats && getKind(stats) };
  });
}

/** Whether `readdir` returned only names. Bun does so if it is asked for bytes. */
function areNames(found: Dirent<Buffer>[] | Buffer[]): found is Buffer[] {
  return Buffer.isBuffer(found[0]);
}

function getKind(entry: Dirent<Buffer> | Stats): FoundName["kind"] {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "dir";
  return entry.isSymbolicLink() ? "link" : "other";
}
