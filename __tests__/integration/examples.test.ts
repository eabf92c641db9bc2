import { execFile } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, describe, expect, it } from "@jest/globals";
import { chooseModel } from "../../examples/shared/choose-model.js";
import { compiled } from "../helpers/compiled-sources.js";
import { isLong, repetitions } from "../helpers/repetitions.js";
import { testDatabase } from "../helpers/test-database.js";
import { withDatabase } from "../helpers/with-database.js";

const tsx = "node_modules/tsx/dist/cli.mjs";
const folders = readdirSync("examples", { withFileTypes: true }).filter((entry) => entry.isDirectory()).map(({ name }) => name);
const examples = folders.filter((name) => name !== "shared");

it("every example has a program and a README, and is listed", async () => {
  const parts = examples.flatMap((name) => ["main.ts", "README.md"].map((file) => `examples/${name}/${file}`));
  expect(parts.filter((file) => !existsSync(file))).toEqual([]);
  const listed = Array.from((await readFile("examples/README.md", "utf8")).matchAll(/^\| \[`([^`]+)`\]\(\1\) \| .+ \|$/gm), ([, name = ""]) => name);
  expect(listed.toSorted()).toEqual(examples.toSorted());
  const commands = await Promise.all(examples.map(async (name) => commandsIn(await readFile(`examples/${name}/README.md`, "utf8"))));
  expect(commands.map(({ length }) => length)).toEqual(examples.map(() => 1));
});

/** The development server takes many seconds to start: the usual run starts it on MongoDB only. */
const withoutMongodb = isLong ? examples : examples.filter((name) => name !== "langgraph-server");

describe.each(withoutMongodb)("the example %s without MongoDB", (name) => {
  // Requirement: ways-in.examples-run
  it("prints what its README says", async () => {
    expect((await runExample(name)).stdout).toBe(await quotedOutput(name));
  });
});

describe.each(examples)("the example %s", (name) => {
  // Requirement: ways-in.examples-run
  it("prints the same on MongoDB, where its memory stays", async () => {
    const { uri, name: dbName, db } = testDatabase();
    const expected = (await quotedOutput(name)).replace(/^Store: .*$/m, "Store: MongoMemoryStore");
    const env = { MONGODB_URI: withDatabase(uri, dbName) };
    // A second run meets the notes of the first one.
    for (let run = 0; run < repetitions({ usual: 1, long: 2 }); run += 1) expect((await runExample(name, env)).stdout).toBe(expected);
    const memories = await db.collection("memories").find().toArray();
    expect(memories.map((memory) => memory["nodeId"] as string)).toContain(`example-${name}`);
  });
});

/** Most examples open their store by the same lines. */
it.each(isLong ? examples : ["state-graph", "serverless"])("the example %s fails where MongoDB is away", async (name) => {
  const away = "mongodb://127.0.0.1:9/?serverSelectionTimeoutMS=200";
  await expect(runExample(name, { MONGODB_URI: away })).rejects.toMatchObject({ code: 1 });
});

/** Needs `dist`, which `npm test` builds first: the example imports the package by name, as its users do, and runs by the command of its README. */
// Requirement: ways-in.examples-run-on-the-package
it("an example runs on the built package", async () => {
  const directory = await mkdtemp(join(tmpdir(), "examples-"));
  try {
    await writeFile(join(directory, "tsconfig.json"), "{}");
    const { stdout } = await runNode([tsx, "--tsconfig", join(directory, "tsconfig.json"), "examples/state-graph/main.ts"]);
    expect(stdout).toContain("Answer: Mushroom risotto.");
  } finally {
    await rm(directory, { recursive: true });
  }
});

describe("the model of the examples", () => {
  const { OPENAI_API_KEY, OPENAI_MODEL } = process.env;
  const given = { OPENAI_API_KEY, OPENAI_MODEL };

  afterEach(() => {
    for (const [name, value] of Object.entries(given)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });

  it("is the scripted one without a key", async () => {
    delete process.env["OPENAI_API_KEY"];
    const { model, name } = await chooseModel(() => "played");
    expect(name).toMatch(/^scripted/);
    expect((await model.invoke("?")).text).toBe("played");
  });

  it("is ChatOpenAI with one", async () => {
    Object.assign(process.env, { OPENAI_API_KEY: "no real key", OPENAI_MODEL: "gpt-of-the-test" });
    const { model, name } = await chooseModel(() => "played");
    expect(name).toBe("ChatOpenAI gpt-of-the-test");
    expect(model).toMatchObject({ model: "gpt-of-the-test", apiKey: "no real key" });
  });
});

describe("the serverless example", () => {
  it("tries again after a connection that failed", async () => {
    const { connection, connectionsMade } = await import("../../examples/serverless/connection.js");
    const { MONGODB_URI: given } = process.env;
    try {
      process.env["MONGODB_URI"] = "mongodb://127.0.0.1:9/?serverSelectionTimeoutMS=200";
      const failed = await Promise.allSettled([connection(), connection()]);
      expect(failed.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
      process.env["MONGODB_URI"] = testDatabase().uri;
      const [first, second] = await Promise.all([connection(), connection()]);
      expect(first).toBe(second);
      expect(connectionsMade()).toBe(2);
      await first.close();
    } finally {
      if (given === undefined) delete process.env["MONGODB_URI"];
      else process.env["MONGODB_URI"] = given;
    }
  });
});

type Environment = Record<string, string>;

/** These load a module of their own twice, or give one to the development server: not where they are compiled into few files. */
const runFromSource = ["serverless", "langgraph-server"];

function runExample(name: string, env: Environment = {}): Promise<{ stdout: string }> {
  const main = `examples/${name}/main.ts`;
  return runNode(runFromSource.includes(name) ? [tsx, main] : [compiled(main)], env);
}

function runNode(args: string[], env: Environment = {}): Promise<{ stdout: string }> {
  const { OPENAI_API_KEY: _key, ANTHROPIC_API_KEY: _other, MONGODB_URI: _uri, NODE_OPTIONS: _options, ...rest } = process.env;
  return promisify(execFile)(process.execPath, args, { env: { ...rest, ...env } });
}

async function quotedOutput(name: string): Promise<string> {
  return /```text\n([^]*?)```/.exec(await readFile(`examples/${name}/README.md`, "utf8"))?.[1] ?? "";
}

function commandsIn(markdown: string): string[] {
  return Array.from(markdown.matchAll(/```sh\n([^]*?)```/g), ([, code = ""]) => code.trimEnd().split("\n")).flat();
}
