import { randomUUID } from "node:crypto";
import { lstat, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { MemoryError } from "../../core/errors.js";
import { codeOf, io, ioOrNull } from "./fs-errors.js";
import { workFolder } from "./names.js";

const ownName = /^(?:new|old)-[0-9a-f-]{36}$/;

/** A path that nothing has yet, for what is to be moved into place (`new`) or was moved away (`old`). */
export function freshPath(root: string, kind: "new" | "old"): string {
  return join(root, workFolder, `${kind}-${randomUUID()}`);
}

/** Makes the work folder, and the memory's folder with it. A `.gitignore` in it tells git to leave it out. */
export async function makeWorkFolder(root: string): Promise<void> {
  const folder = join(root, workFolder);
  await io(mkdir(folder, { recursive: true }));
  // A link here, perhaps cloned with the rest, would have us write and clean up elsewhere.
  if (!(await io(lstat(folder))).isDirectory()) {
    throw new MemoryError("EIO", `EIO: ${workFolder} in the memory's folder is a link; remove it`);
  }
  try {
    await writeFile(join(folder, ".gitignore"), "*\n", { flag: "wx" });
  } catch (error) {
    if (codeOf(error) !== "EEXIST") await io(Promise.reject(error));
  }
}

/** Removes what a crash left. Call it under the lock: only who holds the lock makes such files. */
export async function cleanWorkFolder(root: string): Promise<void> {
  const names = (await ioOrNull(readdir(join(root, workFolder)))) ?? [];
  for (const name of names) if (ownName.test(name)) await discard(join(root, workFolder, name));
}

/** Removes a path of the work folder. What cannot be removed stays there, and no memory shows it. */
export async function discard(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true }).catch(() => {});
}
