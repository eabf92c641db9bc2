import { randomUUID } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import {
  logConversation,
  type MemoryActor,
  type MemoryVersion,
  type Memory,
  MongoMemoryStore,
} from "../../../src/index.js";
import { patched } from "../../helpers/patched.js";
import { cli, cliJson, type CliRun, type CliSurroundings } from "../../helpers/run-cli.js";
import { testDatabase } from "../../helpers/test-database.js";
import { testFolder } from "../../helpers/test-folder.js";

const { client, db, uri, name: dbName } = testDatabase();
const store = new MongoMemoryStore({ client, dbName, history: true });

interface Place {
  memory: Memory;
  target: string[];
  by: (actor: MemoryActor) => Memory;
  run: (argv: string[], surroundings?: CliSurroundings) => Promise<CliRun>;
  versions: () => Promise<MemoryVersion[]>;
}

function newMemory(): Place {
  const nodeId = randomUUID();
  const memory = store.memory({ nodeId });
  const target = ["--uri", uri, "--db", dbName, "--node", nodeId];
  return {
    memory,
    target,
    by: (actor) => memory.with({ actor }),
    run: ([command = "", ...argv], surroundings) => cli([command, ...target, ...argv], surroundings),
    versions: () => listVersions(memory),
  };
}

async function listVersions({ history }: Memory): Promise<MemoryVersion[]> {
  const found: MemoryVersion[] = [];
  for await (const version of history?.list() ?? []) found.push(version);
  return found;
}

/** Three versions of a file: by a run of ada, by a call of bob, and by a later run of ada. */
async function threeVersions(): Promise<Place & { ids: [first: string, second: string, third: string] }> {
  const place = newMemory();
  await place.by({ userId: "ada", runId: "run-1" }).write("/notes/today", "buy milk\nbuy bread\n");
  await place
    .by({ userId: "bob", toolCallId: "call-1", threadId: "thread-1", client: "Editor 1.0" })
    .update("/notes/today", "bread", "eggs");
  await place.by({ userId: "ada", runId: "run-2" }).append("/notes/today", "call mum");
  const [third = "", second = "", first = ""] = (await place.versions()).map(({ id }) => id);
  return { ...place, ids: [first, second, third] };
}

const folder = testFolder();

/** What the program itself styles, and what stands between lines. */
const colour = new RegExp(String.raw`\u001b\[\d+m`, "g");
const ownSequences = new RegExp(String.raw`${colour.source}|[\n\t]|\r\n`, "g");

const lines = ({ stdout }: CliRun): string[] => stdout.split("\n").slice(0, -1);

describe("log", () => {
  it("lists versions newest first, with who made them", async () => {
    const { run, ids, versions } = await threeVersions();
    const [{ at } = { at: new Date(0) }] = await versions();
    const shown = lines(await run(["log"]));
    expect(shown.map((line) => line.split(" ")[0])).toEqual(ids.toReversed());
    expect(shown[0]).toBe(
      `${ids[2].padEnd(5)}  ${at.toISOString()}  modified  /notes/today  (26)  user ada, run run-2`,
    );
    expect(shown[1]).toMatch(
      /modified {2}\/notes\/today {2}\(18\) {2}user bob, client Editor 1\.0, tool call call-1, thread thread-1$/,
    );
    expect(lines(await run(["log", "/notes", "-n", "1"]))).toEqual([shown[0]]);
  });

  it("groups versions by run, with the user, the agent, the thread and the id for a revert", async () => {
    const { by, run } = newMemory();
    const first = by({ userId: "ada", agent: "helper", threadId: "t", runId: "run-1", node: "tools" });
    await first.write("/a", "1");
    await first.write("/b", "2");
    await by({}).write("/c", "3");
    const shown = lines(await run(["log", "--runs"])).map((line) => line.replace(/\S+Z/, "<time>"));
    expect(shown).toEqual([
      "a program without a name",
      "  3      <time>  created   /c  (1)",
      "user ada, agent helper, thread t, run run-1",
      "  2      <time>  created   /b  (1)",
      "  1      <time>  created   /a  (1)",
    ]);
  });

  it("lists at most as many as --limit says", async () => {
    const { run, ids } = await threeVersions();
    const { stdout } = await run(["log", "--limit", "1", "--json"]);
    expect(
      stdout
        .trim()
        .split("\n")
        .map((line) => (JSON.parse(line) as MemoryVersion).id),
    ).toEqual([ids[2]]);
    expect((await run(["log", "--limit", "0"])).exitCode).toBe(2);
  });
});

