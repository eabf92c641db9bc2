import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { builtDialects, builtPackage, type Dialects, type Package, projectFolder } from "../package/built-package.js";

/** The built package, the earlier one, and a second copy of that, which shows how far noise takes a ratio. */
export const versionNames = ["now", "earlier", "copy"] as const;

export type VersionName = (typeof versionNames)[number];

export type ByVersion<T> = Record<VersionName, T>;

export interface Version {
  name: VersionName;
  package: Package;
  dialects: Dialects;
}

/**
 * Each version in a folder below `node_modules`: from there all of them find the packages of this project, so that they
 * share the driver and LangChain, and are loaded alike.
 */
export async function withVersions<T>(earlier: string, run: (folders: ByVersion<URL>) => Promise<T>): Promise<T> {
  const cache = fileURLToPath(new URL("node_modules/.cache/", projectFolder));
  await mkdir(cache, { recursive: true });
  const base = await mkdtemp(join(cache, "bench-against-"));
  try {
    const folders = await byVersion(async (name) => {
      const folder = join(base, name);
      await putPackage(name === "now" ? fileURLToPath(projectFolder) : earlier, folder);
      return pathToFileURL(`${folder}/`);
    });
    return await run(folders);
  } finally {
    await rm(base, { recursive: true, force: true });
  }
}

/** From a tarball of `npm pack`, or from a folder with `dist`. */
async function putPackage(source: string, folder: string): Promise<void> {
  await mkdir(folder);
  if ((await stat(source)).isDirectory()) {
    for (const part of ["package.json", "dist"]) await cp(join(source, part), join(folder, part), { recursive: true });
  } else {
    await promisify(execFile)("tar", ["-xzf", source, "-C", folder, "--strip-components=1"]);
  }
}

export async function loadVersion(name: VersionName, folder: URL): Promise<Version> {
  return { name, package: await builtPackage(folder), dialects: await builtDialects(folder) };
}

export async function versionNumber(folder: URL): Promise<string> {
  return (JSON.parse(await readFile(new URL("package.json", folder), "utf8")) as { version: string }).version;
}

/** One after the other. */
export async function byVersion<T>(make: (name: VersionName) => Promise<T>): Promise<ByVersion<T>> {
  return { now: await make("now"), earlier: await make("earlier"), copy: await make("copy") };
}
