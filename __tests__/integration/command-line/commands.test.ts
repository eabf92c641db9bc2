import { randomUUID } from "node:crypto";
import { chmodSync, readdirSync } from "node:fs";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { ObjectId } from "mongodb";
import { type Memory, type MemoryAddress, MongoMemoryStore } from "../../../src/index.js";
import { getHeadId } from "../../../src/mongodb/memories/documents/page-ids.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { asOrdinaryUser } from "../../helpers/ordinary-user.js";
import { cli, cliJson } from "../../helpers/run-cli.js";
import { testDatabase } from "../../helpers/test-database.js";
import { folderWith, testFolder } from "../../helpers/test-folder.js";

const { client, uri, name: dbName } = testDatabase();
const folder = testFolder();
/** Of its own, as a test gives it to an ordinary user. */
const ordinaryFolder = testFolder();

const store = new MongoMemoryStore({ client, dbName });

/** A memory with a file of many lines. */
async function openMany(line: string, count: number): Promise<string[]> {
  const address = freshAddress();
  await store.memory(address).write("/many", `${line}\n`.repeat(count));
  return ["--uri", uri, "--db", dbName, "--node", address.nodeId];
}

it("grep prints the first 100,000 lines, and says that there may be more", async () => {
  const { exitCode, stdout, stderr } = await cli(["grep", "a", ...(await openMany("a", 100_001))]);
  expect([exitCode, stdout.split("\n").length - 1, stderr]).toEqual([
    0,
    100_000,
    "note: only the first 100,000 lines are shown\n",
  ]);
});

it("the commands end without a fault where the reader of the pipe has gone", async () => {
  const target = await openMany("line", 1000);
  for (const [command = "", ...rest] of [
    ["grep", "line"],
    ["ls"],
    ["tree"],
    ["cat", "/many"],
    ["grep", "line", "--json"],
    ["--help"],
    ["export", "-"],
  ]) {
    const readerLeavesAfter = command === "grep" ? 3 : 0;
    const { exitCode, stderr } = await cli([command, ...target, ...rest], { readerLeavesAfter });
    expect([command, exitCode, stderr]).toEqual([command, 0, ""]);
  }
});

it.each([
  ["memories"],
  ["forget", "--user", "ada", "--yes"],
  ["proposals", "none"],
  ["approve", "none", "--by", "ada"],
  ["reject", "none", "--by", "ada"],
  ["ls", "--node", "a"],
  ["tree", "--node", "a"],
  ["grep", "x", "--node", "a"],
  ["export", "-", "--node", "a"],
  ["import", "--dir", "src/cli", "--dry-run", "--node", "a"],
  ["doctor"],
])("%s makes nothing in a database of a mistyped name", async (...argv) => {
  const { name, db } = testDatabase();
  await cli([...argv, "--uri", uri, "--db", name]);
  expect(await db.listCollections().toArray()).toEqual([]);
});

it.each([["log"], ["diff", "1"], ["blame", "/a"], ["revert", "/a", "--to", "1", "--dry-run"]])(
  "%s needs no more than rights to read",
  async (...argv) => {
    const { name, db } = testDatabase();
    const target = ["--uri", uri, "--db", name, "--node", "a"];
    await new MongoMemoryStore({ client, dbName: name, history: true }).memory({ nodeId: "a" }).write("/a", "x");
    await db.collection("memories").dropIndex("memories_by_user");
    expect((await cli([...argv, ...target])).exitCode).toBe(0);
    expect((await db.collection("memories").indexes()).map(({ name: each }) => each)).not.toContain("memories_by_user");
  },
);

