import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { build } from "tsdown";

const folderVariable = "MEMORY_TEST_COMPILED";
/** Inside the project, so that packages are found which the programs look for when they run. */
const parent = "node_modules/.cache";

/**
 * The program of a source as plain JavaScript, with the packages it imports in few files: loading hundreds of files and
 * compiling them, as tsx does at every start, would take several times as long as what most programs of the tests do.
 */
export function compiled(source: string): string {
  const folder = process.env[folderVariable];
  if (folder === undefined) throw new Error(`${folderVariable} is not set: run the tests through npm test`);
  return join(folder, named(source));
}

/** Compiles the programs, and leaves their folder in the environment, which test workers inherit. */
export async function compileSources(): Promise<() => Promise<void>> {
  await mkdir(parent, { recursive: true });
  const folder = await mkdtemp(join(parent, "langgraph-mongo-memory-"));
  const examples = await filesIn("examples");
  const helpers = (await filesIn("__tests__/helpers")).filter((file) => /-(worker|stdio-server)\.ts$/.test(file));
  const programs = ["src/cli/main.ts", ...helpers, ...examples.filter((file) => file.endsWith(".ts"))];
  await build({
    config: false,
    entry: Object.fromEntries(programs.map((file) => [file.replace(/\.ts$/, ""), file])),
    outDir: folder,
    format: "esm",
    platform: "node",
    target: "es2022",
    deps: { alwaysBundle: /./, onlyBundle: false },
    plugins: [{ name: "names of examples", transform: (code, id) => (id.includes("/examples/") ? withNames(code) : undefined) }],
    dts: false,
    clean: false,
    logLevel: "silent",
  });
  await Promise.all(examples.filter((file) => file.endsWith(".json")).map((file) => copy(file, join(folder, file))));
  process.env[folderVariable] = join(process.cwd(), folder);
  return () => rm(folder, { recursive: true, force: true });
}

const named = (source: string): string => source.replace(/\.ts$/, ".mjs");

/** Some examples name a file for others to load, such as "./graph.ts:graph". */
const withNames = (text: string): string => text.replaceAll(/("(?:\.\/)?[\w-]+)\.ts\b/g, "$1.mjs");

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

async function copy(file: string, target: string): Promise<void> {
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, withNames(await readFile(file, "utf8")));
}
