import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { beforeAll, expect, it } from "@jest/globals";
import { build } from "esbuild";
import { commandsOf } from "../helpers/documentation.js";
import type { ExampleResult, ExampleRuns } from "../helpers/examples-run.js";
import { fixLog } from "../helpers/fixed-log.js";
import { compileInto, installLinked } from "../helpers/packed-package.js";
import { isLong } from "../helpers/repetitions.js";
import { cliJson } from "../helpers/run-cli.js";
import { testDatabase } from "../helpers/test-database.js";
import { testFolder } from "../helpers/test-folder.js";
import { withDatabase } from "../helpers/with-database.js";

const examples = readdirSync("examples", { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/** The development server of LangGraph takes many seconds to start: a process of its own, in the long run only. */
const server = "langgraph-server";
const quick = examples.filter((name) => name !== server);
const run = isLong ? examples : quick;

/** They start processes of their own by the loader that runs them, which takes seconds for each program. */
const byLoader = new Set([server, "mcp-client"]);

/** The second run finds what the first has stored. */
const rounds = 2;

/** Outside of the project, with the packed package and nothing else of it. */
const folder = testFolder();

const { uri, name: dbName, db } = testDatabase();
let results: Record<string, ExampleResult> = {};

beforeAll(async () => {
  await installLinked(folder);
  for (const name of examples) await cliJson(["init", name, join(folder, name)]);
  const compiled = await runCompiled(run.filter((name) => !byLoader.has(name)));
  const loader = pathToFileURL(resolve("node_modules/tsx/dist/loader.mjs")).href;
  const loaded = await runExamples(
    run.filter((name) => byLoader.has(name)),
    ["--import", loader],
  );
  results = { ...compiled, ...loaded };
});

it.each(examples)("the example %s can be copied by itself", (name) => {
  const files = readdirSync(`examples/${name}`);
  expect(files).toEqual(
    expect.arrayContaining([".env.example", "README.md", "agent.ts", "main.ts", "package.json", "tsconfig.json"]),
  );
  const sources = readSources(name);
  expect(sources.map(({ text }) => text).join("\n")).not.toMatch(/from "\.\.\//);
  expect(sources.find(({ file }) => file === "agent.ts")?.text).not.toMatch(/node:assert|console\.log/);
});

it.each(examples)("the example %s asks for the packages that it imports, in the versions that are tested", (name) => {
  const { dependencies: own, devDependencies: ofDevelopment } = readManifest(`examples/${name}`);
  const tested = {
    ...readManifest(".").dependencies,
    ...readManifest(".").devDependencies,
    "langgraph-mongo-memory": "latest",
  };
  const asked = { ...own, ...ofDevelopment };
  expect(asked).toEqual(
    Object.fromEntries(Object.keys(asked).map((each) => [each, tested[each as keyof typeof tested]])),
  );
  const imported = readSources(name).flatMap(({ text }) =>
    Array.from(text.matchAll(/from "((?:@[^/"]+\/)?[^./"@][^/"]*)/g), ([, each = ""]) => each),
  );
  expect(imported.filter((each) => !each.startsWith("node:") && !(each in own))).toEqual([]);
});

it.each(examples)("the example %s names the variables that it reads in .env.example", (name) => {
  const read = readSources(name).flatMap(({ text }) =>
    Array.from(
      text.matchAll(/^const \{(.+)\} = process\.env;$/gm),
      ([, each = ""]) => each.match(/[A-Z_]{4,}/g) ?? [],
    ).flat(),
  );
  expect(readVariables(name).toSorted()).toEqual([...new Set(read)].toSorted());
});

it("the examples share what prints", () => {
  const printers = examples
    .map((name) => `examples/${name}/print.ts`)
    .filter((file) => existsSync(file))
    .map((file) => readFileSync(file, "utf8"));
  expect(new Set(printers).size).toBe(1);
});

