import { describe, expect, it } from "@jest/globals";
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { promisify } from "node:util";
import { MongoClient } from "mongodb";
import { type MemoryVersion, type Memory, MongoMemoryStore } from "../../../src/index.js";
import { compiled } from "../../helpers/compiled-sources.js";
import { killedDuring, type KillStep } from "../../helpers/killed-during.js";
import type { ServerKind } from "../../helpers/mongo-servers.js";
import { isLong } from "../../helpers/repetitions.js";
import { privateMongod, testDatabase } from "../../helpers/test-database.js";
import { until, untilAnswers } from "../../helpers/until-answers.js";
import { useClient } from "../../helpers/use-client.js";

const runProcess = promisify(execFile);
const worker = compiled("__tests__/helpers/history-worker.ts");
const kinds: ServerKind[] = isLong ? ["standalone", "replicaSet"] : ["standalone"];

interface Place {
  uri: string;
  dbName: string;
}

/** A process that appends so many lines. @param step at which it dies */
async function appendInProcess(
  { uri, dbName }: Place,
  memory: Memory,
  { name, count, step = ["", ""] }: { name: string; count: number; step?: KillStep | ["", ""] },
): Promise<void> {
  const { nodeId } = memory.address;
  await runProcess(process.execPath, [worker, uri, dbName, nodeId, name, String(count), ...step]);
}

async function dieInProcess(place: Place, memory: Memory, count: number, step: KillStep): Promise<void> {
  await appendInProcess(place, memory, { name: "dead", count, step }).then(
    () => expect("alive").toBe("dead"),
    ({ signal }: { signal?: string }) => expect(signal).toBe("SIGKILL"),
  );
}

/** Every line was brought by one version, in one order. @returns the lines */
async function assertOneVersionALine(memory: Memory): Promise<string[]> {
  const versions: MemoryVersion[] = [];
  for await (const version of memory.history?.list() ?? []) versions.unshift(version);
  const lines = (await memory.read("/log")).split("\n");
  const blamed = (await memory.history?.blame("/log")) ?? [];
  expect(versions.map(({ id }) => Number(id))).toEqual(lines.map((_, index) => index + 1));
  expect(blamed.map(({ version }) => version?.id)).toEqual(versions.map(({ id }) => id));
  expect(versions.map(({ sizeBytes }) => sizeBytes)).toEqual(
    lines.map((_, index) => Buffer.byteLength(lines.slice(0, index + 1).join("\n"))),
  );
  return lines;
}

describe.each(kinds)("on a %s", (kind) => {
  const { client, name: dbName, uri } = testDatabase(kind);

  it("four processes with 50 appends each make 200 versions, in the order of the lines", async () => {
    const memory = new MongoMemoryStore({ client, dbName, history: true }).memory({ nodeId: randomUUID() });
    const names = ["one", "two", "three", "four"];
    await Promise.all(names.map((name) => appendInProcess({ uri, dbName }, memory, { name, count: 50 })));
    expect(await assertOneVersionALine(memory)).toHaveLength(200);
    const blamed = (await memory.history?.blame("/log")) ?? [];
    expect(blamed.every(({ text, version }) => text.startsWith(`${version?.actor?.client} `))).toBe(true);
  });
});

describe("a crash", () => {
  /** The change that fills the outbox, and the steps of emptying it. */
  const fullAt = 60;
  const steps: KillStep[] = [
    ["commandStarted", "findAndModify"],
    ["commandSucceeded", "findAndModify"],
    ["commandSucceeded", "find"],
    ["commandStarted", "insert"],
    ["commandSucceeded", "insert"],
    ["commandStarted", "update"],
    ["commandSucceeded", "update"],
  ];

  describe.each(kinds)("on a %s", (kind) => {
    const { client, name: dbName, uri } = testDatabase(kind);
    const store = new MongoMemoryStore({ client, dbName, history: true });

    it.each(isLong ? steps : steps.slice(3, 6))(
      "a process that dies at %s of %s leaves each change with its version, once",
      async (...step) => {
        const memory = store.memory({ nodeId: randomUUID() });
        await dieInProcess({ uri, dbName }, memory, fullAt, step);
        await assertOneVersionALine(memory);
        for (let index = 0; index < fullAt; index += 1) await memory.append("/log", `next ${index}`);
        expect((await assertOneVersionALine(memory)).length).toBeGreaterThanOrEqual(2 * fullAt - 1);
        const isEmptied = {
          nodeId: memory.address.nodeId,
          hasVersions: true,
          [`outbox.${fullAt - 1}`]: { $exists: false },
        };
        await until(async () => (await client.db(dbName).collection("memories").countDocuments(isEmptied)) === 1);
      },
    );
  });

  it.each<ServerKind>(isLong ? ["standalone", "replicaSet"] : ["replicaSet"])(
    "a %s that is killed at any step of emptying the outbox leaves each change with its version, once",
    async (kind) => {
      const mongod = await privateMongod(kind);
      const client = useClient(new MongoClient(mongod.uri, { monitorCommands: true, serverSelectionTimeoutMS: 2000 }));
      const store = new MongoMemoryStore({ client, dbName: "crash", history: true });
      for (const step of isLong ? steps : steps.slice(4, 5)) {
        const memory = store.memory({ nodeId: randomUUID() });
        await untilAnswers(memory);
        for (let index = 0; index < fullAt - 1; index += 1) await memory.append("/log", `line ${index}`);
        await killedDuring(mongod, client, step, () => memory.append("/log", "last"));
        await untilAnswers(memory);
        await assertOneVersionALine(memory);
        for (let index = 0; index < fullAt; index += 1) await memory.append("/log", `next ${index}`);
        await assertOneVersionALine(memory);
      }
    },
  );
});
