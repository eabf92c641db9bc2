import { existsSync } from "node:fs";
import { cp, readdir, readFile, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { createCommand, programName, type Report } from "../../command.js";
import type { CliContext } from "../../context.js";
import { CommandError, usageError, withFile } from "../../errors.js";

interface Example {
  name: string;
  /** One line about what the example shows. */
  shows: string;
}

/** The fields of an example's `package.json` that are used. */
interface Manifest {
  description?: string;
  dependencies: Record<string, string>;
}

/** The `.gitignore` of a copy. No package can contain a file of this name, because npm renames it. */
const gitignore = "node_modules/\n.env\n.langgraph_api/\n";

/** Files and folders that work on an example leaves in its folder. */
const notCopied = /^(?:node_modules|\.langgraph_api|\.env|package-lock\.json)$/;

export const init = createCommand<{ example?: string; folder?: string }>({
  usage: "init [example] [folder]",
  description:
    "Copy an example into a new or empty folder. Without an example, it lists all. Without a folder, it makes ./<example>.",
  examples: ["init", "init state-graph my-agent"],
  run: async ({ example: name, folder = name, json }, context) => {
    const { examplesFolder } = context.io;
    const examples = await withFile(examplesFolder, "read", () => readExamples(examplesFolder));
    const list = formatExamples(examples);
    if (name === undefined || folder === undefined)
      return { json: { examples }, text: `${list}\nCopy one: ${programName} init <example> [folder]\n` };
    if (examples.some((example) => example.name === name)) return copyExample(name, folder, context);
    if (json !== true) await context.out.write(list);
    const names = examples.map((example) => example.name).join(", ");
    throw usageError(`there is no example ${JSON.stringify(name)}; name one of ${names}`);
  },
});

function formatExamples(examples: readonly Example[]): string {
  const width = Math.max(...examples.map(({ name }) => name.length));
  return examples.map(({ name, shows }) => `${name.padEnd(width)}  ${shows}\n`).join("");
}

async function copyExample(name: string, folder: string, { io, out }: CliContext): Promise<Report> {
  const present = await withFile(folder, "read", async () => (existsSync(folder) ? readdir(folder) : []));
  if (present.length > 0)
    throw new CommandError("EEXIST", `${folder}: the folder is not empty; name one that is empty or not there yet`);
  const source = join(io.examplesFolder, name);
  const files = await withFile(folder, "write", async () => {
    await cp(source, folder, { recursive: true, filter: (file) => !notCopied.test(basename(file)) });
    const manifest = await readManifest(source);
    // The copy uses this version, because the example was tested with no other.
    manifest.dependencies["langgraph-mongo-memory"] = io.version;
    await writeFile(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
    await writeFile(join(folder, ".gitignore"), gitignore);
    return readdir(folder);
  });
  const next = [`cd ${/^[\w./@-]+$/.test(folder) ? folder : JSON.stringify(folder)}`, "npm install", "npm start"];
  return {
    json: { example: name, folder: resolve(folder), files, next },
    text: out.foreign(`Copied ${name} to ${folder}. Next:\n${next.map((line) => `  ${line}\n`).join("")}`),
  };
}

/** Reads the examples of the package, with the descriptions in their `package.json`. */
async function readExamples(examplesFolder: string): Promise<Example[]> {
  const entries = await readdir(examplesFolder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(
    names.toSorted().map(async (name) => {
      const { description = "" } = await readManifest(join(examplesFolder, name));
      return { name, shows: description };
    }),
  );
}

async function readManifest(folder: string): Promise<Manifest> {
  // The file belongs to this package, so its shape is known.
  return JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as Manifest;
}
