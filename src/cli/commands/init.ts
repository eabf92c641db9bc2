import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Command } from "commander";
import { newCommand, programName } from "../command.js";
import type { CliContext } from "../context.js";
import { CommandFault, usageFault, withFile } from "../fault.js";

interface InitOptions {
  json?: boolean;
}

interface Example {
  name: string;
  /** What the example shows, in one line. */
  shows: string;
}

/** The `.gitignore` of a copy. No package can hold a file of this name: npm renames it. */
const gitignore = "node_modules/\n.env\n.langgraph_api/\n";

/** Files and folders that somebody's work in the folder of an example leaves there. */
const notCopied = /^(?:node_modules|\.langgraph_api|\.env|package-lock\.json)$/;

export function addInit(program: Command, context: CliContext): void {
  const command = newCommand(
    program,
    "init [example] [folder]",
    "Copy an example into a new or empty folder. Without an example, it lists all. Without a folder, it makes ./<example>.",
    ["init", "init state-graph my-agent"],
  );
  command.action(async (given: string | undefined, folder: string | undefined, options: InitOptions) => {
    const examples = await withFile(context.io.examplesFolder, "read", () => readExamples(context.io.examplesFolder));
    if (given === undefined) return listExamples(examples, context, options);
    const example = examples.find(({ name }) => name === given);
    if (example === undefined) {
      if (options.json !== true) for (const line of linesOf(examples)) await context.out.line(line);
      throw usageFault(
        `there is no example ${JSON.stringify(given)}; name one of ${examples.map(({ name }) => name).join(", ")}`,
      );
    }
    return copyExample(example, folder ?? example.name, context, options);
  });
}

async function listExamples(
  examples: readonly Example[],
  { out }: CliContext,
  { json = false }: InitOptions,
): Promise<void> {
  if (json) return out.json({ ok: true, examples });
  for (const line of [...linesOf(examples), "", `Copy one: ${programName} init <example> [folder]`])
    await out.line(line);
}

function linesOf(examples: readonly Example[]): string[] {
  const width = Math.max(...examples.map(({ name }) => name.length));
  return examples.map(({ name, shows }) => `${name.padEnd(width)}  ${shows}`);
}

async function copyExample(
  { name }: Example,
  folder: string,
  { io, out }: CliContext,
  { json = false }: InitOptions,
): Promise<void> {
  const texts = await withFile(io.examplesFolder, "read", () => readTexts(join(io.examplesFolder, name)));
  texts.set("package.json", withVersion(texts.get("package.json") ?? "{}", io.version));
  texts.set(".gitignore", gitignore);
  const present = await withFile(folder, "read", () => readdir(folder).catch(noneIfMissing));
  if (present.length > 0)
    throw new CommandFault("EEXIST", `${folder}: the folder is not empty; name one that is empty or not there yet`);
  await withFile(folder, "write", async () => {
    await mkdir(folder, { recursive: true });
    for (const [file, text] of texts) await writeFile(join(folder, file), text, { flag: "wx" });
  });
  const next = [`cd ${/^[\w./@-]+$/.test(folder) ? folder : JSON.stringify(folder)}`, "npm install", "npm start"];
  if (json) return out.json({ ok: true, example: name, folder: resolve(folder), files: [...texts.keys()], next });
  await out.line(out.foreign(`Copied ${name} to ${folder}. Next:\n${next.map((line) => `  ${line}`).join("\n")}`));
}

function noneIfMissing(error: NodeJS.ErrnoException): string[] {
  if (error.code === "ENOENT") return [];
  throw error;
}

/** The folders of the package's examples, each with the description in its `package.json`. */
async function readExamples(examplesFolder: string): Promise<Example[]> {
  const entries = await readdir(examplesFolder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  const examples = names.toSorted().map(async (name) => {
    const { description = "" } = JSON.parse(await readFile(join(examplesFolder, name, "package.json"), "utf8")) as {
      description?: string;
    };
    return { name, shows: description };
  });
  return Promise.all(examples);
}

/** The texts of an example's files, by file name. No example has folders in it. */
async function readTexts(folder: string): Promise<Map<string, string>> {
  const entries = (await readdir(folder, { withFileTypes: true })).filter(
    (entry) => entry.isFile() && !notCopied.test(entry.name),
  );
  const texts = entries.map(async ({ name }): Promise<[string, string]> => [
    name,
    await readFile(join(folder, name), "utf8"),
  ]);
  return new Map(await Promise.all(texts));
}

/** The `package.json` of an example, with this version of the package. The example was tested with no other version. */
function withVersion(manifest: string, version: string): string {
  const parsed = JSON.parse(manifest) as { dependencies: Record<string, string> };
  parsed.dependencies["langgraph-mongo-memory"] = version;
  return `${JSON.stringify(parsed, null, 2)}\n`;
}
