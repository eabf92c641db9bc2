import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Options, transformFile } from "@swc/core";
import { entrySources } from "../../entries.config.js";

const folderVariable = "MEMORY_TEST_COMPILED";
/** Inside the project, so that the packages which the sources import are found. */
const parent = "node_modules/.cache";
const swcOptions: Options = { swcrc: false, jsc: { parser: { syntax: "typescript" }, target: "es2022" }, module: { type: "es6" } };
const sourceFolders = ["src", "examples", "__tests__/helpers"];

/** A source as plain JavaScript, for a process of its own: tsx would compile all that it loads at every start. */
export function compiled(source: string): string {
  const folder = process.env[folderVariable];
  if (folder === undefined) throw new Error(`${folderVariable} is not set: run the tests through npm test`);
  return join(folder, source.replace(/\.ts$/, ".js"));
}

/** Compiles the sources file by file, and leaves their folder in the environment, which test workers inherit. */
export async function compileSources(): Promise<() => Promise<void>> {
  await mkdir(parent, { recursive: true });
  const folder = await mkdtemp(join(parent, "langgraph-mongo-memory-"));
  const files = await Promise.all(sourceFolders.map(filesIn));
  await Promise.all([writeFile(join(folder, "package.json"), JSON.stringify(packageOf())), ...files.flat().map((file) => place(file, folder))]);
  process.env[folderVariable] = join(process.cwd(), folder);
  return () => rm(folder, { recursive: true, force: true });
}

/** The examples import the package by its name. */
function packageOf(): object {
  const exported = Object.entries(entrySources()).map(([name, source]) => [name === "index" ? "." : `./${name}`, `./${source.replace(/\.ts$/, ".js")}`]);
  return { name: "langgraph-mongo-memory", type: "module", exports: Object.fromEntries(exported) as object };
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

async function place(file: string, folder: string): Promise<void> {
  await mkdir(dirname(join(folder, file)), { recursive: true });
  const text = file.endsWith(".ts") ? (await transformFile(file, swcOptions)).code : await readFile(file, "utf8");
  // Some examples name their files for others to load: "./graph.ts:graph".
  return writeFile(join(folder, file.replace(/\.ts$/, ".js")), text.replaceAll(/("(?:\.\/)?[\w-]+)\.ts\b/g, "$1.js"));
}
