import { MongoClient } from "mongodb";
import { answersOf } from "../../helpers/answers-of.js";
import { describe, expect, it } from "@jest/globals";
import { type MemoryHistory, type Memory, MongoMemoryStore } from "../../../src/index.js";
import type { ServerKind } from "../../helpers/mongo-servers.js";
import { getHistory } from "../../helpers/store-calls.js";
import { testDatabase } from "../../helpers/test-database.js";
import { useClient } from "../../helpers/use-client.js";

describe.each<ServerKind>(["standalone", "replicaSet"])("on a %s a version", (server) => {
  const { uri, name: dbName, db } = testDatabase(server);
  const client = useClient(new MongoClient(uri, { monitorCommands: true }));
  const store = new MongoMemoryStore({ client, dbName, history: true });

  /** Counts the commands of a call, and the bytes of their answers in steps of a kilobyte. */
  async function measure(call: () => Promise<unknown>): Promise<{ commands: number; kilobytes: number }> {
    const answers = await answersOf(client, call);
    const bytes = answers.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    return { commands: answers.length, kilobytes: Math.ceil(bytes / 1000) };
  }

  /** Creates a memory in which a file has three versions, before those of some others. */
  async function createMemory(others: number): Promise<Memory> {
    const memory = store.memory({ nodeId: `${others} others` });
    for (const text of ["one", "two", "three"]) await memory.write("/a", text);
    for (let index = 0; index < others; index += 1) await memory.write(`/d/${index}`, "x".repeat(200));
    // All versions leave the memory's document. Twice, because versions may be on their way behind the last change.
    for (const text of ["no such text", "nor this"]) await getHistory(memory).redact({ text });
    // Reads show what a majority has, and the removal from the document does not wait for it.
    await db.collection("other").insertOne({}, { writeConcern: { w: "majority" } });
    return memory;
  }

  it("is read and compared at the same cost, however many other files the memory has", async () => {
    const [small, large] = [await createMemory(10), await createMemory(300)];
    const reads = [
      (history: MemoryHistory) => history.read("1"),
      (history: MemoryHistory) => history.diff("1"),
      (history: MemoryHistory) => history.diff("1", "2"),
    ];
    for (const read of reads) {
      const cost = await measure(() => read(getHistory(large)));
      expect(cost).toEqual(await measure(() => read(getHistory(small))));
      expect(cost.kilobytes).toBeLessThanOrEqual(5);
    }
  });

  it("is read right while its file is renamed and written", async () => {
    const memory = store.memory({ nodeId: "renamed" });
    await memory.write("/0", "one");
    await memory.append("/0", "two");
    let isDone = false;
    const change = async (): Promise<void> => {
      for (let index = 0; index < 40; index += 1) {
        await memory.rename(`/${index}`, `/${index + 1}`);
        await memory.append(`/${index + 1}`, `line ${index}`);
      }
      isDone = true;
    };
    const read = async (): Promise<void> => {
      while (!isDone) {
        expect((await getHistory(memory).read("1")).content).toBe("one");
        expect((await getHistory(memory).read("2")).content).toBe("one\ntwo");
      }
    };
    await Promise.all([change(), read(), read()]);
    expect(await getHistory(memory).diff("2")).toContain("+line 39");
  });
});