describe("diff", () => {
  it("compares two versions, or one with the file as it is now", async () => {
    const { run, ids } = await threeVersions();
    const { stdout } = await run(["diff", ids[0], ids[1]]);
    expect(stdout).toMatch(/\n buy milk\n-buy bread\n\+buy eggs\n$/);
    expect((await run(["diff", ids[0]])).stdout).toContain("-buy bread\n+buy eggs\n+call mum");
    expect(await run(["diff", ids[2]])).toEqual({ exitCode: 0, stdout: "", stderr: "" });
    expect(await cliJson(["diff", ids[0], ids[1], ...(await threeVersions()).target])).toEqual({
      ok: true,
      from: ids[0],
      to: ids[1],
      diff: stdout,
    });
  });

  it("shows no line that did not change, and with --patch and --json the exact difference", async () => {
    const { run, memory, target } = newMemory();
    await memory.write("/a", "one");
    await memory.append("/a", "two");
    const head = '--- "/a\\tversion 1"\n+++ /a\n@@ -1,1 +1,2 @@\n';
    expect((await run(["diff", "1"])).stdout).toBe(`${head} one\n+two\n`);
    const { stdout: patch } = await run(["diff", "1", "--patch"]);
    expect(patched(folder, "one", patch)).toBe("one\ntwo");
    expect(await cliJson(["diff", "1", ...target])).toMatchObject({ diff: patch });
  });

  it("says in words that only the newline at the end came", async () => {
    const { run, memory } = newMemory();
    await memory.write("/a", "one");
    await memory.write("/a", "one\n");
    expect((await run(["diff", "1"])).stdout).toContain(
      "@@ -1,1 +1,1 @@ no line changes: only the newline at the end is added\n one\n",
    );
  });

  it("says that there is no such version", async () => {
    const { run } = await threeVersions();
    expect(await run(["diff", "99"])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/^error: version 99: ENOENT: .*99.*; `log` shows/),
    });
    expect((await run(["diff", "{}"])).exitCode).toBe(2);
  });
});

describe("blame", () => {
  it("shows which version each line comes from", async () => {
    const { run, ids } = await threeVersions();
    const shown = lines(await run(["blame", "/notes/today"]));
    expect(shown.map((line) => line.replaceAll(/\S+Z/g, "TIME"))).toEqual([
      `${ids[0]}  TIME  user ada  1  buy milk`,
      `${ids[1]}  TIME  user bob  2  buy eggs`,
      `${ids[2]}  TIME  user ada  3  call mum`,
    ]);
    const [first = ""] = lines(await run(["blame", "/notes/today", "--json"]));
    expect(JSON.parse(first)).toMatchObject({
      line: 1,
      text: "buy milk",
      version: { id: ids[0], actor: { userId: "ada", runId: "run-1" } },
    });
    expect(await run(["blame", "/notes"])).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("EISDIR") });
  });
});

describe("looking back", () => {
  it.each([["log"], ["diff", "1"], ["blame", "/notes/today"], ["revert", "/notes/today", "--to", "1", "--dry-run"]])(
    "by %s needs no more than rights to read",
    async (...argv) => {
      const { run } = await threeVersions();
      await db.collection("memories").dropIndex("memories_by_user");
      expect((await run(argv)).exitCode).toBe(0);
      expect((await db.collection("memories").indexes()).map(({ name }) => name)).not.toContain("memories_by_user");
      expect((await run(["append", "/a", "x"])).exitCode).toBe(0);
    },
  );
});

