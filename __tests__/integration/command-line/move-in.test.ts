import { execFile, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { MongoClient } from "mongodb";
import { MongoDBStore } from "@langchain/langgraph-checkpoint-mongodb";
import { beforeAll, describe, expect, it } from "@jest/globals";
import { type Memory, MongoMemoryStore } from "../../../src/index.js";
import { moveIn, readEntries } from "../../../src/move-in/index.js";
import { compiled } from "../../helpers/compiled-sources.js";
import { cli, cliJson } from "../../helpers/run-cli.js";
import { readAll } from "../../helpers/read-all.js";
import { repetitions } from "../../helpers/repetitions.js";
import { privateMongod, testDatabase } from "../../helpers/test-database.js";
import { folderWith, testFolder } from "../../helpers/test-folder.js";

const { client, uri, name: dbName, db } = testDatabase();
const store = new MongoMemoryStore({ client, dbName, history: true });
const folder = testFolder();

const at = "2025-03-04T10:00:00.000Z";
const fact = (id: string, memory: string, user_id?: string): object => ({ id, memory, created_at: at, user_id });

async function fileOf(value: unknown): Promise<string> {
  const file = join(folderWith(folder, {}), "export.json");
  await writeFile(file, JSON.stringify(value));
  return file;
}

function newTarget(): { memory: ReturnType<typeof store.memory>; target: string[] } {
  const nodeId = randomUUID();
  const memory = store.memory({ nodeId, scope: "perUser", userId: "ada" });
  return { memory, target: ["--uri", uri, "--db", dbName, "--node", nodeId, "--user", "ada"] };
}

beforeAll(() => db.createCollection("old"));

const mine = [fact("a1", "Likes tea", "ada"), fact("b2", "A secret of Bob", "bob")];

describe("import --from", () => {
  it("writes the files of the user with their times, and names nobody else", async () => {
    const { memory, target } = newTarget();
    await memory.write("/z", "The command line goes on with the history of an application.");
    const run = await cli(["import", await fileOf(mine), "--from", "mem0", "--into", "/imported", ...target]);
    expect(run).toEqual({
      exitCode: 0,
      stdout: "imported from mem0: 1 entry written, 1 skipped\n",
      stderr: "skipped: mem0:b2: it belongs to another user\n",
    });
    const [file] = (await memory.snapshot()).files;
    expect([file?.path, file?.content]).toEqual([
      "/imported/mem0/2025-03.md",
      expect.stringMatching(/^- 2025-03-04: Likes tea \^\w+\n$/),
    ]);
    expect([file?.createdAt, file?.updatedAt]).toEqual([new Date(at), new Date(at)]);
    const [version] = await readAll(memory.history?.list() ?? []);
    expect(version?.actor).toEqual({ client: "import", runId: expect.stringMatching(/^import-/) });
  });

  it("says what to check, and exits with 1, if the source has nothing", async () => {
    const { target } = newTarget();
    expect(await cli(["import", await fileOf([]), "--from", "mem0", ...target])).toEqual({
      exitCode: 1,
      stdout: "imported from mem0: 0 entries written\n",
      stderr: "note: found nothing of mem0 in the source; check its name and --from-namespace\n",
    });
  });

  it("only says what it would write with --dry-run", async () => {
    const { memory, target } = newTarget();
    const run = await cli(["import", await fileOf(mine), "--from", "mem0", "--dry-run", ...target]);
    expect(run.stdout).toBe("checked, not imported, from mem0: 1 entry written, 1 skipped\n");
    expect((await memory.snapshot()).files).toEqual([]);
  });

  it("reads the collection of a MongoDBStore and of mem0", async () => {
    const { memory, target } = newTarget();
    const official = new MongoDBStore({ client: client as never, dbName, collectionName: "official" });
    await official.start();
    await official.put(["memories", "ada"], "seat", { text: "Window" });
    await official.put(["memories", "bob"], "seat", { text: "Aisle" });
    await db.collection("mem0").insertMany([
      { _id: "m1" as never, embedding: [0.1], payload: { data: "Likes tea", createdAt: at, userId: "ada" } },
      { _id: "m2" as never, embedding: [0.1], payload: { data: "Not hers", createdAt: at, userId: "bob" } },
    ]);
    const items = ["--from-collection", "official", "--from-namespace", "memories", "ada"];
    expect(await cliJson(["import", "--from", "store", ...items, ...target])).toMatchObject({ written: 1, skipped: 0 });
    const facts = ["--from-collection", "mem0"];
    expect(await cliJson(["import", "--from", "mem0", ...facts, ...target])).toMatchObject({ written: 1, skipped: 1 });
    expect((await memory.snapshot()).files.map(({ path }) => path)).toEqual(["/mem0/2025-03.md", "/seat.md"]);
  });

  it.each([
    [["--from", "mem0"], /takes a file or --from-collection; pass one of them/],
    [["-", "--from", "store"], /takes --from-collection; pass that/],
    [["--from", "store", "--from-collection", "none"], /there is no collection none/],
    [["--from", "server-memory", "--from-collection", "x"], /takes a file; pass that/],
    [["--include", "/**"], /--include goes with --dir/],
    [["--into", "/x"], /--into goes with --from/],
    [["/none", "--from", "mem0"], /there is no such file or folder/],
    [["/", "--from", "mem0"], /it is not a regular file/],
    [["/none", "--from", "mem0", "--into", "x"], /^error: --into: must be a path, such as "\/imported"\n$/],
    [["/none", "--from", "mem0", "--from-user", ""], /^error: --from-user: /],
  ])("refuses %j in words", async (argv, message) => {
    const { exitCode, stderr } = await cli(["import", ...argv, ...newTarget().target]);
    expect(stderr).toMatch(message);
    expect([1, 2]).toContain(exitCode);
  });

  it("exits with 1 if nothing could be taken", async () => {
    const run = await cli(["import", await fileOf([1, "x"]), "--from", "mem0", ...newTarget().target]);
    expect(run).toMatchObject({ exitCode: 1, stdout: "imported from mem0: 0 entries written, 2 skipped\n" });
  });
});

it("a move of 80 MB needs less memory than that, and writes every item", async () => {
  const count = repetitions({ usual: 10_000, long: 200_000 });
  const nodeId = randomUUID();
  const worker = compiled("__tests__/helpers/streamed-move-worker.ts");
  const args = ["--max-old-space-size=72", worker, uri, dbName, nodeId, String(count)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(JSON.parse(stdout)).toEqual({ written: count, skipped: 0 });
  const { files } = await store.memory({ nodeId }).outline();
  expect(files.filter(({ path }) => path.startsWith("/files/"))).toHaveLength(count / 2);
});

async function readTexts(memory: Memory): Promise<string[][]> {
  return (await memory.snapshot()).files.map(({ path, content }) => [path, content]);
}

describe("a move that is killed", () => {
  it.each(["before", "after"])("gives the same tree when it runs again, killed %s a change", async (when) => {
    const mongod = await privateMongod("replicaSet");
    const own = new MongoClient(mongod.uri);
    const crashed = new MongoMemoryStore({ client: own, dbName, history: true });
    const facts = Array.from({ length: 3000 }, (_, index) => fact(`id-${index}`, `Fact number ${index} is here`));
    const source = await fileOf(facts);
    const whole = crashed.memory({ nodeId: randomUUID() });
    await moveIn(whole, readEntries({ from: "mem0", source }));
    const expected = await readTexts(whole);
    for (let change = 1; ; change += 1) {
      const nodeId = randomUUID();
      const args = [mongod.uri, dbName, nodeId, source, when, String(change)];
      const worker = spawn(process.execPath, [compiled("__tests__/helpers/killed-move-worker.ts"), ...args], {
        stdio: "inherit",
      });
      const [code, signal] = (await once(worker, "exit")) as [number | null, string | null];
      if (code === 0) {
        // It has made all its changes before.
        expect(change).toBeGreaterThan(1);
        break;
      }
      expect(signal).toBe("SIGKILL");
      // Otherwise the transaction of the killed process stands in the way for a minute.
      await own.db("admin").command({ killAllSessions: [] });
      const memory = crashed.memory({ nodeId });
      const report = await moveIn(memory, readEntries({ from: "mem0", source }));
      expect(report.written + report.unchanged).toBe(3000);
      expect(await readTexts(memory)).toEqual(expected);
    }
    await own.close();
  });
});
