import { describe, expect, it } from "@jest/globals";
import { type CommandStartedEvent, MongoClient } from "mongodb";
import { type Memory, MongoMemoryStore } from "../../../src/index.js";
import { commandsOf } from "../../helpers/commands-of.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { withPageBytes } from "../../helpers/page-sizes.js";
import { memoryChanges, memoryReads } from "../../helpers/store-calls.js";
import { testDatabase } from "../../helpers/test-database.js";
import { useClient } from "../../helpers/use-client.js";

const { uri, name } = testDatabase("replicaSet");
const watched = useClient(
  new MongoClient(uri, { monitorCommands: true, readConcernLevel: "local", writeConcern: { w: 1 } }),
);
const calls = Object.entries({ ...memoryReads, ...memoryChanges });

/** A memory of nine files. With pages of 200 bytes, nearly each has a page of its own. */
async function openMemory(pageBytes: number): Promise<Memory> {
  const store = new MongoMemoryStore({ client: watched, dbName: name, history: true, ...withPageBytes(pageBytes) });
  const memory = store.memory(freshAddress());
  for (const path of ["/a", "/1", "/2", "/3", "/4", "/5", "/6", "/7", "/8"]) await memory.write(path, "word");
  return memory;
}

/** The reads outside transactions. */
async function findReads(run: () => Promise<unknown>): Promise<CommandStartedEvent[]> {
  const commands = await commandsOf(watched, () => run().catch(() => undefined));
  return commands.filter(
    ({ commandName, command }) => ["find", "aggregate"].includes(commandName) && command["txnNumber"] === undefined,
  );
}

/** The commands that make a change. Without those that only move recorded changes, which the next call repeats. */
async function findWrites(run: () => Promise<unknown>): Promise<CommandStartedEvent[]> {
  const commands = await commandsOf(watched, () => run().catch(() => undefined));
  return commands.filter(
    ({ commandName, command }) =>
      commandName === "commitTransaction" ||
      (["update", "findAndModify", "insert", "delete"].includes(commandName) &&
        command["startTransaction"] === undefined &&
        command["autocommit"] === undefined &&
        !JSON.stringify(command).includes('"hasVersions":true')),
  );
}

function listLevels(reads: readonly CommandStartedEvent[]): Set<unknown> {
  return new Set(reads.map(({ command }) => (command["readConcern"] as { level: string } | undefined)?.level));
}

describe("a memory", () => {
  it.each(calls)("shows in %s only what a majority has, whatever the client asks for", async (_name, call) => {
    for (const pageBytes of [200, 1_000_000]) {
      const memory = await openMemory(pageBytes);
      for (const level of listLevels(await findReads(() => call(memory))))
        expect(["majority", "snapshot"]).toContain(level);
    }
  });

  it("is read at one moment by a process that does not know its pages", async () => {
    const { address } = await openMemory(200);
    const store = new MongoMemoryStore({ client: watched, dbName: name, ...withPageBytes(200) });
    const reads = await findReads(() => store.memory(address).snapshot());
    const concerns = reads.map(({ command }) => command["readConcern"] as { level: string; atClusterTime?: unknown });
    const [first, ...others] = concerns.filter(({ level }) => level === "snapshot");
    expect(first?.atClusterTime).toBeUndefined();
    expect(others.length).toBeGreaterThan(1);
    const moments = others.map(({ atClusterTime }) => String(atClusterTime));
    expect(new Set(moments).size).toBe(1);
    expect(moments[0]).not.toBe("undefined");
  });
});

describe("the write concern of memories", () => {
  it.each(Object.entries(memoryChanges))(
    "is majority and journal in %s, whatever the client asks for",
    async (_name, call) => {
      for (const pageBytes of [200, 1_000_000]) {
        const memory = await openMemory(pageBytes);
        for (const { command } of await findWrites(() => call(memory)))
          expect(command["writeConcern"]).toMatchObject({ w: "majority", j: true });
      }
    },
  );

  it("is no option", () => {
    const options = { client: watched, dbName: name, memoryWriteConcern: { w: 1 } };
    expect(() => new MongoMemoryStore(options)).toThrow(/unknown option "memoryWriteConcern"/);
  });
});
