import { access } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type * as index from "../src/index.js";

export type Package = typeof index;

export const packageEntry = new URL("../dist/index.js", import.meta.url);

/** The built package: sources run by tsx are slower, because it wraps every function they make to keep its name. */
export async function builtPackage(): Promise<Package> {
  await access(fileURLToPath(packageEntry)).catch(() => {
    throw new Error("the benchmark measures dist: run `npm run build` first");
  });
  return (await import(packageEntry.href)) as Package;
}