describe("forget", () => {
  it("shows the first of many, and reads none of them where it shows none", async () => {
    const { name, db } = testDatabase();
    const target = ["forget", "--uri", uri, "--db", name, "--user", "ada"];
    const user = { scope: "perUser", userId: "ada" } as const;
    await new MongoMemoryStore({ client, dbName: name }).memory({ nodeId: "a", ...user }).write("/a", "x");
    const many = Array.from({ length: 1_199 }, (_, index) => {
      const address = { nodeId: `n${index}`, ...user };
      return { _id: getHeadId(address), ...address, key: new ObjectId(), revision: 1, data: { a: "x" } };
    });
    await db.collection<{ _id: string }>("memories").insertMany(many);
    const dry = await cli([...target, "--dry-run"]);
    expect(dry.stdout.split("\n").slice(-3)).toEqual([
      "and 1180 more",
      "to erase: 1,200 memories with 1,200 files",
      "",
    ]);
    const { addresses } = await cliJson([...target, "--dry-run"]);
    expect(new Set(addresses as object[]).size).toBe(1_200);
    await db.command({ profile: 2 });
    expect(await cliJson([...target, "--yes"])).toMatchObject({ memories: 1_200, files: 1_200 });
    await db.command({ profile: 0 });
    const sorted = { "command.find": "memories", "command.sort": { $exists: true } };
    expect(await db.collection("system.profile").countDocuments(sorted)).toBe(0);
  });

  it("leaves a collection of another program as it is", async () => {
    const { name, db } = testDatabase();
    const shop = db.collection("shop");
    await shop.insertMany([
      { userId: "ada", price: 5 },
      { nodeId: "a", scope: "perUser", userId: "ada" },
      { userId: "ada", price: 6 },
    ]);
    const target = ["--uri", uri, "--db", name, "--memories-collection", "shop"];
    const { exitCode, stderr } = await cli(["forget", ...target, "--user", "ada", "--yes"]);
    expect([exitCode, stderr]).toEqual([3, expect.stringMatching(/another program/)]);
    expect([await shop.countDocuments(), (await shop.indexes()).length]).toEqual([3, 1]);
  });
});

it("a change keeps versions no shorter and no longer than the memory, where memories expire", async () => {
  const { name, db } = testDatabase();
  const lifetimeMs = 86_400_000;
  const expiring = new MongoMemoryStore({ client, dbName: name, history: true, expireMs: { global: lifetimeMs } });
  const target = ["--uri", uri, "--db", name, "--node", "a"];
  for (const text of ["1", "2"]) await expiring.memory({ nodeId: "a" }).write("/a", text);
  const versions = db.collection("memories_versions");
  const expiries = async (): Promise<number[]> =>
    (await versions.find().toArray()).map(({ expiresAt }) => (expiresAt as Date | undefined)?.getTime() ?? 0);
  const startMs = Date.now();
  expect((await cli(["redact", "/a", "--yes", ...target])).exitCode).toBe(0);
  const moved = await expiries();
  const isKept = [Math.min(...moved) >= startMs + lifetimeMs, Math.max(...moved) <= Date.now() + 2 * lifetimeMs];
  expect([moved.length, ...isKept]).toEqual([3, true, true]);
  const soon = new Date(startMs + lifetimeMs / 2);
  await versions.updateMany({}, { $set: { expiresAt: soon } });
  await db.collection("memories").updateMany({}, { $set: { versionsExpireAt: soon } });
  expect((await cli(["append", "/a", "3", ...target])).exitCode).toBe(0);
  expect(Math.min(...(await expiries())) >= startMs + lifetimeMs).toBe(true);
});

it("import --dir skips what the user may not read, a folder with all that is in it", async () => {
  const dir = folderWith(ordinaryFolder, { "a.md": "x", "secret.md": "x", "closed/b.md": "x" });
  for (const name of ["secret.md", "closed"]) chmodSync(join(dir, name), 0);
  await asOrdinaryUser(dir, async () => {
    const reason = "EIO: permission denied";
    expect(await cliJson(["import", "--dir", dir, "--to-dir", dir, "--dry-run"])).toMatchObject({
      unchanged: 1,
      skipped: [
        { path: "/closed", reason },
        { path: "/secret.md", reason },
      ],
    });
  });
});

it("import --dir counts in words what it skips beyond 100 entries, and names all in JSON", async () => {
  const dir = folderWith(folder, Object.fromEntries(Array.from({ length: 103 }, (_, index) => [`a\\${index}`, "x"])));
  const argv = ["import", "--dir", dir, "--to-dir", join(folder, "never"), "--dry-run"];
  expect((await cli(argv)).stderr.trimEnd().split("\n").slice(99)).toEqual([
    expect.stringMatching(/^skipped: \/a.*: /),
    "skipped: 3 more; --json names all",
  ]);
  expect((await cliJson(argv))["skipped"]).toHaveLength(103);
});

it("import --dir skips one of two names that differ in their spelling alone", async () => {
  const dir = folderWith(folder, { "e\u0301.md": "nfd", "\u00e9.md": "nfc" });
  expect(await cliJson(["import", "--dir", dir, "--to-dir", join(folder, "never"), "--dry-run"])).toMatchObject({
    written: 1,
    skipped: [{ reason: "another file or folder has the same name in another spelling" }],
  });
});

