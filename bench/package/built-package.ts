import { access } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type * as claude from "../../src/langchain/claude/index.js";
import type * as deepagents from "../../src/deepagents/index.js";
import type * as directory from "../../src/backends/directory/open-directory-memory.js";
import type * as index from "../../src/index.js";
import type * as journal from "../../src/langchain/journal/index.js";
import type * as records from "../../src/langchain/records/index.js";

export type Package = typeof index;

export type Dialects = typeof claude & typeof journal & typeof records;

/** The package's own folder, ending in a slash. */
export const projectFolder = new URL("../../", import.meta.url);

export function entryOf(name: string, folder: URL = projectFolder): URL {
  return new URL(`dist/${name}.js`, folder);
}

/** The built package: sources run by tsx are slower, because it wraps every function they make to keep its name. */
export async function builtPackage(folder?: URL): Promise<Package> {
  await access(fileURLToPath(entryOf("index", folder))).catch(() => {
    throw new Error("the benchmark measures dist: run `npm run build` first");
  });
  return (await importEntry("index", folder)) as Package;
}

/** The entries of the dialects, of the built package too. */
export async function builtDialects(folder?: URL): Promise<Dialects> {
  const entries = await Promise.all(["claude", "journal", "records"].map((name) => importEntry(name, folder)));
  return Object.assign({}, ...entries) as Dialects;
}

export async function builtDirectory(): Promise<typeof directory> {
  return (await importEntry("directory")) as typeof directory;
}

export async function builtDeepAgents(): Promise<typeof deepagents> {
  return (await importEntry("deepagents")) as typeof deepagents;
}

async function importEntry(name: string, folder?: URL): Promise<object> {
  return (await import(entryOf(name, folder).href)) as object;
}
