import { expect, it } from "@jest/globals";
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { promisify } from "node:util";
import { MongoClient } from "mongodb";
import type { MemoryVersion } from "../../../src/core/history/history.js";
import type { Memory } from "../../../src/core/memory.js";
import { MongoMemoryStore } from "../../../src/mongodb/store/mongo-memory-store.js";
import { compiled } from "../../helpers/compiled-sources.js";
import { killedDuring } from "../../helpers/killed-during.js";
import { isLong } from "../../helpers/repetitions.js";
import { privateMongod, testDatabase } from "../../helpers/test-database.js";
import { until, untilAnswers } from "../../helpers/until-answers.js";
import { useClient } from "../../helpers/use-client.js";

const runProcess = promisify(execFile);
const worker = compiled("__tests__/helpers/history-worker.ts");

/** The commands of the transaction that makes a change, before and after each. */
const steps = ["find", "update", "insert", "commitTransaction"].flatMap((command) => [
  ["commandStarted", command] as const,
  ["commandSucceeded", command] as const,
]);
const someSteps = isLong
  ? steps
  : steps.filter(
      ([event, command]) => command === "commitTransaction" || (event === "commandSucceeded" && command === "insert"),
    );

/** The server ends the transaction of a process that died after so long. A change of another one waits for that. */
const shortTransactions = ["--setParameter", "transactionLifetimeLimitSeconds=1"];

/** Every line was brought by one version, in one order. */
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

/** Until the server has ended the transaction of a process that died. */
async function appendAtLast(memory: Memory, line: string): Promise<void> {
  await until(async () => {
    try {
      await memory.append("/log", line);
      return true;
    } catch (error) {
      expect(error).toMatchObject({ code: "ECONFLICT" });
      return false;
    }
  });
}

const { client: shared, name: sharedName, uri: sharedUri } = testDatabase("replicaSet");

// Requirement: history.one-step
it("four processes with 50 appends each make 200 versions in the layout files, in the order of the lines", async () => {
  const memory = new MongoMemoryStore({ client: shared, dbName: sharedName, history: true, layout: "files" }).memory({
    nodeId: randomUUID(),
  });
  const names = ["one", "two", "three", "four"];
  await Promise.all(
    names.map((name) =>
      runProcess(process.execPath, [worker, sharedUri, sharedName, memory.address.nodeId, name, "50", "", "", "files"]),
    ),
  );
  expect(await assertOneVersionALine(memory)).toHaveLength(200);
  const blamed = (await memory.history?.blame("/log")) ?? [];
  expect(blamed.every(({ text, version }) => text.startsWith(`${version?.actor?.client} `))).toBe(true);
});

it("a process that dies at any step of a change in the layout files leaves each change with its version, once", async () => {
  const mongod = await privateMongod("replicaSet", { args: shortTransactions });
  const store = new MongoMemoryStore({
    client: useClient(new MongoClient(mongod.uri)),
    dbName: "dead",
    history: true,
    layout: "files",
  });
  for (const [event, command] of someSteps) {
    const memory = store.memory({ nodeId: randomUUID() });
    await memory.append("/log", "first");
    await runProcess(process.execPath, [
      worker,
      mongod.uri,
      "dead",
      memory.address.nodeId,
      "dead",
      "3",
      event,
      command,
      "files",
    ]).then(
      () => expect("alive").toBe("dead"),
      ({ signal }: { signal?: string }) => expect(signal).toBe("SIGKILL"),
    );
    await assertOneVersionALine(memory);
    await appendAtLast(memory, "next");
    const lines = await assertOneVersionALine(memory);
    expect([
      ["first", "dead 0", "dead 1", "next"],
      ["first", "dead 0", "dead 1", "dead 2", "next"],
    ]).toContainEqual(lines);
  }
});

it("a server that is killed at any step of a change in the layout files leaves each change with its version, once", async () => {
  const mongod = await privateMongod("replicaSet", { args: shortTransactions });
  const client = useClient(new MongoClient(mongod.uri, { monitorCommands: true, serverSelectionTimeoutMS: 2000 }));
  const store = new MongoMemoryStore({ client, dbName: "crash", history: true, layout: "files" });
  for (const step of isLong ? steps : someSteps.slice(0, 2)) {
    const memory = store.memory({ nodeId: randomUUID() });
    await untilAnswers(memory);
    await memory.append("/log", "first");
    await killedDuring(mongod, client, step, () => memory.append("/log", "last"));
    await untilAnswers(memory);
    await assertOneVersionALine(memory);
    await appendAtLast(memory, "next");
    expect((await assertOneVersionALine(memory)).length).toBeGreaterThanOrEqual(2);
  }
});
