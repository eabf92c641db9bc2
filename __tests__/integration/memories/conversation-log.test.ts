import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { afterAll, describe, expect, it } from "@jest/globals";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { MongoClient } from "mongodb";
import { logConversation, type Memory, MemoryNode, MongoMemoryStore } from "../../../src/index.js";
import { commandsOf } from "../../helpers/commands-of.js";
import { compiled } from "../../helpers/compiled-sources.js";
import { createLoggingAgent } from "../../helpers/logging-agent.js";
import type { ServerKind } from "../../helpers/mongo-servers.js";
import { isLong, repetitions } from "../../helpers/repetitions.js";
import { testDatabase } from "../../helpers/test-database.js";

const at = new Date("2026-03-04T09:05:00Z");
const file = "/conversations/2026-03-04/t.md";
const rounds = repetitions({ usual: 1, long: 10 });
const kinds: ServerKind[] = isLong ? ["replicaSet", "standalone"] : ["replicaSet"];

async function readLines(memory: Memory): Promise<string[]> {
  const { files } = await memory.snapshot();
  const lines = files.flatMap(({ content }) => content.split("\n"));
  return lines.filter((line) => line !== "" && !/^[#^]/.test(line));
}

/** The messages of a thread after this number of turns. */
function takeTurns(count: number) {
  return Array.from({ length: count }, (_, turn) => [
    new HumanMessage({ id: `u${turn}`, content: `question ${turn}` }),
    new AIMessage({ id: `a${turn}`, content: `answer ${turn}` }),
  ]).flat();
}

describe.each(kinds)("a log of conversations, on a %s", (kind) => {
  const { client, name: dbName, uri } = testDatabase(kind);
  const store = new MongoMemoryStore({ client, dbName, history: true });
  const createNode = (): MemoryNode => new MemoryNode({ nodeId: randomUUID(), store, log: true, paths: "posix" });

  it.each(["before", "after"])(
    "has each message once if a process is killed %s a change, and another one resumes its run or begins the next turn",
    async (when) => {
      const expected = ["User: one", "Assistant: Answer to one", "User: two", "Assistant: Answer to two"];
      const killNext = async (next: "resume" | "new turn"): Promise<void> => {
        const node = createNode();
        const configurable = { thread_id: randomUUID() };
        const agent = createLoggingAgent(client, dbName, node);
        await agent.invoke({ messages: [{ role: "user", content: "one" }] }, { configurable });
        const args = [uri, dbName, node.nodeId, configurable.thread_id, "two", when, "1"];
        const worker = spawn(process.execPath, [compiled("__tests__/helpers/killed-log-worker.ts"), ...args], {
          stdio: ["ignore", "inherit", "inherit"],
        });
        expect(await once(worker, "exit")).toEqual([null, "SIGKILL"]);
        const isNew = next === "new turn";
        await agent.invoke(isNew ? { messages: [{ role: "user", content: "three" }] } : null, { configurable });
        const later = isNew ? ["User: three", "Assistant: Answer to three"] : [];
        expect(await readLines(node.memory())).toEqual([...expected, ...later]);
      };
      for (let round = 0; round < rounds; round += 1) await Promise.all([killNext("resume"), killNext("new turn")]);
    },
  );

  it("has each message once if several processes log the turns of a thread at once", async () => {
    const { nodeId } = createNode();
    const open = (): Memory => new MongoMemoryStore({ client, dbName, history: true }).memory({ nodeId });
    const processes = Array.from({ length: 4 }, open);
    for (let count = 1; count <= 5 * rounds; count += 1)
      await Promise.all(processes.map((memory) => logConversation(memory, takeTurns(count), { at, threadId: "t" })));
    const expected = takeTurns(5 * rounds).map(
      ({ type, text }) => `${type === "human" ? "User" : "Assistant"}: ${text}`,
    );
    expect(await readLines(open())).toEqual(expected);
  });

  it("keeps the log if everything else is deleted, in a memory of one page and of many", async () => {
    for (const count of [1, 30]) {
      const node = createNode();
      const memory = store.memory({ nodeId: node.nodeId }, { paths: "posix" });
      const names = Array.from({ length: count }, (_, number) => [
        `/conversationa${number}`,
        `/dir${number}/note`,
      ]).flat();
      const text = "x".repeat(40_000);
      await Promise.all(names.map((path) => memory.write(path, text)));
      await logConversation(node.memory(), takeTurns(2), { at, threadId: "t" });
      expect(await node.memory().delete("/")).toMatchObject({ files: 2 * count, dirs: count });
      expect((await memory.snapshot()).files.map(({ path }) => path)).toEqual([file]);
    }
  });

  it("can be redacted, and does not log again what was redacted", async () => {
    const memory = createNode().memory();
    await logConversation(memory, takeTurns(2), { at, threadId: "t" });
    await logConversation(memory, takeTurns(3), { at, threadId: "t" });
    const own = store.memory({ nodeId: memory.address.nodeId });
    await own.history?.redact({ text: "question 1", cut: true });
    const other = new MongoMemoryStore({ client, dbName, history: true }).memory({ nodeId: memory.address.nodeId });
    await logConversation(other, takeTurns(4), { at, threadId: "t" });
    const text = await own.read(file);
    expect(text).not.toContain("question 1");
    expect(text).toContain("question 3");
    expect(text.match(/answer 1/g)).toHaveLength(1);
  });

  it("is without what a run said after its undo, which refuses to undo what was said later in the thread", async () => {
    const memory = store.memory({ nodeId: randomUUID() });
    const bad = memory.with({ actor: { runId: "bad" } });
    await logConversation(bad, takeTurns(1), { at, threadId: "t" });
    await logConversation(memory, takeTurns(2).slice(2), { at, threadId: "other" });
    await memory.history?.revert({ runId: "bad" });
    expect(await readLines(memory)).toEqual(["User: question 1", "Assistant: answer 1"]);
    await logConversation(bad, takeTurns(3).slice(4), { at, threadId: "third" });
    await logConversation(memory, takeTurns(4).slice(4), { at, threadId: "third" });
    await expect(memory.history?.revert({ runId: "bad" })).rejects.toMatchObject({
      code: "ECONFLICT",
      path: "/conversations/2026-03-04/third.md",
    });
  });

  it("deletes days that are not kept, which the history records", async () => {
    const memory = createNode().memory();
    await logConversation(memory, takeTurns(1), { at: new Date("2026-02-01T00:00:00Z"), threadId: "t" });
    await logConversation(memory, takeTurns(2), { at, threadId: "t", keepDays: 7 });
    expect(await readLines(memory)).toEqual(["User: question 1", "Assistant: answer 1"]);
    const deleted = [];
    for await (const { path, operation } of memory.history?.list() ?? [])
      if (operation === "deleted") deleted.push(path);
    expect(deleted).toEqual(["/conversations/2026-02-01/t.md"]);
  });

  it("goes with its user", async () => {
    const node = new MemoryNode({ nodeId: randomUUID(), store, scope: "perUser", log: true });
    for (const owner of ["anna", "ben"])
      await logConversation(node.memory(owner), takeTurns(1), { at, threadId: owner });
    await store.forget({ userId: "anna" });
    expect(await readLines(node.memory("anna"))).toEqual([]);
    expect(await readLines(node.memory("ben"))).toHaveLength(2);
  });
});

describe("a turn", () => {
  const { name: dbName, uri } = testDatabase();
  const client = new MongoClient(uri, { monitorCommands: true });
  afterAll(() => client.close());

  it.each([true, false])("costs two commands, whatever the memory contains, with a history: %s", async (history) => {
    const memory = new MongoMemoryStore({ client, dbName, history }).memory({ nodeId: randomUUID() });
    await memory.write("/notes", "SECRET");
    await logConversation(memory, takeTurns(200), { at, threadId: "other" });
    for (const turns of [1, 2, 3]) {
      const log = (): Promise<number> => logConversation(memory, takeTurns(turns), { at, threadId: "t" });
      const sent = (await commandsOf(client, log)).map(({ commandName }) => commandName);
      // A new file asks whether the turn was logged before midnight.
      if (turns > 1) expect(sent).toEqual(["find", history ? "findAndModify" : "update"]);
      expect(await commandsOf(client, log)).toHaveLength(1);
    }
  });
});
