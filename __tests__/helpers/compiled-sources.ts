import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { build } from "tsdown";

const folderVariable = "MEMORY_TEST_COMPILED";
/** Inside the project, because the programs look for packages when they run. */
const parent = "node_modules/.cache";

/**
 * Returns the program of a source as plain JavaScript, with its imported packages in few files. Reason: loading
 * hundreds of files and compiling them, as tsx does at every start, would take several times as long as most programs
 * of the tests run.
 */
export function compiled(source: string): string {
  const folder = process.env[folderVariable];
  if (folder === undefined) throw new Error(`${folderVariable} is not set: run the tests through npm test`);
  return join(folder, named(source));
}

/** Compiles the programs, and sets the environment variable with their folder, which test workers inherit. */
export async function compileSources(): Promise<() => Promise<void>> {
  await mkdir(parent, { recursive: true });
  const folder = await mkdtemp(join(parent, "langgraph-mongo-memory-"));
  const helpers = (await filesIn("__tests__/helpers")).filter((file) => /-(worker|stdio-server)\.ts$/.test(file));
  const programs = ["src/cli/main.ts", ...helpers];
  await build({
    config: false,
    entry: Object.fromEntries(programs.map((file) => [file.replace(/\.ts$/, ""), file])),
    outDir: folder,
    format: "esm",
    platform: "node",
    target: "es2022",
    deps: { alwaysBundle: /./, onlyBundle: false },
    dts: false,
    clean: false,
    logLevel: "silent",
  });
  process.env[folderVariable] = join(process.cwd(), folder);
  return () => rm(folder, { recursive: true, force: true });
}

const named = (source: string): string => source.replace(/\.ts$/, ".mjs");

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
