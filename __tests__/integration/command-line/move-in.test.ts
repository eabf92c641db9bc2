import { execFile, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { MongoClient } from "mongodb";
import { describe, expect, it } from "@jest/globals";
import { type Memory, MongoMemoryStore } from "../../../src/index.js";
import { moveIn, readEntries } from "../../../src/move-in/index.js";
import { compiled } from "../../helpers/compiled-sources.js";
import { repetitions } from "../../helpers/repetitions.js";
import { privateMongod, testDatabase } from "../../helpers/test-database.js";
import { folderWith, testFolder } from "../../helpers/test-folder.js";

const { client, uri, name: dbName } = testDatabase();
const store = new MongoMemoryStore({ client, dbName, history: true });
const folder = testFolder();

const at = "2025-03-04T10:00:00.000Z";
const fact = (id: string, memory: string): object => ({ id, memory, created_at: at });

async function fileOf(value: unknown): Promise<string> {
  const file = join(folderWith(folder, {}), "export.json");
  await writeFile(file, JSON.stringify(value));
  return file;
}

it("a move of 80 MB needs less memory than that, and writes every item", async () => {
  const count = repetitions({ usual: 2_000, long: 200_000 });
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
    // Two batches.
    const facts = Array.from({ length: 2100 }, (_, index) => fact(`id-${index}`, `Fact number ${index} is here`));
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
      expect(report.written + report.unchanged).toBe(facts.length);
      expect(await readTexts(memory)).toEqual(expected);
    }
    await own.close();
  });
});
