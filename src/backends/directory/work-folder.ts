import { randomUUID } from "node:crypto";
import { mkdir, readdir, rmdir, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { MemoryError } from "../../core/values/errors.js";
import { io, ioOrNull } from "./fs-errors.js";
import { workFolder } from "./names.js";
import { OpenDirectory } from "./open-directory.js";
import { readDirectory } from "./read-directory.js";
import type { Modes } from "./rights.js";

/** A file that makes git ignore the work folder. */
const ignoreFile = ".gitignore";

const ownName = /^(?:new|old|taken)-[0-9a-f-]+$/;

/** Returns an unused name in the work folder, for a file to be moved into place (`new`) or moved away (`old`). */
export function freshName(kind: "new" | "old"): string {
  return `${kind}-${randomUUID()}`;
}

/** Opens the work folder. Creates it and the memory's folder if they are missing. */
export async function openWorkFolder(root: string, modes: Modes): Promise<OpenDirectory> {
  const parent = OpenDirectory.root(root);
  const there = await parent.openChild(workFolder);
  if (there !== null) return there;
  await makeWorkFolder(root, modes);
  const made = await parent.openChild(workFolder);
  if (made !== null) return made;
  // A link at this place, for example from a cloned repository, would make this package write and delete elsewhere.
  throw new MemoryError("EIO", `EIO: ${workFolder} in the memory's folder is a link; remove it`);
}

export async function makeWorkFolder(root: string, modes: Modes): Promise<void> {
  await io(mkdir(join(root, workFolder), { recursive: true, mode: modes.directory }));
}

/** Removes the files that a crash left. Call it under the lock: only the holder of the lock creates such files. */
export async function cleanWorkFolder(work: OpenDirectory, modes: Modes): Promise<void> {
  const names = (await ioOrNull(readdir(work.base))) ?? [];
  for (const name of names) if (ownName.test(name)) await discard(work, name);
  if (!names.includes(ignoreFile))
    await io(writeFile(work.pathTo(ignoreFile), "*\n", { flag: "wx", mode: modes.file }));
}

/** Removes a name from the work folder with everything below it. If that fails, the rest stays; no memory shows it. */
export async function discard(work: OpenDirectory, name: string): Promise<void> {
  await removeAll(work, name).catch(() => {});
}

/** Removes a directory tree. Node's `rm` would follow a link that replaces a directory meanwhile. */
async function removeAll(parent: OpenDirectory, name: string | Buffer): Promise<void> {
  const directory = await parent.openChild(name);
  if (directory === null) {
    await parent.check();
    return unlink(parent.pathTo(name));
  }
  try {
    for (const entry of await readDirectory(directory)) {
      if (entry.kind === "dir") await removeAll(directory, entry.name);
      else await directory.check().then(() => unlink(directory.pathTo(entry.name)));
    }
  } finally {
    directory.close();
  }
  await parent.check();
  return rmdir(parent.pathTo(name));
}
