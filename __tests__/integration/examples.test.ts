import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, describe, expect, it } from "@jest/globals";
import ts from "typescript";
import { chooseModel } from "../../examples/shared/choose-model.js";
import { testDatabase } from "../helpers/test-database.js";

const examples = ["state-graph", "create-agent", "bind-tools"];

describe.each(examples)("the example %s", (name) => {
  it("prints what its README says", async () => {
    expect((await runExample(name, {})).stdout).toBe(await quotedOutput(name));
  }, 60_000);

  it("prints the same on MongoDB, where its memory stays", async () => {
    const { uri, name: dbName, db } = testDatabase();
    const expected = (await quotedOutput(name)).replace(/^Store: .*$/m, "Store: MongoMemoryStore");
    const env = { MONGODB_URI: withDatabase(uri, dbName) };
    expect((await runExample(name, env)).stdout).toBe(expected);
    // Again, over the notes of the first run.
    expect((await runExample(name, env)).stdout).toBe(expected);
    const memories = await db.collection("memories").find().toArray();
    expect(memories.map((memory) => memory["nodeId"] as string)).toContain(`example-${name}`);
  }, 120_000);

  it("fails where MongoDB is away", async () => {
    const away = "mongodb://127.0.0.1:9/?serverSelectionTimeoutMS=200";
    await expect(runExample(name, { MONGODB_URI: away })).rejects.toMatchObject({ code: 1 });
  }, 60_000);
});

/** Needs `dist`, which `npm test` builds first: the example imports the package by name, as its users do. */
it("an example runs on the built package", async () => {
  const directory = await mkdtemp(join(tmpdir(), "examples-"));
  try {
    await writeFile(join(directory, "tsconfig.json"), "{}");
    const { stdout } = await runExample("state-graph", {}, ["--tsconfig", join(directory, "tsconfig.json")]);
    expect(stdout).toContain("Answer: Mushroom risotto.");
  } finally {
    await rm(directory, { recursive: true });
  }
}, 60_000);

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

describe("the READMEs", () => {
  it.each(["README.md", ...examples.map((name) => `examples/${name}/README.md`)])("%s names commands that exist", async (file) => {
    const { scripts, peerDependencies } = await packageJson();
    const known = [
      /^npm ci$/,
      /^npm test$/,
      ...Object.keys(scripts).map((script) => new RegExp(`^npm run ${script}$`)),
      new RegExp(`^npm install (?: ?(?:${["langgraph-mongo-memory", ...Object.keys(peerDependencies)].join("|")}))+$`),
      ...examples.map((name) => new RegExp(`^npx tsx examples/${name}/main\\.ts$`)),
    ];
    const commands = commandsOf(await readFile(file, "utf8"));
    expect(commands.length).toBeGreaterThan(0);
    expect(commands.filter((command) => !known.some((pattern) => pattern.test(command)))).toEqual([]);
  });

  it("link to what exists", async () => {
    const text = await readFile("README.md", "utf8");
    const anchors = Array.from(text.matchAll(/^#+ (.+)$/gm), ([, title = ""]) => title.toLowerCase().replaceAll(/[^\w -]/g, "").replaceAll(" ", "-"));
    const links = Array.from(text.matchAll(/\]\(([^)]+)\)/g), ([, link = ""]) => link);
    const broken = links.filter((link) => (link.startsWith("#") ? !anchors.includes(link.slice(1)) : !existsSync(link)));
    expect(broken).toEqual([]);
  });

  it("name the versions that are asked for and those that were tested", async () => {
    const text = await readFile("README.md", "utf8");
    const { peerDependencies, peerDependenciesMeta } = await packageJson();
    // ChatOpenAI is in the examples only.
    const peers = Object.entries(peerDependencies).filter(([name]) => name !== "@langchain/openai");
    expect(Object.keys(peerDependenciesMeta)).toEqual(["@langchain/openai", "deepagents", "langchain"]);
    const wanted = peers.map(async ([name, range]) => {
      const { version } = JSON.parse(await readFile(`node_modules/${name}/package.json`, "utf8")) as { version: string };
      return [`\`${name}\` ${range.replaceAll("||", "or")}`, `\`${name}\` ${version}`];
    });
    expect((await Promise.all(wanted)).flat().filter((phrase) => !text.includes(phrase))).toEqual([]);
  });
});

