import { randomUUID } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { HumanMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { LangChainTracer } from "@langchain/core/tracers/tracer_langchain";
import {
  InMemoryStore,
  type LangGraphRunnableConfig,
  MessagesAnnotation,
  START,
  StateGraph,
} from "@langchain/langgraph";
import type { Run } from "@langchain/core/tracers/base";
import { Agent, MemoryNode, MongoMemoryStore } from "../../../src/index.js";
import { ScriptedChatModel } from "../../helpers/scripted-chat-model.js";
import { testDatabase } from "../../helpers/test-database.js";

/** LangSmith's own tracer, with a client that keeps what it would send. */
function langSmith(): { tracer: LangChainTracer; ended: Run[] } {
  const ended: Run[] = [];
  const inputs = new Map<string, Run["inputs"]>();
  const client = {
    createRun: async (run: Run) => void inputs.set(run.id, run.inputs),
    updateRun: async (id: string, run: Run) => void ended.push({ ...run, id, inputs: inputs.get(id) ?? {} }),
  };
  return { tracer: new LangChainTracer({ client: client as never, projectName: "test" }), ended };
}

const { client, name: dbName } = testDatabase();
const openStore = (): MongoMemoryStore => new MongoMemoryStore({ client, dbName, itemsCollection: randomUUID() });

/** A graph of one node that does something. */
function createGraph(run: (config: LangGraphRunnableConfig) => Promise<unknown>, store = new InMemoryStore()) {
  return new StateGraph(MessagesAnnotation)
    .addNode("node", async (_state, config) => {
      await run(config);
      return {};
    })
    .addEdge(START, "node")
    .compile({ store });
}

describe("the tree of a run in LangSmith", () => {
  it("shows what the connector shows, below the node that shows it", async () => {
    const node = new MemoryNode({ store: new InMemoryStore(), nodeId: "n" });
    await node.memory().write("/note", "secret");
    const agent = new Agent({ model: new ScriptedChatModel(() => "done") });
    agent.attachMemoryConnector(node.createConnector());
    const { tracer, ended } = langSmith();
    await agent.invoke({ messages: [new HumanMessage("go")] }, { callbacks: [tracer] });
    const [read] = ended.filter(({ run_type }) => run_type === "retriever");
    expect(read).toMatchObject({
      name: "memory connector",
      inputs: { query: "tree" },
      outputs: { documents: [{ pageContent: "", metadata: { chars: expect.any(Number) } }] },
    });
    expect(ended.find(({ id }) => id === read?.parent_run_id)?.name).toBe("call_model");
  });

  it("shows what a node reads from the store, without texts", async () => {
    const store = openStore();
    // A value that is none of JSON, too.
    await store.put(["docs"], "k", { text: "secret", count: 2n ** 60n });
    const { tracer, ended } = langSmith();
    const graph = createGraph(async () => {
      await store.get(["docs"], "k");
      await store.search(["docs"], { query: "secret" });
      await store.put(["docs"], "other", {});
    });
    await graph.invoke({ messages: [] }, { callbacks: [tracer] });
    const reads = ended
      .filter(({ run_type }) => run_type === "retriever")
      .map(({ name, inputs, outputs }) => [name, inputs, outputs]);
    const document = { pageContent: "", metadata: { namespace: ["docs"], key: "k" } };
    expect(reads).toEqual([
      ["memory store", { query: "docs/k" }, { documents: [document] }],
      [
        "memory store",
        { query: "docs" },
        { documents: [{ ...document, metadata: { ...document.metadata, score: expect.any(Number) } }] },
      ],
    ]);
  });

  it("shows a read that fails, by its code", async () => {
    const store = openStore();
    const { tracer, ended } = langSmith();
    const graph = createGraph(() => store.search(["docs"], { limit: -1 }).catch(() => undefined));
    await graph.invoke({ messages: [] }, { callbacks: [tracer] });
    expect(ended.find(({ run_type }) => run_type === "retriever")?.error).toBe("TypeError");
  });
});

describe("the event memory_read", () => {
  it("tells who listens to a run of each read of connector and store, without texts", async () => {
    const store = openStore();
    await store.put(["docs"], "k", { text: "secret" });
    const node = new MemoryNode({ store, nodeId: "n" });
    await node.memory().write("/note", "secret");
    await node.memory().write("/other", "x".repeat(5000));
    const graph = createGraph(async (config) => {
      await store.get(["docs"], "k");
      await store.search(["docs"], { limit: -1 }).catch(() => undefined);
      await node.createConnector({ content: "full" }).inject([], config as RunnableConfig);
    });
    const events: unknown[] = [];
    for await (const { event, name, data } of graph.streamEvents({ messages: [] }, { version: "v2" })) {
      if (event === "on_custom_event") events.push([name, data]);
    }
    expect(events).toEqual([
      ["memory_read", { name: "memory store", place: "docs/k", count: 1 }],
      ["memory_read", { name: "memory store", place: "docs", error: "TypeError" }],
      [
        "memory_read",
        {
          name: "memory connector",
          place: "full",
          count: 1,
          shown: [{ path: "/note", startLine: 1, endLine: 1, score: null }],
          leftOut: [
            expect.objectContaining({ reason: "noLog", count: 1 }),
            expect.objectContaining({ reason: "room", path: "/other", count: 1 }),
          ],
        },
      ],
    ]);
    expect(JSON.stringify(events)).not.toContain("secret");
  });

  it("is told to nobody outside a run, and in a run that nobody listens to", async () => {
    const store = openStore();
    const heard: unknown[] = [];
    await createGraph(() => store.get(["docs"], "k")).invoke({ messages: [] });
    expect(await store.get(["docs"], "k")).toBeNull();
    const node = new MemoryNode({ store, nodeId: "n" });
    expect(
      await node
        .createConnector()
        .inject([], { callbacks: [{ handleCustomEvent: (name: string) => void heard.push(name) }] }),
    ).toHaveLength(1);
    expect(heard).toEqual([]);
  });
});
