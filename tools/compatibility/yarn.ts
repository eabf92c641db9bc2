import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runCommand } from "../run-command.js";

/** npm installs this version of Yarn for the check only. */
const yarnPackage = "@yarnpkg/cli-dist@4.18.1";

const settings = ["nodeLinker: pnp", "enableTelemetry: false", "enableGlobalCache: false", ""].join("\n");

const job = [
  'await memory.append("/notes", "vegetarian");',
  'if ((await memory.read("/notes")) !== "vegetarian") throw new Error("the note is not there");',
];

const programs = {
  "run.mjs": [
    'import { InMemoryStore } from "@langchain/langgraph";',
    'import { openMemory } from "langgraph-mongo-memory";',
    'const memory = openMemory(new InMemoryStore(), { nodeId: "assistant" });',
    ...job,
  ],
  "run.cjs": [
    'const { InMemoryStore } = require("@langchain/langgraph");',
    'const { openMemory } = require("langgraph-mongo-memory");',
    'const memory = openMemory(new InMemoryStore(), { nodeId: "assistant" });',
    `(async () => { ${job.join(" ")} })();`,
  ],
};

/**
 * Installs the package with Yarn Plug'n'Play by the line of `docs/install.md`, and uses it as an ES module, as CommonJS
 * and from the command line. Plug'n'Play has its own `node:fs`, and gives a package only what a project names.
 */
export async function checkYarn(folder: string, tarball: string): Promise<void> {
  await runCommand("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline", "--prefix", folder, yarnPackage]);
  const project = join(folder, "project");
  await mkdir(project);
  await writeFile(join(project, "package.json"), JSON.stringify({ private: true }));
  await writeFile(join(project, "yarn.lock"), "");
  await writeFile(join(project, ".yarnrc.yml"), settings);
  for (const [name, lines] of Object.entries(programs)) await writeFile(join(project, name), lines.join("\n"));
  const program = join(folder, "node_modules/@yarnpkg/cli-dist/bin/yarn.js");
  const yarn = (...args: string[]) => runCommand("node", [program, ...args], { cwd: project });
  const page = (await readFile("docs/install.md", "utf8")).replaceAll(/\\\n */g, "");
  const [, names] = /^yarn add (.+)$/m.exec(page) ?? [];
  if (names === undefined) throw new Error("docs/install.md does not say how Yarn installs the package");
  const own = `langgraph-mongo-memory@file:${tarball}`;
  await yarn("add", ...names.split(" ").map((name) => (name === "langgraph-mongo-memory" ? own : name)));
  for (const name of Object.keys(programs)) await yarn("node", name);
  await mkdir(join(project, "notes"));
  await writeFile(join(project, "notes", "a"), "x");
  await yarn("langgraph-mongo-memory", "import", "--dir", "notes", "--to-dir", "copy");
  console.log("ok: Yarn Plug'n'Play");
}
