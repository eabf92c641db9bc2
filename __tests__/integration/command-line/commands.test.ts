import { randomUUID } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "@jest/globals";
import { type Memory, MongoMemoryStore } from "../../../src/index.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { cli, cliJson, type CliRun, type CliSurroundings } from "../../helpers/run-cli.js";
import { testDatabase } from "../../helpers/test-database.js";
import { testFolder } from "../../helpers/test-folder.js";

const { client, uri, name: dbName } = testDatabase();
const folder = testFolder();

describe("the commands", () => {
  let memory: Memory;
  let target: string[];
  const run = (argv: string[], surroundings?: CliSurroundings): Promise<CliRun> =>
    cli(
      argv.flatMap((argument, index) => (index === 0 ? [argument, ...target] : [argument])),
      surroundings,
    );

  beforeEach(async () => {
    const address = { ...freshAddress(), scope: "perThread" as const, threadId: "ada@example.com" };
    memory = new MongoMemoryStore({ client, dbName }).memory(address);
    target = ["--uri", uri, "--db", dbName, "--node", address.nodeId, "--thread", address.threadId];
    await memory.write("/notes/today.md", "buy milk\nBUY bread\r\nbuy 3.5 eggs\n");
    await memory.write("/notes/old/monday", "nothing");
    await memory.write("/todo", "é🧠");
  });

  it("ls lists names, directories with a slash, and one file alone", async () => {
    expect(await run(["ls"])).toEqual({ exitCode: 0, stdout: "notes/\ntodo\n", stderr: "" });
    expect((await run(["ls", "notes"])).stdout).toBe("old/\ntoday.md\n");
    expect((await run(["ls", "/notes/today.md"])).stdout).toBe("today.md\n");
  });

  it("ls -l shows sizes and times", async () => {
    const { stdout } = await run(["ls", "-l"]);
    const updatedAt = (await memory.stat("/todo"))?.updatedAt?.toISOString() ?? "";
    expect(stdout.split("\n")).toEqual([`        40  ${"-".padEnd(24)}  notes/`, `         6  ${updatedAt}  todo`, ""]);
  });

  it("tree shows everything with sizes", async () => {
    expect((await run(["tree"])).stdout).toBe(
      "/\n├── notes/\n│   ├── old/\n│   │   └── monday  (7)\n│   └── today.md  (33)\n└── todo  (6)\n\n2 directories, 3 files, 46 bytes\n",
    );
    expect((await run(["tree", "notes/old"])).stdout).toBe(
      "/notes/old\n└── monday  (7)\n\n0 directories, 1 file, 7 bytes\n",
    );
  });

  it("cat prints a file byte for byte", async () => {
    expect((await run(["cat", "/notes/today.md"])).stdout).toBe("buy milk\nBUY bread\r\nbuy 3.5 eggs\n");
    expect((await run(["cat", "todo"])).stdout).toBe("é🧠");
  });

  it("append adds a line from an argument and from the standard input", async () => {
    expect(await run(["append", "/todo", "more"])).toEqual({ exitCode: 0, stdout: "", stderr: "" });
    await run(["append", "/todo"], { stdin: "from stdin\n" });
    await run(["append", "/todo", "-"], { stdin: "\uFEFFlast" });
    expect(await memory.read("/todo")).toBe("é🧠\nmore\nfrom stdin\n\uFEFFlast");
  });

  it("write replaces a file, and refuses to where it is told so", async () => {
    await run(["write", "/new/file", "-"], { stdin: "a\0b" });
    expect(await memory.read("/new/file")).toBe("a\0b");
    await run(["write", "/new/file", "--", "--text"]);
    expect(await memory.read("/new/file")).toBe("--text");
    const { exitCode, stderr } = await run(["write", "/new/file", "x", "--if-exists", "fail"]);
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/^error: \/new\/file: EEXIST: .+; .+\n$/)]);
    expect(await memory.read("/new/file")).toBe("--text");
  });

  it("rm removes files and directories, and a whole memory only with --all", async () => {
    expect((await run(["rm", "/notes"])).stdout).toBe("removed 2 files and 2 directories\n");
    expect((await run(["rm", "/notes"])).exitCode).toBe(1);
    for (const root of ["/", "//", "\\"]) {
      expect(await run(["rm", root])).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("--all") });
    }
    expect((await memory.snapshot()).files).toHaveLength(1);
    expect((await run(["rm", "/", "--all"])).exitCode).toBe(0);
    expect((await memory.snapshot()).files).toHaveLength(0);
  });

  it("mv moves files and directories, and never over others", async () => {
    expect(await run(["mv", "/notes", "/archive/2026"])).toEqual({ exitCode: 0, stdout: "", stderr: "" });
    expect(await memory.read("/archive/2026/old/monday")).toBe("nothing");
    expect(await run(["mv", "/todo", "/archive"])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("EEXIST"),
    });
  });

  it("grep finds a literal text with line numbers, everywhere, below a directory or in one file", async () => {
    expect((await run(["grep", "buy"])).stdout).toBe("/notes/today.md:1:buy milk\n/notes/today.md:3:buy 3.5 eggs\n");
    expect((await run(["grep", "3.5", "/notes"])).stdout).toBe("/notes/today.md:3:buy 3.5 eggs\n");
    expect((await run(["grep", "BUY", "/notes/today.md"])).stdout).toBe("/notes/today.md:2:BUY bread\n");
    expect(await run(["grep", "b.y"])).toEqual({ exitCode: 1, stdout: "", stderr: "" });
    expect((await run(["grep", "3.5", "/notes/old"])).exitCode).toBe(1);
  });

  it("grep ignores case", async () => {
    expect((await run(["grep", "-i", "buy"])).stdout.split("\n")).toHaveLength(4);
  });

  it("grep ends in time with a long text that nearly occurs everywhere", async () => {
    const side = "a".repeat(4_000);
    await memory.write("/many", `${"a".repeat(500_000)}\n${side}b${side}c`);
    expect((await run(["grep", `${side}b${side}`])).stdout).toBe(`/many:2:${side}b${side}c\n`);
  });

  it("grep prints the first 100,000 lines, and says that there may be more", async () => {
    await memory.write("/many", "a\n".repeat(100_001));
    const { exitCode, stdout, stderr } = await run(["grep", "a", "/many"]);
    expect([exitCode, stdout.split("\n").length - 1, stderr]).toEqual([
      0,
      100_000,
      "note: only the first 100,000 lines are shown\n",
    ]);
  });

  it("search finds passages in whatever form the words are, below a path, and prints their lines as grep does", async () => {
    const wrapped = "What Anna buys for the week is told on the following page,\r\nwhich she writes on Sundays.";
    await memory.write("/notes/plan.md", `# Shopping\n\n${wrapped}\nMilk is bought.`);
    expect((await run(["search", "breads", "--limit", "1"])).stdout).toBe("/notes/today.md:2:BUY bread\n");
    expect((await run(["search", "Sunday writing", "--limit", "1"])).stdout).toBe(
      "/notes/plan.md:3:What Anna buys for the week is told on the following page,\n/notes/plan.md:4:which she writes on Sundays.\n",
    );
    expect((await run(["search", "milk", "--path", "/notes/today.md", "--limit", "1"])).stdout).toBe(
      "/notes/today.md:1:buy milk\n",
    );
    expect(await run(["search", "milk", "--path", "/notes/old"])).toEqual({ exitCode: 1, stdout: "", stderr: "" });
    expect(await cliJson(["search", "breads", "--limit", "1", ...target])).toEqual({
      path: "/notes/today.md",
      startLine: 2,
      endLine: 2,
      text: "BUY bread",
      score: expect.any(Number),
    });
  });

  it("answer with JSON where they are asked to", async () => {
    const json = (argv: string[]): Promise<Record<string, unknown>> => cliJson([...argv, ...target]);
    expect(await json(["ls", "notes"])).toEqual({
      ok: true,
      path: "/notes",
      entries: [
        { name: "old", kind: "dir" },
        { name: "today.md", kind: "file" },
      ],
    });
    expect(await json(["tree"])).toMatchObject({
      ok: true,
      directories: ["/notes", "/notes/old"],
      files: [{ path: "/notes/old/monday", sizeBytes: 7 }, {}, {}],
    });
    expect(await json(["cat", "/todo"])).toEqual({ ok: true, path: "/todo", content: "é🧠" });
    expect(await json(["append", "/todo", "x"])).toEqual({ ok: true, path: "/todo" });
    expect(await json(["write", "/todo", "x"])).toMatchObject({ ok: true, path: "/todo", sizeBytes: 1 });
    expect(await json(["mv", "/todo", "/done"])).toEqual({ ok: true, from: "/todo", to: "/done" });
    expect(await json(["rm", "/done"])).toEqual({ ok: true, path: "/done", files: 1, dirs: 0 });
    expect(await json(["grep", "milk"])).toEqual({ path: "/notes/today.md", line: 1, text: "buy milk" });
    const missing = await run(["cat", "/missing", "--json"]);
    expect(JSON.parse(missing.stderr)).toEqual({
      ok: false,
      error: { code: "ENOENT", message: expect.stringContaining("/missing") },
    });
    expect(missing.stdout).toBe("");
  });

  it("end without a fault where the reader of the pipe has gone", async () => {
    await memory.write("/many", "line\n".repeat(1000));
    for (const argv of [
      ["grep", "line"],
      ["ls"],
      ["tree"],
      ["cat", "/many"],
      ["grep", "line", "--json"],
      ["--help"],
      ["export", "-"],
    ]) {
      const { exitCode, stderr } = await run(argv, { readerLeavesAfter: argv[0] === "grep" ? 3 : 0 });
      expect([argv, exitCode, stderr]).toEqual([argv, 0, ""]);
    }
  });

  it("are coloured on a terminal only, and not where nobody wants it", async () => {
    const escape = "\u001b[";
    for (const argv of [["ls"], ["tree"], ["grep", "milk"]]) {
      expect((await run(argv)).stdout).not.toContain(escape);
      expect((await run(argv, { terminal: true })).stdout).toContain(escape);
      expect((await run(argv, { terminal: true, env: { NO_COLOR: "1" } })).stdout).not.toContain(escape);
      expect((await run(argv, { terminal: true, env: { TERM: "dumb" } })).stdout).not.toContain(escape);
    }
    expect((await run(["cat", "/missing"])).stderr).not.toContain(escape);
  });
});