it("the list of the examples says what their package.json say", async () => {
  const rows = (await readFile("examples/README.md", "utf8")).matchAll(/^\| \[`([^`]+)`\]\(\1\) \| (.+) \|$/gm);
  const listed = Object.fromEntries(Array.from(rows, ([, name, shows]) => [name, shows]));
  expect(listed).toEqual(
    Object.fromEntries(examples.map((name) => [name, readManifest(`examples/${name}`).description])),
  );
});

it.each(examples)("the README of the example %s says how to copy and run it", async (name) => {
  const commands = commandsOf(await readFile(`examples/${name}/README.md`, "utf8"));
  expect(commands.slice(0, 4)).toEqual([
    `npx langgraph-mongo-memory init ${name}`,
    `cd ${name}`,
    "npm install",
    "npm start",
  ]);
});

it.each(run)("the example %s prints what its README says, without MongoDB", async (name) => {
  expect(results[name]?.plain.map(fixLog)).toEqual([await quotedOutput(name)]);
});

it.each(quick)("the example %s does what its README says beside that", (name) => {
  expect(results[name]?.fault).toBe("");
});

it.each(quick.filter((name) => readVariables(name).includes("OPENAI_API_KEY")))(
  "the example %s asks ChatOpenAI where there is a key",
  (name) => {
    expect(results[name]?.withKey).toContain("\nModel: ChatOpenAI gpt-of-the-test\n");
    expect(results[name]?.withKey).toContain("I stand for OpenAI.");
  },
);

it.each(run)("the example %s prints the same on MongoDB, where its memory stays", async (name) => {
  const expected = (await quotedOutput(name)).replace(/^Store: .*$/m, "Store: MongoMemoryStore");
  expect(results[name]?.onMongodb.map(fixLog)).toEqual(Array.from({ length: rounds }, () => expected));
  const memories = await db.collection("memories").find().toArray();
  expect(memories.map((memory) => memory["nodeId"] as string)).toContain(`example-${name}`);
});

/** Compiles them as the loader of their `npm start` would. */
async function runCompiled(names: readonly string[]): Promise<Record<string, ExampleResult>> {
  const entryPoints = names.flatMap((name) => readSources(name).map(({ file }) => join(folder, name, file)));
  await build({ entryPoints, outdir: folder, outbase: folder });
  return runExamples(names, []);
}

/** @param execArgv with the loader, or none for examples that are compiled */
async function runExamples(
  names: readonly string[],
  execArgv: readonly string[],
): Promise<Record<string, ExampleResult>> {
  const {
    OPENAI_API_KEY: _key,
    ANTHROPIC_API_KEY: _other,
    MONGODB_URI: _uri,
    NODE_OPTIONS: _options,
    ...env
  } = process.env;
  const extension = execArgv.length === 0 ? "js" : "ts";
  const runs: ExampleRuns = { folder, names, extension, uri: withDatabase(uri, dbName), rounds };
  const program = await compileInto(folder, "__tests__/helpers/examples-run.ts");
  const args = [...execArgv, program, JSON.stringify(runs)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder, env, maxBuffer: 10_000_000 });
  return JSON.parse(stdout) as Record<string, ExampleResult>;
}

interface Manifest {
  description: string;
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
}

function readManifest(path: string): Manifest {
  return JSON.parse(readFileSync(`${path}/package.json`, "utf8")) as Manifest;
}

function readSources(name: string): { file: string; text: string }[] {
  const files = readdirSync(`examples/${name}`).filter((file) => file.endsWith(".ts"));
  return files.map((file) => ({ file, text: readFileSync(`examples/${name}/${file}`, "utf8") }));
}

/** Those of its `.env.example`. */
function readVariables(name: string): string[] {
  return Array.from(
    readFileSync(`examples/${name}/.env.example`, "utf8").matchAll(/^# ([A-Z_]+)=/gm),
    ([, each = ""]) => each,
  );
}

async function quotedOutput(name: string): Promise<string> {
  return /```text\n([^]*?)```/.exec(await readFile(`examples/${name}/README.md`, "utf8"))?.[1] ?? "";
}