describe("revert", () => {
  it("goes back to a version by a new one of who says so", async () => {
    const { memory, run, ids, versions } = await threeVersions();
    const { exitCode, stdout } = await run(["revert", "/notes/today", "--to", ids[0], "--as", "carol"]);
    const [made] = await versions();
    expect([exitCode, stdout.split(" ")[0]]).toEqual([0, made?.id]);
    expect(made?.actor).toEqual({ client: "langgraph-mongo-memory", userId: "carol" });
    expect(await memory.read("/notes/today")).toBe("buy milk\nbuy bread\n");
    expect((await run(["revert", "/notes/today", "--to", ids[0]])).stdout).toBe(
      "nothing was changed, as all is as it was then\n",
    );
  });

  it("undoes a run or a call, and later changes with it only by --force", async () => {
    const { memory, run, ids } = await threeVersions();
    const refused = await run(["revert", "--tool-call", "call-1"]);
    expect(refused).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(new RegExp(`ECONFLICT: .*version ${ids[2]} .*pass --force to undo it`)),
    });
    expect((await run(["revert", "--run", "run-2"])).exitCode).toBe(0);
    expect(await memory.read("/notes/today")).toBe("buy milk\nbuy eggs\n");
    expect((await run(["revert", "--run", "run-1", "--force", "--json"])).exitCode).toBe(0);
    expect((await memory.snapshot()).files).toEqual([]);
  });

  it("says what would change by --dry-run, and changes nothing", async () => {
    const { memory, run, by, ids, versions, target } = await threeVersions();
    const later = by({ userId: "bob", runId: "run-3" });
    await later.rename("/notes/today", "/b");
    await later.write("/c", "x");
    const stored = (): Promise<unknown> =>
      Promise.all(
        ["memories", "memories_versions"].map((name) =>
          db.collection(name).find({ nodeId: memory.address.nodeId }).toArray(),
        ),
      );
    const before = [await versions(), await memory.snapshot(), await stored()];
    expect(lines(await run(["revert", "--run", "run-3", "--dry-run"]))).toEqual([
      "deleted   /c",
      "renamed   /b -> /notes/today  (26)",
    ]);
    expect(lines(await run(["revert", "/b", "--to", ids[0], "--dry-run"]))).toEqual(["modified  /b  (19)"]);
    const answer = await cliJson(["revert", "--tool-call", "call-1", "--force", "--dry-run", ...target]);
    expect(answer).toMatchObject({
      ok: true,
      dryRun: true,
      changes: [
        { operation: "renamed", from: "/b", path: "/notes/today" },
        { operation: "modified", path: "/notes/today", sizeBytes: 19 },
      ],
    });
    expect(await run(["revert", "--tool-call", "call-1", "--dry-run"])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("ECONFLICT"),
    });
    expect((await run(["revert", "/c", "--to", "5", "--dry-run"])).stdout).toBe(
      "nothing would be changed, as all is as it was then\n",
    );
    expect([await versions(), await memory.snapshot(), await stored()]).toEqual(before);
  });

  it("takes one thing to undo", async () => {
    const { run, ids } = await threeVersions();
    for (const argv of [
      [],
      ["/notes/today"],
      ["--to", ids[0]],
      ["/notes/today", "--run", "run-1"],
      ["--run", ""],
      ["/notes/today", "--to", ""],
      ["--run", "run-1", "--tool-call", "call-1"],
    ]) {
      expect((await run(["revert", ...argv])).exitCode).toBe(2);
    }
  });
});