describe("README.md", () => {
  const root = ts.sys.getCurrentDirectory();
  const text = ts.sys.readFile("README.md") ?? "";
  const program = compile(new Map(programsOf(text).map((code, index) => [`${root}/README.${index}.ts`, code])));
  const checker = program.getTypeChecker();

  it("has code that compiles", () => {
    expect(program.getRootFileNames().length).toBeGreaterThan(7);
    const faults = ts.getPreEmitDiagnostics(program).filter(({ file }) => file?.fileName.includes("README."));
    expect(faults.map(({ file, messageText }) => `${file?.text}\n${ts.flattenDiagnosticMessageText(messageText, "\n")}`)).toEqual([]);
  });

  it("names everything that the package exports", () => {
    const values = exportsOf("src/index.ts").filter((symbol) => (resolved(symbol).flags & ts.SymbolFlags.Value) !== 0);
    expect(values.length).toBeGreaterThan(8);
    expect(values.map(({ name }) => name).filter((name) => !text.includes(name))).toEqual([]);
  });

  it("lists every option with its default", () => {
    const options = [...exportsOf("src/index.ts"), ...exportsOf("src/middleware.ts")].filter(({ name }) => /(?:Options|Config)$/.test(name));
    expect(options.length).toBeGreaterThan(8);
    const missing = options.flatMap((symbol) => {
      const section = new RegExp(`^### \`${symbol.name}\`\n[^]*?(?=^##)`, "m").exec(text)?.[0] ?? "";
      return Array.from(resolved(symbol).members?.values() ?? [], (member) => {
        const row = section.split("\n").find((line) => line.startsWith(`| \`${member.name}\` | `));
        const value = member.getJsDocTags(checker).find(({ name }) => name === "default")?.text?.[0]?.text ?? "";
        const isLiteral = /^(?:"|\d|\{|true|false)/.test(value);
        return row?.includes(isLiteral ? `| \`${value}\` |` : "|") ? undefined : `${symbol.name}.${member.name} ${value}`;
      });
    });
    expect(missing.filter(Boolean)).toEqual([]);
  });

  it("explains every error code", () => {
    const code = exportsOf("src/index.ts").find(({ name }) => name === "MemoryErrorCode");
    const type = code && checker.getDeclaredTypeOfSymbol(resolved(code));
    const codes = type?.isUnion() ? type.types.map((each) => (each.isStringLiteral() ? each.value : "")) : [];
    expect(codes).toHaveLength(11);
    expect(codes.filter((each) => !text.includes(`\n| \`${each}\` | `))).toEqual([]);
  });

  function exportsOf(file: string): ts.Symbol[] {
    const source = program.getSourceFile(`${root}/${file}`);
    const module = source && checker.getSymbolAtLocation(source);
    return module ? checker.getExportsOfModule(module) : [];
  }

  function resolved(symbol: ts.Symbol): ts.Symbol {
    return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  }
});

function runExample(name: string, env: Record<string, string>, options: string[] = []): Promise<{ stdout: string }> {
  const { OPENAI_API_KEY: _key, MONGODB_URI: _uri, NODE_OPTIONS: _options, ...rest } = process.env;
  const args = ["node_modules/tsx/dist/cli.mjs", ...options, `examples/${name}/main.ts`];
  return promisify(execFile)(process.execPath, args, { env: { ...rest, ...env } });
}

async function quotedOutput(name: string): Promise<string> {
  return /```text\n([^]*?)```/.exec(await readFile(`examples/${name}/README.md`, "utf8"))?.[1] ?? "";
}

function withDatabase(uri: string, dbName: string): string {
  const url = new URL(uri);
  url.pathname = `/${dbName}`;
  return url.href;
}

async function packageJson(): Promise<Record<"scripts" | "peerDependencies" | "peerDependenciesMeta", Record<string, string>>> {
  return JSON.parse(await readFile("package.json", "utf8")) as Awaited<ReturnType<typeof packageJson>>;
}

/** The commands of shell blocks and of code in running text. */
function commandsOf(markdown: string): string[] {
  const blocks = Array.from(markdown.matchAll(/```sh\n([^]*?)```/g), ([, code = ""]) => code.split("\n")).flat();
  const inline = Array.from(markdown.matchAll(/`((?:npm|npx|node) [^`]+)`/g), ([, code = ""]) => code);
  return [...blocks, ...inline].flatMap((line) => line.split("&&")).map((command) => command.trim()).filter(Boolean);
}

/** The TypeScript blocks; one that imports nothing goes on from the one before. */
function programsOf(markdown: string): string[] {
  const programs: string[] = [];
  for (const [, code = ""] of markdown.matchAll(/```ts\n([^]*?)```/g)) {
    programs.push(code.startsWith("import ") ? code : (programs.pop() ?? "") + code);
  }
  return programs;
}

/** Files that exist in no folder, under the settings of the project but for unused names, which snippets have. */
function compile(files: ReadonlyMap<string, string>): ts.Program {
  const { config } = ts.readConfigFile("tsconfig.json", (path) => ts.sys.readFile(path)) as { config: unknown };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ts.sys.getCurrentDirectory());
  const settings = { ...options, noUnusedLocals: false };
  const disk = ts.createCompilerHost(settings);
  const host = Object.assign(ts.createCompilerHost(settings), {
    fileExists: (path: string) => files.has(path) || disk.fileExists(path),
    readFile: (path: string) => files.get(path) ?? disk.readFile(path),
  });
  return ts.createProgram([...files.keys()], settings, host);
}
