import { afterEach, describe, expect, it } from "@jest/globals";
import { SpanKind, SpanStatusCode } from "@opentelemetry/api";
import { HumanMessage } from "@langchain/core/messages";
import { InMemoryStore, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { MongoClient } from "mongodb";
import { Agent, MemoryNode, mountMemories, MongoMemoryStore, openMemory } from "../../../src/index.js";
import { openDirectoryMemory } from "../../../src/backends/directory/index.js";
import { createMcpServer } from "../../../src/mcp/index.js";
import { answerOf, connectInMemory } from "../../helpers/mcp-clients.js";
import { cli } from "../../helpers/run-cli.js";
import { ScriptedChatModel } from "../../helpers/scripted-chat-model.js";
import { testDatabase } from "../../helpers/test-database.js";
import { folderWith, testFolder } from "../../helpers/test-folder.js";
import { anotherSdk, inOwnSpan, toldSpans, traced } from "../../helpers/traced.js";
import { useClient } from "../../helpers/use-client.js";

const spans = traced();
const folder = testFolder();
const variable = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT";

afterEach(() => {
  delete process.env[variable];
});

/** An agent that writes one note by its tool. */
function noteTaker(node: MemoryNode): Agent {
  const model = new ScriptedChatModel((messages) =>
    messages.at(-1)?.type === "human"
      ? { tool: "memory", args: { command: "append", path: "/note", content: "secret" } }
      : "done",
  );
  const agent = new Agent({ model, tools: node.memoryTools });
  agent.attachMemoryConnector(node.createConnector());
  return agent;
}

const getNames = (): string[] => toldSpans(spans()).map(({ name }) => name);

describe("spans", () => {
  it.each(["invoke", "stream"] as const)(
    "of the tool and the connector lie in the span around a run (%s)",
    async (how) => {
      const node = new MemoryNode({ store: new InMemoryStore(), nodeId: "a.b/c", scope: "perThread" });
      const agent = noteTaker(node);
      const config = { configurable: { thread_id: "t1" } };
      await inOwnSpan("request", async () => {
        if (how === "invoke") return agent.invoke({ messages: [new HumanMessage("go")] }, config);
        for await (const _chunk of await agent.stream({ messages: [new HumanMessage("go")] }, config)) continue;
        return undefined;
      });
      const place = { "gen_ai.memory.store.id": "memory/a%2Eb%2Fc/perThread/t1" };
      const shared = { "gen_ai.memory.store.id": "memory/a%2Eb%2Fc/global" };
      const search = { "gen_ai.operation.name": "search_memory", "gen_ai.conversation.id": "t1" };
      expect(toldSpans(spans())).toEqual([
        {
          name: "search_memory",
          parent: "request",
          attributes: { ...search, ...place, "gen_ai.memory.record.count": 0 },
        },
        {
          name: "search_memory",
          parent: "request",
          attributes: { ...search, ...shared, "gen_ai.memory.record.count": 0 },
        },
        {
          name: "upsert_memory",
          parent: "request",
          attributes: {
            ...place,
            "gen_ai.operation.name": "upsert_memory",
            "gen_ai.memory.record.id": "/note",
            "gen_ai.memory.record.count": 1,
            "gen_ai.conversation.id": "t1",
            "gen_ai.tool.call.id": expect.any(String),
          },
        },
        {
          name: "search_memory",
          parent: "request",
          attributes: { ...search, ...place, "gen_ai.memory.record.count": 1 },
        },
        { name: "request", parent: undefined, attributes: {} },
      ]);
      expect(
        spans()
          .slice(0, 4)
          .map(({ kind, instrumentationScope }) => [kind, instrumentationScope.name]),
      ).toEqual(Array.from({ length: 4 }, () => [SpanKind.INTERNAL, "langgraph-mongo-memory"]));
    },
  );

  it("lie in the span of the node that calls, also of two nodes at once", async () => {
    const store = new InMemoryStore();
    const memory = openMemory(store, { nodeId: "n" });
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("left", () => inOwnSpan("left", async () => void (await memory.write("/left", "x"))).then(() => ({})))
      .addNode("right", () =>
        inOwnSpan("right", async () => void (await memory.read("/none").catch(() => ""))).then(() => ({})),
      )
      .addEdge(START, "left")
      .addEdge(START, "right")
      .compile({ store });
    await graph.invoke({ messages: [] });
    const told = toldSpans(spans()).filter(({ parent }) => parent !== undefined);
    expect(Object.fromEntries(told.map(({ name, parent }) => [parent, name]))).toEqual({
      left: "upsert_memory",
      right: "search_memory",
    });
  });

  it("of calls that fail say why, by code, and hold no message", async () => {
    const memory = openMemory(new InMemoryStore(), { nodeId: "n" });
    const policed = new MemoryNode({
      store: new InMemoryStore(),
      nodeId: "n",
      rules: [{ path: "/kept/**", access: "read" }],
    }).memory();
    const aborted = memory.with({ signal: AbortSignal.abort() });
    const own = memory.with({ signal: AbortSignal.abort("a text") });
    const down = new MongoMemoryStore({
      client: useClient(new MongoClient("mongodb://127.0.0.1:1/", { serverSelectionTimeoutMS: 50 })),
    }).memory({ nodeId: "n" });
    const calls = [
      () => memory.read("/none"),
      () => memory.write("/../x", "x"),
      () => policed.write("/kept/a", "x"),
      () => aborted.read("/a"),
      () => own.read("/a"),
      () => down.read("/a"),
      () => memory.read(7 as unknown as string),
      () => memory.edit("/none", "no function" as unknown as (text: string) => string),
    ];
    for (const call of calls) await call().catch(() => undefined);
    expect(spans().map(({ attributes, status, events }) => [attributes["error.type"], status, events])).toEqual(
      ["ENOENT", "EINVAL", "EACCES", "AbortError", "_OTHER", "EIO", "EINVAL", "TypeError"].map((type) => [
        type,
        { code: SpanStatusCode.ERROR },
        [],
      ]),
    );
  });

  it("of a run that is aborted end with it", async () => {
    const abort = new AbortController();
    const store = new InMemoryStore();
    const node = new MemoryNode({
      store,
      nodeId: "n",
      guard: async () => {
        abort.abort(new Error("enough"));
        await new Promise(() => undefined);
      },
    });
    await expect(
      noteTaker(node).invoke({ messages: [new HumanMessage("go")] }, { signal: abort.signal }),
    ).rejects.toThrow("enough");
    expect(toldSpans(spans()).find(({ name }) => name === "upsert_memory")?.attributes["error.type"]).toBe("Error");
  });

  it("hold texts only if the variable of the convention says so", async () => {
    const memory = openMemory(new InMemoryStore(), { nodeId: "n" });
    const use = async (): Promise<void> => {
      await memory.write("/note", "a secret");
      await memory.read("/note");
      await memory.search("secret");
      await memory.grep({ regex: "sec" });
    };
    await use();
    process.env[variable] = "NO_CONTENT";
    await use();
    expect(JSON.stringify(spans().map(({ attributes }) => attributes))).not.toContain("sec");
    process.env[variable] = "true";
    await use();
    const [write, read, search, grep] = spans()
      .slice(-4)
      .map(({ attributes }) => attributes);
    const records = (attributes: typeof write) => JSON.parse(String(attributes?.["gen_ai.memory.records"])) as unknown;
    expect(records(write)).toEqual([{ id: "/note", content: "a secret", metadata: { command: "write" } }]);
    expect(records(read)).toEqual([{ id: "/note", content: "a secret" }]);
    expect(search?.["gen_ai.memory.query.text"]).toBe("secret");
    expect(records(search)).toEqual([
      { id: "/note", content: "a secret", score: expect.any(Number), metadata: { startLine: 1, endLine: 1 } },
    ]);
    expect(grep?.["gen_ai.memory.query.text"]).toBe('{"regex":"sec"}');
  });

  it("hold values that are none of JSON, and change no refusal of what cannot be told", async () => {
    process.env[variable] = "true";
    const { client, name } = testDatabase();
    const store = new MongoMemoryStore({ client, dbName: name });
    await store.put(["notes"], "count", { count: 2n ** 60n });
    expect((await store.get(["notes"], "count"))?.value).toEqual({ count: 2n ** 60n });
    const records = spans().map(({ attributes }) => attributes["gen_ai.memory.records"]);
    expect(records.slice(-2)).toEqual(
      Array.from({ length: 2 }, () => '[{"id":"count","content":{"count":"1152921504606846976"}}]'),
    );
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    const memory = openMemory(new InMemoryStore(), { nodeId: "n" });
    await expect(memory.search(circle as unknown as string)).rejects.toMatchObject({ code: "EINVAL" });
    await expect(memory.append(Object.create(null) as string, "x")).rejects.toMatchObject({ code: "EINVAL" });
  });

  it("lie around the spans of what a call calls", async () => {
    const memory = new MemoryNode({
      store: new InMemoryStore(),
      nodeId: "n",
      guard: () => inOwnSpan("guard", async () => undefined),
    }).memory();
    await memory.write("/a", "x");
    expect(toldSpans(spans()).find(({ name }) => name === "guard")?.parent).toBe("upsert_memory");
  });

  it("go to the SDK that the program has registered last", async () => {
    const memory = openMemory(new InMemoryStore(), { nodeId: "n" });
    await memory.list();
    const told = spans().length;
    const restore = anotherSdk();
    try {
      await memory.list();
      expect(spans()).toHaveLength(told);
    } finally {
      restore();
    }
    await memory.list();
    expect(spans()).toHaveLength(told + 1);
  });

  it("are called by the operations of the convention", async () => {
    const memory = openMemory(new InMemoryStore(), { nodeId: "n" });
    await memory.write("/a", "1");
    await memory.write("/b", "1", { ifExists: "fail" });
    await memory.write("/a", "2", { ifMissing: "fail" });
    await memory.append("/a", "3");
    await memory.update("/a", "3", "4");
    await memory.edit("/a", (text) => `${text}5`);
    await memory.rename("/a", "/c");
    await memory.delete("/c");
    await Promise.all([
      memory.read("/b"),
      memory.list(),
      memory.stat("/b"),
      memory.snapshot(),
      memory.outline(),
      memory.search("x"),
      memory.grep("1"),
    ]);
    expect(getNames()).toEqual([
      "upsert_memory",
      "create_memory",
      "update_memory",
      "upsert_memory",
      "update_memory",
      "update_memory",
      "update_memory",
      "delete_memory",
      ...Array.from({ length: 7 }, () => "search_memory"),
    ]);
  });

  it("come from each memory of a tree, by its own paths", async () => {
    const [own, team] = ["own", "team"].map((nodeId) => openMemory(new InMemoryStore(), { nodeId }));
    if (own === undefined || team === undefined) throw new Error("unreachable");
    const tree = mountMemories({ "/": own, "/team": team });
    await tree.write("/team/note", "x");
    await tree.snapshot();
    expect(
      spans().map(({ attributes }) => [attributes["gen_ai.memory.store.id"], attributes["gen_ai.memory.record.id"]]),
    ).toEqual([
      ["memory/team/global", "/note"],
      ["memory/own/global", undefined],
      ["memory/team/global", undefined],
    ]);
  });

  it("come from MCP clients and from the command line", async () => {
    const dir = folderWith(folder);
    const client = await connectInMemory(createMcpServer({ memory: openDirectoryMemory({ dir }) }));
    await answerOf(client, { command: "append", path: "/note", content: "x" });
    expect((await cli(["cat", "--dir", dir, "/note"])).exitCode).toBe(0);
    expect(spans().map(({ name, attributes }) => [name, attributes["gen_ai.memory.record.id"]])).toEqual([
      ["upsert_memory", "/note"],
      ["search_memory", "/note"],
    ]);
  });

  it("come from the store's own methods, and tell the server", async () => {
    const { client, name, uri } = testDatabase();
    const store = new MongoMemoryStore({ client, dbName: name, history: true });
    await store.put(["docs", "a"], "k", { text: "x" });
    await store.get(["docs", "a"], "k");
    await store.search(["docs"], { query: "x" });
    await store.listNamespaces({ prefix: ["docs"] });
    await store.delete(["docs", "a"], "k");
    await store.batch([
      { namespace: ["docs"], key: "1", value: { n: 1 } },
      { namespace: ["docs"], key: "2", value: null },
    ]);
    const memory = store.memory({ nodeId: "n", scope: "perUser", userId: "u" });
    await memory.write("/a", "x");
    for await (const _version of memory.history?.list() ?? []) continue;
    for await (const _memory of store.listMemories({ userId: "u" })) continue;
    await store.forget({ userId: "u" });
    await store.forget({ nodeId: "n" });
    const told = spans().map(({ name: operation, attributes }) => [
      operation,
      attributes["gen_ai.memory.store.id"],
      attributes["gen_ai.memory.record.id"],
      attributes["gen_ai.memory.record.count"],
    ]);
    expect(told).toEqual([
      ["upsert_memory", "docs/a", "k", 1],
      ["search_memory", "docs/a", "k", 1],
      ["search_memory", "docs", undefined, 1],
      ["search_memory", undefined, undefined, 1],
      ["delete_memory", "docs/a", "k", 1],
      ["upsert_memory", undefined, undefined, 2],
      ["upsert_memory", "memory/n/perUser/u", "/a", 1],
      ["search_memory", "memory/n/perUser/u", undefined, undefined],
      ["search_memory", undefined, undefined, 1],
      ["delete_memory_store", undefined, undefined, 1],
      ["delete_memory_store", "memory/n/global", undefined, 0],
    ]);
    const { hostname, port } = new URL(uri);
    for (const { kind, attributes } of spans()) {
      expect([kind, attributes["server.address"], attributes["server.port"]]).toEqual([
        SpanKind.CLIENT,
        hostname,
        Number(port),
      ]);
    }
  });
});
