import { randomUUID } from "node:crypto";
import { mkdir, readdir, rmdir, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { MemoryError } from "../../core/values/errors.js";
import { io, ioOrNull } from "./fs-errors.js";
import { workFolder } from "./names.js";
import { OpenDirectory } from "./open-directory.js";
import { readDirectory } from "./read-directory.js";
import type { Modes } from "./rights.js";

/** Tells git to leave the work folder out. */
const ignoreFile = ".gitignore";

const ownName = /^(?:new|old|taken)-[0-9a-f-]+$/;

/** A name that nothing in the work folder has, for what is to be moved into place (`new`) or was moved away (`old`). */
export function freshName(kind: "new" | "old"): string {
  return `${kind}-${randomUUID()}`;
}

/** Opens the work folder, which is made where it is missing, and the memory's folder with it. */
export async function openWorkFolder(root: string, modes: Modes): Promise<OpenDirectory> {
  const parent = OpenDirectory.root(root);
  const there = await parent.openChild(workFolder);
  if (there !== null) return there;
  await makeWorkFolder(root, modes);
  const made = await parent.openChild(workFolder);
  if (made !== null) return made;
  // A link here, perhaps cloned with the rest, would have us write and clean up elsewhere.
  throw new MemoryError("EIO", `EIO: ${workFolder} in the memory's folder is a link; remove it`);
}

export async function makeWorkFolder(root: string, modes: Modes): Promise<void> {
  await io(mkdir(join(root, workFolder), { recursive: true, mode: modes.directory }));
}

/** Removes what a crash left. Call it under the lock: only who holds the lock makes such files. */
export async function cleanWorkFolder(work: OpenDirectory, modes: Modes): Promise<void> {
  const names = (await ioOrNull(readdir(work.base))) ?? [];
  for (const name of names) if (ownName.test(name)) await discard(work, name);
  if (!names.includes(ignoreFile))
    await io(writeFile(work.pathTo(ignoreFile), "*\n", { flag: "wx", mode: modes.file }));
}

/** Removes a name of the work folder and all below it. What cannot be removed stays there, and no memory shows it. */
export async function discard(work: OpenDirectory, name: string): Promise<void> {
  await removeAll(work, name).catch(() => {});
}

/** Node's own `rm` would follow a link that takes a directory's place meanwhile. */
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