describe("ls -l", () => {
  it("takes one command more than ls, however many files there are", async () => {
    const database = testDatabase();
    const memory = new MongoMemoryStore({ client: database.client, dbName: database.name }).memory({ nodeId: "a" });
    for (let index = 0; index < 30; index += 1) await memory.write(`/${index}`, "x");
    const countCommands = async (...flags: string[]): Promise<number> => {
      const since = new Date();
      await database.db.command({ profile: 2 });
      await cli(["ls", ...flags, "--uri", uri, "--db", database.name, "--node", "a"]);
      await database.db.command({ profile: 0 });
      const profile = database.db.collection("system.profile");
      return profile.countDocuments({ ns: `${database.name}.memories`, ts: { $gte: since } });
    };
    expect((await countCommands("-l")) - (await countCommands())).toBe(1);
  });
});

describe("init", () => {
  const examples = readdirSync("examples").filter((name) => name !== "README.md");

  it("lists the examples, one a line", async () => {
    const { exitCode, stdout } = await cli(["init"]);
    expect([
      exitCode,
      stdout
        .split("\n")
        .slice(0, examples.length)
        .map((line) => line.split(/ {2,}/)[0]),
    ]).toEqual([0, examples]);
    expect(stdout).toContain(
      "\nstate-graph          a graph of your own that remembers each user without a tool call\n",
    );
    expect((await cliJson(["init"]))["examples"]).toContainEqual({
      name: "state-graph",
      shows: "a graph of your own that remembers each user without a tool call",
    });
  });

  it("lists them for one that there is not, and refuses it", async () => {
    const { exitCode, stdout, stderr } = await cli(["init", "../docs"]);
    expect([exitCode, stdout.split("\n").length - 1]).toEqual([2, examples.length]);
    expect(stderr).toMatch(/^error: there is no example "\.\.\/docs"; name one of about-me, .*, supervised-memory\n$/);
  });

  it("copies an example, and says what to run next", async () => {
    const copy = join(folder, "my agent");
    const { stdout } = await cli(["init", "state-graph", copy]);
    expect(stdout).toBe(`Copied state-graph to ${copy}. Next:\n  cd "${copy}"\n  npm install\n  npm start\n`);
    const ofExample = readdirSync("examples/state-graph");
    expect(readdirSync(copy).toSorted()).toEqual([...ofExample, ".gitignore"].toSorted());
    for (const name of ofExample.filter((file) => file !== "package.json")) {
      expect(await readFile(join(copy, name), "utf8")).toBe(await readFile(join("examples/state-graph", name), "utf8"));
    }
  });

  it("makes a copy ask for the version that copied it, and keeps its secrets out of git", async () => {
    const copy = join(folder, randomUUID());
    expect(await cliJson(["init", "serverless", copy])).toMatchObject({
      example: "serverless",
      folder: copy,
      next: [`cd ${copy}`, "npm install", "npm start"],
    });
    const { dependencies } = JSON.parse(await readFile(join(copy, "package.json"), "utf8")) as {
      dependencies: Record<string, string>;
    };
    expect(dependencies["langgraph-mongo-memory"]).toBe("0.0.0-test");
    expect((await readFile(join(copy, ".gitignore"), "utf8")).split("\n")).toContain(".env");
  });

  it("gives the files ordinary rights", async () => {
    const copy = join(folder, randomUUID());
    await mkdir(copy);
    await writeFile(join(folder, "ordinary"), "");
    await cli(["init", "mcp-client", copy]);
    const { mode } = await stat(join(folder, "ordinary"));
    for (const name of readdirSync(copy)) expect((await stat(join(copy, name))).mode).toBe(mode);
  });

  it("changes nothing in a folder that is not empty", async () => {
    const copy = join(folder, randomUUID());
    await mkdir(copy);
    await writeFile(join(copy, "main.ts"), "mine");
    expect((await cli(["init", "state-graph", copy])).exitCode).toBe(1);
    expect([readdirSync(copy), await readFile(join(copy, "main.ts"), "utf8")]).toEqual([["main.ts"], "mine"]);
    expect(existsSync("state-graph")).toBe(false);
  });
});