describe("redact", () => {
  it("shows the versions and asks, and takes the text out for good", async () => {
    const { memory, run, ids } = await threeVersions();
    const path = "/notes/today";
    expect(await run(["redact", path])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("pass --yes"),
    });
    const no = await run(["redact", path], { terminal: true, stdin: "n\n" });
    expect([no.exitCode, no.stderr]).toEqual([
      1,
      expect.stringMatching(
        /created .*\/notes\/today.*Redact all versions of \/notes\/today but the present one for good\? \[y\/N\] nothing was redacted\n$/s,
      ),
    ]);
    expect((await memory.history?.read(ids[0]))?.content).toBe("buy milk\nbuy bread\n");
    expect((await run(["redact", path], { terminal: true, stdin: "y\n" })).stdout).toBe("redacted 2 versions\n");
    expect((await memory.history?.read(ids[0]))?.content).toBeNull();
    expect(lines(await run(["log"]))[2]).toMatch(/created {3}\(redacted\) {2}user ada, run run-1$/);
    expect((await memory.history?.read(ids[2]))?.content).toBe(await memory.read(path));
    expect(await run(["redact", path, "--yes", "--json"])).toMatchObject({
      exitCode: 0,
      stdout: '{"ok":true,"redacted":0}\n',
    });
  });

  it("shows where a text stands and asks, and covers it in all versions", async () => {
    const { memory, run } = newMemory();
    for (const text of ["old", "key sk-1\n", "key sk-1\nmore\n", "new"]) await memory.write("/a", text);
    await memory.write("/b", "sk-1");
    const no = await run(["redact", "--text", "sk-1"], { terminal: true, stdin: "n\n" });
    expect([no.exitCode, no.stderr]).toEqual([
      1,
      expect.stringMatching(
        /created .*\/b.*modified .*\/a.*modified .*\/a.*present file \/b\nRedact the text in 3 versions, 0 proposals for good\? .*nothing was redacted\n$/s,
      ),
    ]);
    expect(await run(["redact", "--text", "sk-1", "--yes"])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("/b as it is now"),
    });
    expect((await run(["redact", "--text", "-", "--cut", "--yes"], { stdin: "sk-1\n" })).stdout).toBe(
      "redacted 3 versions\n",
    );
    expect((await memory.history?.read("3"))?.content).toBe("key ****\nmore\n");
    expect(await memory.read("/b")).toBe("****");
  });

  it("finds what was said in several lines in the log, and covers it there", async () => {
    const { memory, run } = newMemory();
    const at = new Date("2026-03-04T09:05:00Z");
    await logConversation(memory, [["user", "The key is\nsk-1\nnothing else"]], { at });
    const no = await run(["redact", "--text", "is\nsk-1", "--cut"], { terminal: true, stdin: "n\n" });
    expect(no.stderr).toMatch(
      /present file \/conversations\/2026-03-04\/no-thread\.md\nRedact the text in 1 version, 0 proposals, 1/,
    );
    expect((await run(["redact", "--text", "-", "--cut", "--yes"], { stdin: "is\r\nsk-1\r\n" })).stdout).toBe(
      "redacted 1 version\n",
    );
    expect((await memory.history?.read("1"))?.content).toContain("User: The key [redacted---]\nUser: nothing else\n");
  });

  it.each([
    [["redact", "--yes"], "either --text or a path"],
    [["redact", "/a", "--text", "a", "--yes"], "either --text or a path"],
    [["redact", "/a", "--cut", "--yes"], "--cut goes with --text"],
    [["redact", "--text", "-"], "pass --yes"],
  ])("is refused for %j", async (argv, message) => {
    expect(await newMemory().run(argv)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(message) });
  });
});

