import { execFile } from "node:child_process";
import { mkdir, readdir, stat, symlink } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";

const run = promisify(execFile);

/** Packs the package as `npm publish` does, but without the build. Needs `dist`. @returns the file */
export async function pack(folder: string): Promise<string> {
  const { stdout } = await run("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", folder], {
    maxBuffer: 10_000_000,
  });
  const [{ filename } = { filename: "" }] = JSON.parse(stdout) as { filename: string }[];
  return join(folder, filename);
}

/** Unpacks the package into `node_modules` of a project without other packages. Needs `dist`. */
export async function unpackPackage(project: string): Promise<string> {
  const folder = join(project, "node_modules/langgraph-mongo-memory");
  await mkdir(folder, { recursive: true });
  await run("tar", ["-xzf", await pack(project), "-C", folder, "--strip-components=1"]);
  return folder;
}

/** Links packages of this repository into the project. */
export async function linkPackages(project: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const link = join(project, "node_modules", name);
    await mkdir(join(link, ".."), { recursive: true });
    await symlink(resolve("node_modules", name), link, "junction");
  }
}

/** Creates a `node_modules` with the packed package and with all packages that the repository has installed. */
export async function installLinked(project: string): Promise<void> {
  await unpackPackage(project);
  await linkPackages(
    project,
    (await readdir("node_modules")).filter((name) => !name.startsWith(".")),
  );
}

/**
 * Compiles a program of the tests into a project, where it finds its packages. A loader of TypeScript would take longer
 * than most of what such a program runs.
 * @returns the file
 */
export async function compileInto(project: string, source: string): Promise<string> {
  const outfile = join(project, `${basename(source, ".ts")}.mjs`);
  await build({ entryPoints: [source], outfile, bundle: true, packages: "external", format: "esm", platform: "node" });
  return outfile;
}

/** Returns the total size of the files in a folder. */
export async function sizeOfFolder(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(files.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
