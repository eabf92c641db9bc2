import { access } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type * as claude from "../../src/dialects/claude/index.js";
import type * as directory from "../../src/backends/directory/open-directory-memory.js";
import type * as index from "../../src/index.js";
import type * as journal from "../../src/dialects/journal/index.js";
import type * as records from "../../src/dialects/records/index.js";

export type Package = typeof index;

export const packageEntry = new URL("../../dist/index.js", import.meta.url);

/** The built package: sources run by tsx are slower, because it wraps every function they make to keep its name. */
export async function builtPackage(): Promise<Package> {
  await access(fileURLToPath(packageEntry)).catch(() => {
    throw new Error("the benchmark measures dist: run `npm run build` first");
  });
  return (await import(packageEntry.href)) as Package;
}

export type Dialects = typeof claude & typeof journal & typeof records;

/** The entries of the dialects, of the built package too. */
export async function builtDialects(): Promise<Dialects> {
  const entries = await Promise.all(["claude", "journal", "records"].map(importEntry));
  return Object.assign({}, ...entries) as Dialects;
}

export async function builtDirectory(): Promise<typeof directory> {
  return (await importEntry("directory")) as typeof directory;
}

async function importEntry(name: string): Promise<object> {
  return (await import(new URL(`../../dist/${name}.js`, import.meta.url).href)) as object;
}
