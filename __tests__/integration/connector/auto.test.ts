import { describe, expect, it, jest } from "@jest/globals";
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { MongoClient } from "mongodb";
import { type Memory, MemoryNode, MongoMemoryStore } from "../../../src/index.js";
import { commandsOf } from "../../helpers/commands-of.js";
import { FakeEmbeddings } from "../../helpers/fake-embeddings.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { testDatabase } from "../../helpers/test-database.js";
import { auto, writeManyNotes } from "../../helpers/turns.js";
import { useClient } from "../../helpers/use-client.js";

const { uri, name: dbName } = testDatabase("replicaSet");
const client = useClient(new MongoClient(uri, { monitorCommands: true }));
const store = new MongoMemoryStore({ client, dbName });

describe("content auto in MongoDB", () => {
  const question = "What do the notes say about word7?";
  const erasers = {
    redact: (memory: Memory) => memory.history?.redact({ text: "what a note says", cut: true }),
    forget: (memory: Memory, other: MongoMemoryStore) => other.forget(memory.address),
  };

  it.each(Object.entries(erasers))(
    "does not show a kept part of the turn again after %s by another client",
    async (_, erase) => {
      const node = new MemoryNode({
        ...freshAddress(),
        store: new MongoMemoryStore({ client, dbName, history: true }),
      });
      await writeManyNotes(node.globalMemory());
      const connector = node.createConnector(auto);
      const asked = [new HumanMessage({ id: "1", content: question })];
      const called = [
        ...asked,
        new AIMessage({ content: "", tool_calls: [{ id: "1", name: "memory", args: {} }] }),
        new ToolMessage({ content: "done", tool_call_id: "1" }),
      ];
      const show = async (messages: BaseMessage[]): Promise<string> =>
        JSON.stringify(await connector.inject(messages, { configurable: { thread_id: "1" } }));
      for (const messages of [asked, called]) expect(await show(messages)).toContain("word7 is what a note says");
      const otherStore = new MongoMemoryStore({ client: useClient(new MongoClient(uri)), dbName, history: true });
      await erase(otherStore.memory(node.globalMemory().address), otherStore);
      for (const messages of [called, asked, called]) expect(await show(messages)).not.toContain("what a note says");
    },
  );

  it("reads no text again while the memory stays, also for other questions", async () => {
    const node = new MemoryNode({ ...freshAddress(), store });
    await writeManyNotes(node.globalMemory());
    const connector = node.createConnector(auto);
    await connector.renderMessage({ question: "word3" });
    const sent = await commandsOf(client, () => connector.renderMessage({ question: "word5" }));
    expect(sent).toHaveLength(1);
    expect(sent.map(({ command }) => command["projection"])).not.toContainEqual(expect.objectContaining({ data: 1 }));
  });

  it("shows what another store has written, the newest file first where nothing fits", async () => {
    const node = new MemoryNode({ ...freshAddress(), store });
    await writeManyNotes(node.globalMemory());
    const connector = node.createConnector(auto);
    await connector.renderMessage({ question: "?" });
    const other = new MongoMemoryStore({ client, dbName }).memory(node.globalMemory().address);
    await other.append("/notes/11", "written elsewhere");
    const text = (await connector.renderMessage({ question: "?" }))?.text ?? "";
    expect(text).toContain(
      "\n/notes/11:\n| word11 is what a note says, and it says nothing else.\n| written elsewhere\n/notes/25:",
    );
  });

  it("chooses by words while the embeddings fail, and by meaning again when they answer", async () => {
    const embeddings = new FakeEmbeddings();
    const embedding = new MongoMemoryStore({ client, dbName, index: { dims: 4, embeddings } });
    const node = new MemoryNode({ ...freshAddress(), store: embedding });
    await writeManyNotes(node.globalMemory());
    embeddings.failure = new Error("the service is down");
    const connector = node.createConnector(auto);
    const text = (await connector.renderMessage({ question: "word5" }))?.text;
    expect(text).toContain("word5 is what a note says");
    await expect(node.globalMemory().search("word5")).rejects.toThrow("the service is down");
    embeddings.failure = undefined;
    await connector.renderMessage({ question: "word7" });
    expect(embeddings.queries.at(-1)).toBe("word7");
    expect(embeddings.documentCalls.length).toBeGreaterThan(1);
  });

  it("chooses by words in a fifth of the time limit if the client of the embeddings does not answer", async () => {
    const embeddings = new FakeEmbeddings();
    const embedding = new MongoMemoryStore({ client, dbName, timeoutMs: 10_000, index: { dims: 4, embeddings } });
    const node = new MemoryNode({ ...freshAddress(), store: embedding });
    await writeManyNotes(node.globalMemory());
    embeddings.lostCalls = Infinity;
    // The limits that were set, because the time that passes depends on the load of the machine.
    const timers = jest.spyOn(globalThis, "setTimeout");
    const text = (await node.createConnector(auto).renderMessage({ question: "word5" }))?.text;
    expect(text).toContain("word5 is what a note says");
    expect(timers.mock.calls.map(([, ms]) => ms)).toContain(2000);
    timers.mockRestore();
    embeddings.lostCalls = 0;
    await node.createConnector(auto).renderMessage({ question: "word7" });
    expect(embeddings.queries.at(-1)).toBe("word7");
  });
});
