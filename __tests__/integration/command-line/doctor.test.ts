import { readFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { runInNewContext } from "node:vm";
import { afterAll, describe, expect, it, jest } from "@jest/globals";
import { MongoClient } from "mongodb";
import { MemoryNode, MongoMemoryStore } from "../../../src/index.js";
import { MemoryDatabase } from "../../../src/mongodb/admin/memory-database.js";
import { oldServer } from "../../helpers/old-server.js";
import { cli, cliJson } from "../../helpers/run-cli.js";
import { runCommandLines, testLines } from "../../helpers/line-transcripts.js";
import { privateMongod, testDatabase, type TestDatabase } from "../../helpers/test-database.js";

const ofDatabase = ({ uri, name }: TestDatabase): string[] => ["--uri", uri, "--db", name];
const storeIn = ({ client, name }: TestDatabase): MongoMemoryStore => new MongoMemoryStore({ client, dbName: name });

interface Check {
  name: string;
  status: string;
  message: string;
  advice?: string;
}

async function getChecks(
  argv: string[],
): Promise<{ exitCode: number; statuses: Record<string, string>; checks: Check[]; report: Record<string, unknown> }> {
  const { exitCode, stdout } = await cli(["doctor", "--json", ...argv]);
  const report = JSON.parse(stdout) as Record<string, unknown> & { checks: Check[] };
  return {
    exitCode,
    report,
    checks: report.checks,
    statuses: Object.fromEntries(report.checks.map(({ name, status }) => [name, status])),
  };
}

testLines("doctor", async () => {
  const { uri, name, client, db } = testDatabase();
  const alone = testDatabase("standalone");
  const memories = alone.client.db(name).collection("memories");
  const store = new MongoMemoryStore({ client, dbName: name, history: true });
  const [version, versionAlone] = await Promise.all(
    [client, alone.client].map((each) => each.db().admin().buildInfo()),
  );
  return runCommandLines({
    target: [],
    names: {
      ALONE: alone.uri,
      SERVER: uri,
      DATABASE: name,
      VERSION: String(version?.["version"]),
      "VERSION-ALONE": String(versionAlone?.["version"]),
    },
    given: {
      "two memories": async () => {
        for (const on of [client, alone.client]) {
          const plain = new MongoMemoryStore({ client: on, dbName: name });
          await plain.memory({ nodeId: "large" }).write("/a", "x".repeat(5000));
          await plain.memory({ nodeId: "small", scope: "perThread", threadId: "ada@example.com" }).write("/a", "x");
        }
      },
      "an index of another program": () =>
        db.collection("memories").createIndex({ nodeId: 1 }, { name: "uniq_global" }),
      "a memory with a history": () => store.memory({ nodeId: "a" }).write("/a", "x"),
      "a proposal in that memory, and no index by_file": async () => {
        const rules = [{ path: "/**", access: "ask" as const }];
        const [tool] = new MemoryNode({ store, nodeId: "a", rules, onAsk: "propose" }).memoryTools;
        await tool?.invoke({ command: "append", path: "/a", content: "y" });
        await db.collection("memories_versions").dropIndex("by_file");
      },
      "a memory that is nearly full, and one of the earlier format": () =>
        memories.insertMany([
          { nodeId: "old", scope: "global", data: { notes: { monday: "x" } }, dirs: {} },
          { nodeId: "nearly", scope: "global", data: { a: "x".repeat(13_000_000) }, revision: 1 },
        ]),
      "a memory that is full": () =>
        memories.insertOne({ nodeId: "full", scope: "global", data: { a: "x".repeat(15_500_000) }, revision: 1 }),
    },
  });
});

describe("doctor on a server that is too old", () => {
  it("says its version and the one that is needed, and makes the other checks", async () => {
    const { uri, close } = await oldServer("4.4.29", 9);
    const { exitCode, checks, statuses } = await getChecks(["--uri", uri]);
    close();
    expect([exitCode, statuses]).toEqual([
      1,
      expect.objectContaining({ connection: "ok", "server version": "fail", indexes: "fail", memories: "fail" }),
    ]);
    expect(checks[1]).toMatchObject({ message: "4.4.29 is too old", advice: "use MongoDB 5.0 or later" });
    expect(checks[2]?.message).toBe(
      "could not be looked at (EIO: MongoDB refused to read (InvalidPipelineOperator, code 168))",
    );
  });

  it("says so where the driver cannot speak to it", async () => {
    const { uri, close } = await oldServer("4.0.28", 7);
    // The driver looks for a server that it can speak to as long as that.
    const soon = ["--uri", `${uri}?serverSelectionTimeoutMS=2000`];
    const { exitCode, checks } = await getChecks(soon);
    const { stderr } = await cli(["ls", ...soon, "--node", "a"]);
    close();
    const reason = /the server \(MongoDB 4\.0\) is too old for this driver, which takes MongoDB [\d.]+ at least/;
    expect([exitCode, checks]).toEqual([
      1,
      [
        {
          name: "server version",
          status: "fail",
          message: expect.stringMatching(reason),
          advice: "use MongoDB 5.0 or later",
        },
      ],
    ]);
    expect(stderr).toMatch(reason);
  });
});

describe("doctor as a user with the rights that the documentation lists", () => {
  it("makes every check that they allow, and names what the others need", async () => {
    const server = await privateMongod("standalone", { auth: true });
    const client = new MongoClient(server.uri);
    await client.db("admin").command({ createUser: "root", pwd: "x", roles: ["root"] });
    await client.close();
    const admin = new MongoClient(server.uri, { auth: { username: "root", password: "x" } });
    const role = await documentedRole();
    await admin.db("app").command({ createRole: role.role, privileges: role.privileges, roles: role.roles });
    await admin.db("app").command({ createUser: "agent", pwd: "x", roles: ["agentMemory"] });
    await admin.close();
    const uri = server.uri.replace("//", "//agent:x@").replace(/\/(\?|$)/, "/app$1");
    const store = await MongoMemoryStore.fromConnString(uri);
    await store.memory({ nodeId: "a" }).write("/a", "x");
    await store.put(["a"], "k", {});
    await store.stop();
    const { exitCode, statuses, checks } = await getChecks(["--uri", uri]);
    expect([exitCode, statuses]).toEqual([
      0,
      { connection: "ok", "server version": "ok", indexes: "warn", sizes: "ok", format: "ok" },
    ]);
    expect(checks[2]).toMatchObject({
      message: expect.stringContaining("Unauthorized"),
      advice: expect.stringContaining("list indexes"),
    });
  });
});

/** The role of the documentation. */
async function documentedRole(): Promise<{ role: string; roles: string[]; privileges: object[] }> {
  const text = await readFile("docs/mongodb-in-production.md", "utf8");
  const [, role = ""] = /db\.createRole\((\{.*?\n\})\)/s.exec(text) ?? [];
  // The code is the documentation's own.
  return runInNewContext(`(${role})`) as { role: string; roles: string[]; privileges: object[] };
}

describe("migrate earlier-format", () => {
  const nested = { today: "hello", notes: { week: { monday: "a\n" }, empty: {} } };

  it("rewrites what is of the earlier format, once, and nothing else", async () => {
    const database = testDatabase();
    const memories = database.db.collection("memories");
    const store = storeIn(database);
    await store.memory({ nodeId: "new" }).write("/a", "x");
    const thread = { nodeId: "old", scope: "perThread", threadId: "t" };
    await store.memory({ nodeId: "old", scope: "perUser", userId: "t" }).write("/a", "x");
    await memories.insertMany([
      { nodeId: "old", scope: "global", data: nested, dirs: { made: true }, other: 1 },
      { ...thread, data: nested },
    ]);
    const untouched = await memories.findOne({ nodeId: "new" });
    const argv = ["migrate", "earlier-format", ...ofDatabase(database)];
    expect(await cliJson([...argv, "--dry-run"])).toMatchObject({ dryRun: true, rewritten: 2 });
    expect(await memories.countDocuments({ revision: { $exists: false } })).toBe(2);
    expect(await cliJson([...argv, "--node", "old", "--thread", "t"])).toMatchObject({
      rewritten: 1,
      addresses: [thread],
    });
    expect(await cliJson([...argv, "--node", "old", "--user", "t"])).toMatchObject({ rewritten: 0 });
    expect(await cli([...argv, "--node", "olds"])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('known nodes: "new", "old"'),
    });
    expect((await cli(argv)).stdout).toBe("rewrote: 1 memory\n");
    expect((await cli(argv)).stdout).toBe("rewrote: 0 memories\n");
    expect(await memories.findOne({ nodeId: "old", scope: "global" })).toMatchObject({
      data: { today: "hello", "notes.week.monday": "a\n" },
      dirs: { made: true, notes: true, "notes.week": true, "notes.empty": true },
      revision: 0,
      other: 1,
    });
    const { files } = await store.memory({ nodeId: "old" }).snapshot();
    expect(files.map(({ path, content }) => [path, content])).toEqual([
      ["/notes/week/monday", "a\n"],
      ["/today", "hello"],
    ]);
    expect(await memories.findOne({ nodeId: "new" })).toEqual(untouched);
    expect((await getChecks(ofDatabase(database))).statuses["format"]).toBe("ok");
  });
});

