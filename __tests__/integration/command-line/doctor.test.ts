import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { describe, expect, it, jest } from "@jest/globals";
import { MongoClient } from "mongodb";
import { MemoryNode, MongoMemoryStore } from "../../../src/index.js";
import { oldServer } from "../../helpers/old-server.js";
import { cli, cliJson } from "../../helpers/run-cli.js";
import { privateMongod, testDatabase, type TestDatabase } from "../../helpers/test-database.js";
import { testFolder } from "../../helpers/test-folder.js";

const folder = testFolder();

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

describe.each(["standalone", "replicaSet"] as const)("doctor on a database of a %s", (kind) => {
  it("finds nothing wrong where nothing is", async () => {
    const database = testDatabase(kind);
    const store = storeIn(database);
    await store.memory({ nodeId: "large" }).write("/a", "x".repeat(5000));
    await store.memory({ nodeId: "small", scope: "perThread", threadId: "ada@example.com" }).write("/a", "x");
    const { exitCode, statuses, report } = await getChecks(ofDatabase(database));
    expect([exitCode, report["ok"], report["memories"]]).toEqual([0, true, 2]);
    expect(statuses).toEqual({
      connection: "ok",
      "server version": "ok",
      "index uniq_global": "ok",
      "index uniq_per_thread": "ok",
      "index uniq_per_user": "ok",
      "index memories_by_thread": "ok",
      "index memories_by_user": "ok",
      "index pages": "ok",
      [kind === "standalone" ? "sizes" : "memories"]: "ok",
      format: "ok",
    });
    const { stdout } = await cli(["doctor", ...ofDatabase(database)]);
    expect(stdout).toMatch(/^ok {4}connection: mongodb:\/\/.*\nok {4}server version: \d.*(?:standalone|replica set)\n/);
    expect(
      (await getChecks([...ofDatabase(database), "--node", "small", "--thread", "ada@example.com"])).report["memories"],
    ).toBe(1);
    await store.memory({ nodeId: "small", scope: "perUser", userId: "bob@example.com" }).write("/a", "x");
    expect(
      (await getChecks([...ofDatabase(database), "--node", "small", "--user", "bob@example.com"])).report["memories"],
    ).toBe(1);
    const missing = await getChecks([...ofDatabase(database), "--node", "smal"]);
    expect([missing.exitCode, missing.statuses["memory"]]).toEqual([1, "fail"]);
  });

  it("changes nothing, not even where there is nothing yet", async () => {
    const database = testDatabase(kind);
    const { exitCode, statuses, checks } = await getChecks(ofDatabase(database));
    expect([exitCode, statuses["indexes"]]).toEqual([0, "warn"]);
    expect(checks.find(({ name }) => name === "indexes")?.message).toContain(database.name);
    for (const argv of [["ls"], ["tree"], ["grep", "x"], ["export", join(folder, kind)]])
      await cli([...argv, ...ofDatabase(database), "--node", "a"]);
    expect(await database.db.listCollections().toArray()).toEqual([]);
  });
});

describe("doctor on a database", () => {
  it("sees missing and foreign indexes", async () => {
    const database = testDatabase();
    const memories = database.db.collection("memories");
    await memories.createIndex({ nodeId: 1 }, { name: "uniq_global" });
    const { exitCode, statuses } = await getChecks(ofDatabase(database));
    expect([exitCode, statuses["index uniq_global"], statuses["index uniq_per_thread"]]).toEqual([1, "fail", "warn"]);
  });

  it("looks at the indexes of versions and proposals where there are some", async () => {
    const database = testDatabase();
    const store = new MongoMemoryStore({ client: database.client, dbName: database.name, history: true });
    await store.memory({ nodeId: "a" }).write("/a", "x");
    const ofVersions = [
      "file",
      "path",
      "former_path",
      "actor_user",
      "actor_thread",
      "actor_run",
      "actor_call",
      "redactor_user",
      "redactor_thread",
    ].map((field) => `by_${field}`);
    const expected = [
      ...ofVersions,
      "owners_by_node",
      "owners_by_thread",
      "owners_by_user",
      "expire_versions",
      "drop_versions",
    ].map((name) => `index ${name} of memories_versions`);
    const before = await getChecks(ofDatabase(database));
    const checked = Object.keys(before.statuses);
    expect(checked).toEqual(expect.arrayContaining([...expected, "index outbox_by_actor"]));
    expect([
      before.exitCode,
      checked.filter((name) => name.endsWith("memories_proposals")),
      before.checks.filter(({ status }) => status !== "ok"),
    ]).toEqual([0, [], []]);
    const node = new MemoryNode({ store, nodeId: "a", rules: [{ path: "/**", access: "ask" }], onAsk: "propose" });
    await node.memoryTools[0]?.invoke({ command: "append", path: "/a", content: "y" });
    const { checks } = await getChecks(ofDatabase(database));
    expect(checks.filter(({ name }) => name.endsWith("memories_proposals"))).toHaveLength(9);
    expect(checks.filter(({ status }) => status !== "ok")).toEqual([]);
    await database.db.collection("memories_versions").dropIndex("by_file");
    const { exitCode, statuses } = await getChecks(ofDatabase(database));
    expect([exitCode, statuses["index by_file of memories_versions"]]).toEqual([0, "warn"]);
  });

  it("sees memories near and over the limit of a standalone, and the earlier format", async () => {
    const database = testDatabase("standalone");
    const memories = database.db.collection("memories");
    await memories.insertMany([
      { nodeId: "old", scope: "global", data: { notes: { monday: "x" } }, dirs: {} },
      { nodeId: "nearly", scope: "global", data: { a: "x".repeat(13_000_000) }, revision: 1 },
    ]);
    const nearly = await getChecks(ofDatabase(database));
    expect([nearly.exitCode, nearly.statuses["sizes"], nearly.statuses["format"]]).toEqual([1, "warn", "fail"]);
    expect(nearly.checks.find(({ name }) => name === "format")?.message).toContain('node "old"');
    await memories.insertOne({ nodeId: "full", scope: "global", data: { a: "x".repeat(15_500_000) }, revision: 1 });
    const full = await getChecks(ofDatabase(database));
    expect([full.exitCode, full.statuses["sizes"]]).toEqual([1, "fail"]);
  });

  it("cannot say anything where no server answers", async () => {
    const { exitCode, stderr } = await cli(["doctor"], {
      env: { MONGODB_URI: "mongodb://127.0.0.1:9/?serverSelectionTimeoutMS=50" },
    });
    expect([exitCode, stderr]).toEqual([3, expect.stringMatching(/^error: mongodb:\/\/127\.0\.0\.1:9\/.*EIO: .*\n$/)]);
    expect(stderr).not.toContain("says more");
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
    const { exitCode, checks } = await getChecks(["--uri", uri]);
    const { stderr } = await cli(["ls", "--uri", uri, "--node", "a"]);
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

it.each([
  ["small changes", 61, 1],
  ["large changes", 3, 600_000],
])("a history that cannot be moved is told at the first time, and by doctor, after %s", async (_name, count, size) => {
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