it("mcp tells of a memory that did not exist when it starts", async () => {
  const argv = ["mcp", "--http", "--port", "0", "--uri", uri, "--db", testDatabase().name, "--node", "typo"];
  const { stderr } = await cli(argv, { untilStopped: async () => undefined });
  expect(stderr).toMatch(/^note: there is no memory of node "typo" yet, and the first change makes it; check --node/);
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

  it("copies an example, which asks for the version that copied it, and says what to run next", async () => {
    const copy = join(folder, "my agent");
    const { stdout } = await cli(["init", "state-graph", copy]);
    expect(stdout).toBe(`Copied state-graph to ${copy}. Next:\n  cd "${copy}"\n  npm install\n  npm start\n`);
    const ofExample = readdirSync("examples/state-graph");
    expect(readdirSync(copy).toSorted()).toEqual([...ofExample, ".gitignore"].toSorted());
    for (const name of ofExample.filter((file) => file !== "package.json"))
      expect(await readFile(join(copy, name), "utf8")).toBe(await readFile(join("examples/state-graph", name), "utf8"));
    expect(JSON.parse(await readFile(join(copy, "package.json"), "utf8"))).toMatchObject({
      dependencies: { "langgraph-mongo-memory": "0.0.0-test" },
    });
    // Its secrets stay out of git.
    expect((await readFile(join(copy, ".gitignore"), "utf8")).split("\n")).toContain(".env");
    const other = join(folder, randomUUID());
    const next = [`cd ${other}`, "npm install", "npm start"];
    expect(await cliJson(["init", "serverless", other])).toMatchObject({ example: "serverless", folder: other, next });
  });

  it("gives the files ordinary rights", async () => {
    const copy = join(folder, randomUUID());
    await mkdir(copy);
    await writeFile(join(folder, "ordinary"), "");
    await cli(["init", "mcp-client", copy]);
    const { mode } = await stat(join(folder, "ordinary"));
    for (const name of readdirSync(copy)) expect((await stat(join(copy, name))).mode).toBe(mode);
  });
});

describe("what a run wrote in several memories", () => {
  const database = testDatabase();
  const target = ["--uri", uri, "--db", database.name];
  const histories = new MongoMemoryStore({ client, dbName: database.name, history: true });
  const own = { nodeId: "own", scope: "perUser", userId: "ada" } as const;
  const run = (address: MemoryAddress): Memory => histories.memory(address).with({ actor: { runId: "run-1" } });

  it("is listed by log --by-run, and undone by revert --run where no later change is in its way", async () => {
    await histories.memory(own).write("/a", "before");
    await run(own).write("/a", "of the run");
    // A history moves its older versions to a collection of their own.
    for (let count = 0; count < 200; count += 1) await histories.memory(own).append("/many", "x");
    await run({ nodeId: "team" }).write("/b", "of the run");
    await run({ nodeId: "late" }).write("/c", "of the run");
    await histories.memory({ nodeId: "late" }).append("/c", "and later");

    const { stdout } = await cli(["log", "--by-run", "run-1", ...target]);
    const facts = stdout.replaceAll(/ {2}\d{4}-\S+/g, "").split("\n");
    expect(facts.map((line) => line.replace(/^\d+ +/, ""))).toEqual([
      'node "late"',
      "created   /c  (10)  run run-1",
      'node "team"',
      "created   /b  (10)  run run-1",
      'node "own", user "ada"',
      "modified  /a  (10)  run run-1",
      "",
    ]);
    const json = await cli(["log", "--by-run", "run-1", "--json", ...target]);
    const listed = json.stdout.trim().split("\n");
    expect(listed.map((line) => (JSON.parse(line) as { address: unknown }).address)).toEqual([
      { nodeId: "late", scope: "global" },
      { nodeId: "team", scope: "global" },
      own,
    ]);

    const { exitCode, stderr } = await cli(["revert", "--run", "run-1", ...target]);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('node "late": ')]);
    expect(await histories.memory(own).read("/a")).toBe("before");
    expect(await histories.memory({ nodeId: "team" }).stat("/b")).toBeNull();
    expect(await histories.memory({ nodeId: "late" }).read("/c")).toBe("of the run\nand later");
  });

  it("is refused for a run that wrote nothing, and for a user without a node", async () => {
    expect(await cli(["log", "--by-run", "none", ...target])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("no history has a version of run none"),
    });
    expect((await cli(["log", "--by-run", "run-1", "--user", "ada", ...target])).exitCode).toBe(2);
  });
});