it("a history that cannot be moved is told at the first time, and by doctor", async () => {
  const [count, size] = [3, 600_000];
  const warnings: string[] = [];
  const spy = jest.spyOn(process, "emitWarning").mockImplementation((warning) => void warnings.push(String(warning)));
  const database = testDatabase();
  const { db, client, name } = database;
  await db.createCollection("memories_versions", { validator: { path: { $exists: false } } });
  const memory = new MongoMemoryStore({ client, dbName: name, history: true }).memory({ nodeId: "a" });
  for (let change = 0; change < count; change += 1) await memory.write("/a", String(change % 10).repeat(size));
  // The first move is made behind its change.
  while (warnings.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  for (let change = 0; change < count; change += 1) await memory.write("/a", String(change % 10).repeat(size));
  spy.mockRestore();
  expect(warnings).toEqual([
    expect.stringMatching(/^the history is not moved to test_.*_versions \(EIO: MongoDB refused/),
  ]);
  const { exitCode, checks } = await getChecks(ofDatabase(database));
  const history = checks.find((check) => check.name === "history");
  expect([exitCode, history?.status]).toEqual([1, "fail"]);
  expect(history?.message).toBe('not moved to the collection memories_versions: node "a"');
  await db.command({ collMod: "memories_versions", validator: {} });
  for (let change = 0; change < 61; change += 1) await memory.write("/a", `${change}`);
  while ((await getChecks(ofDatabase(database))).statuses["history"] !== undefined)
    await new Promise((resolve) => setTimeout(resolve, 10));
});

/** Takes connections, and says nothing. It reads, or a connection that its client has closed would stay open. */
const silent = createServer((socket) => socket.on("error", () => undefined).resume()).listen(0);

afterAll(() => {
  silent.close();
});

async function createOptions(given: string): Promise<Record<string, unknown>> {
  const database = await MemoryDatabase.connect({ uri: given });
  const { serverSelectionTimeoutMS, connectTimeoutMS, socketTimeoutMS } = database.client.options;
  await database.close();
  return { serverSelectionTimeoutMS, connectTimeoutMS, socketTimeoutMS };
}

describe("the connection of the command line", () => {
  it("waits for a server a few seconds, unless its string says otherwise", async () => {
    const { uri } = testDatabase();
    expect(await createOptions(uri)).toEqual({
      serverSelectionTimeoutMS: 5000,
      connectTimeoutMS: 5000,
      socketTimeoutMS: 30_000,
    });
    const own = `${uri}${uri.includes("?") ? "&" : "?"}serverSelectionTimeoutMS=40000&connectTimeoutMS=6000&sockettimeoutms=0`;
    expect(await createOptions(own)).toEqual({
      serverSelectionTimeoutMS: 40_000,
      connectTimeoutMS: 6000,
      socketTimeoutMS: 0,
    });
  });

  it("fails where a server takes it and never answers", async () => {
    const { port } = silent.address() as AddressInfo;
    await expect(
      MemoryDatabase.connect({ uri: `mongodb://127.0.0.1:${port}/?serverSelectionTimeoutMS=50&connectTimeoutMS=50` }),
    ).rejects.toMatchObject({
      code: "EIO",
      message: "EIO: MongoDB did not answer (no server could be selected in time)",
    });
  });
});