describe("a change by the command line", () => {
  it("has its version where the memory has a history, and names the program", async () => {
    const { memory, run, versions } = newMemory();
    await memory.write("/a", "1");
    for (const argv of [
      ["append", "/a", "2"],
      ["write", "/b", "3", "--as", "ada"],
      ["mv", "/b", "/c"],
      ["rm", "/a"],
    ])
      expect((await run(argv)).exitCode).toBe(0);
    const program = { client: "langgraph-mongo-memory" };
    expect((await versions()).map(({ operation, path, actor }) => [operation, path, actor])).toEqual([
      ["deleted", "/a", program],
      ["renamed", "/c", program],
      ["created", "/b", { ...program, userId: "ada" }],
      ["modified", "/a", program],
      ["created", "/a", null],
    ]);
  });

  it("keeps versions no shorter and no longer than the memory, where memories expire", async () => {
    const lifetimeMs = 86_400_000;
    const memoriesCollection = "expiring";
    const expiring = new MongoMemoryStore({
      client,
      dbName,
      memoriesCollection,
      history: true,
      expireMs: { global: lifetimeMs },
    });
    const target = ["--uri", uri, "--db", dbName, "--memories-collection", memoriesCollection, "--node", "assistant"];
    const memory = expiring.memory({ nodeId: "assistant" });
    await memory.write("/a", "1");
    await memory.write("/a", "2");
    const versions = db.collection("expiring_versions");
    const expiries = async (): Promise<number[]> =>
      (await versions.find().toArray()).map(({ expiresAt }) => (expiresAt as Date | undefined)?.getTime() ?? 0);
    const startMs = Date.now();
    expect((await cli(["redact", "/a", "--yes", ...target])).exitCode).toBe(0);
    const moved = await expiries();
    expect([
      moved.length,
      Math.min(...moved) >= startMs + lifetimeMs,
      Math.max(...moved) <= Date.now() + 2 * lifetimeMs,
    ]).toEqual([3, true, true]);
    const soon = new Date(startMs + lifetimeMs / 2);
    await versions.updateMany({}, { $set: { expiresAt: soon } });
    await db.collection(memoriesCollection).updateMany({}, { $set: { versionsExpireAt: soon } });
    expect((await cli(["append", "/a", "3", ...target])).exitCode).toBe(0);
    expect(Math.min(...(await expiries())) >= startMs + lifetimeMs).toBe(true);
  });

  it("begins no history, which only the program that owns the memory can keep", async () => {
    const { memory, run, versions } = newMemory();
    expect((await run(["write", "/a", "1"])).exitCode).toBe(0);
    expect(await versions()).toEqual([]);
    expect(await run(["log"])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/^error: node ".+" has no history; it begins with .*history: true.*\n$/),
    });
    await memory.append("/a", "2");
    expect((await versions()).map(({ operation }) => operation)).toEqual(["modified"]);
  });
});

describe("a long output", () => {
  it.each([["log"], ["diff", "1"], ["blame", "/notes/today"]])(
    "of %s is coloured on a terminal only",
    async (...argv) => {
      const { run, ids } = await threeVersions();
      const asked = argv.map((argument) => (argument === "1" ? ids[0] : argument));
      const plain = (await run(asked)).stdout;
      const { exitCode, stdout } = await run(asked, { terminal: true });
      expect([exitCode, stdout.replaceAll(colour, "")]).toEqual([0, plain]);
      expect(stdout).toContain("\u001b[");
      expect((await run(asked, { terminal: true, env: { NO_COLOR: "1" } })).stdout).toBe(plain);
    },
  );

  it("holds no control sequence out of a text, a name or an actor", async () => {
    const { by, run } = newMemory();
    const hostile = "a\u001b[2J\u009b31m\rb\u202e\r\n";
    await by({ client: `evil\u001b]0;x\u0007` }).write("/in\u202evoice", hostile);
    await by({ userId: "u\u001b[1A" }).append("/in\u202evoice", hostile);
    for (const argv of [
      ["log"],
      ["diff", "1"],
      ["blame", "/in\u202evoice"],
      ["revert", "/in\u202evoice", "--to", "1"],
      ["redact", "/in\u202evoice"],
    ]) {
      const { stdout, stderr } = await run(argv, { terminal: true, stdin: "n\n" });
      expect(stdout + stderr).not.toBe("");
      expect((stdout + stderr).replaceAll(ownSequences, "")).not.toMatch(/[\p{Cc}\u202e]/u);
    }
  });
});
