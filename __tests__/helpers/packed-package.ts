import { execFile } from "node:child_process";
import { mkdir, readdir, rename, stat, symlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** The package as npm would publish it, unpacked into `node_modules` of a project without any other package. Needs `dist`. */
export async function unpackPackage(project: string): Promise<string> {
  const pack = ["pack", "--ignore-scripts", "--json", "--pack-destination", project];
  const { stdout } = await run("npm", pack);
  const [{ filename } = { filename: "" }] = JSON.parse(stdout) as { filename: string }[];
  await run("tar", ["-xzf", join(project, filename), "-C", project]);
  const folder = join(project, "node_modules/langgraph-mongo-memory");
  await mkdir(join(project, "node_modules"));
  await rename(join(project, "package"), folder);
  return folder;
}

/** Puts packages of this repository beside it. */
export async function linkPackages(project: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const link = join(project, "node_modules", name);
    await mkdir(join(link, ".."), { recursive: true });
    await symlink(resolve("node_modules", name), link, "junction");
  }
}

/** What the files of a folder hold together. */
export async function sizeOfFolder(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(files.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
