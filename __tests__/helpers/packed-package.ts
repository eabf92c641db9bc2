import { execFile } from "node:child_process";
import { mkdir, readdir, symlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Packs the package as `npm publish` does, but for the build. Needs `dist`. @returns the file */
export async function pack(folder: string): Promise<string> {
  const { stdout } = await run("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", folder], { maxBuffer: 10_000_000 });
  const [{ filename } = { filename: "" }] = JSON.parse(stdout) as { filename: string }[];
  return join(folder, filename);
}

/** A `node_modules` with the packed package, and with what the project has installed. */
export async function installLinked(folder: string): Promise<void> {
  const modules = join(folder, "node_modules");
  const own = join(modules, "langgraph-mongo-memory");
  await mkdir(own, { recursive: true });
  await run("tar", ["-xzf", await pack(folder), "-C", own, "--strip-components=1"]);
  for (const name of await readdir("node_modules")) {
    if (!name.startsWith(".")) await symlink(resolve("node_modules", name), join(modules, name), "junction");
  }
}
