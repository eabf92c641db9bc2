import { readFile } from "node:fs/promises";
import { describe, expect, it } from "@jest/globals";
import { InMemoryStore } from "@langchain/langgraph";
import { InMemoryTransport, type JSONRPCMessage } from "@modelcontextprotocol/client";
import { McpServer } from "@modelcontextprotocol/server";
import { type Memory, MemoryNode, openMemory } from "../../../src/index.js";
import { addMemoryTo, createMcpServer, type Dialect, type McpServerOptions } from "../../../src/mcp/index.js";
import { dialectsUnderTest, dialectNames } from "../../helpers/dialects-under-test.js";
import { HangingStore } from "../../helpers/hanging-store.js";
import { answerOf, connectInMemory } from "../../helpers/mcp-clients.js";

const memoryOfNode = (nodeId = "assistant"): Memory => openMemory(new InMemoryStore(), { nodeId });

const underTest = await dialectsUnderTest();

describe("the tools of an MCP server", () => {
  it("have a search where it is asked for", async () => {
    const memory = memoryOfNode();
    await memory.write("/a", "a zebra");
    const client = await connectInMemory(createMcpServer({ memory, dialects: [{ name: "claude", search: true }] }));
    const { tools } = await client.listTools();
    expect(tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint])).toEqual([
      ["memory", false],
      ["memory_search", true],
    ]);
    expect(await answerOf(client, { query: "zebras" }, "memory_search")).toContain("/memories/a, line 1:\na zebra");
  });

  it.each(underTest)("of the dialect %s are told with titles and hints", async (dialect, { hints }) => {
    const client = await connectInMemory(createMcpServer({ memory: memoryOfNode(), dialects: [dialect] }));
    const { tools } = await client.listTools();
    const expected = Object.entries(hints).map(
      ([name, { title, readOnly: readOnlyHint, destructive: destructiveHint }]) => ({
        name,
        title,
        annotations: {
          title,
          readOnlyHint,
          destructiveHint,
          openWorldHint: false,
          ...(readOnlyHint && { idempotentHint: true }),
        },
      }),
    );
    expect(tools.map(({ name, title, annotations }) => ({ name, title, annotations }))).toEqual(expected);
  });

  it("have the flat schemas of their dialect", async () => {
    const client = await connectInMemory(createMcpServer({ memory: memoryOfNode() }));
    const [tool] = (await client.listTools()).tools;
    expect(tool?.description).toContain("- append: ");
    expect(tool?.inputSchema).toEqual({
      type: "object",
      properties: {
        path: { type: "string", description: expect.any(String) },
        command: {
          type: "string",
          enum: ["read", "list", "append", "update", "delete"],
          description: expect.any(String),
        },
        content: { anyOf: [{ type: "string", description: expect.any(String) }, { type: "null" }] },
        oldContent: { anyOf: [{ type: "string", description: expect.any(String) }, { type: "null" }] },
        fromLine: { anyOf: [{ type: "integer", description: expect.any(String) }, { type: "null" }] },
      },
      required: ["path", "command", "content", "oldContent", "fromLine"],
      additionalProperties: false,
    });
  });

  it("answer in the dialect's words", async () => {
    const memory = memoryOfNode();
    const client = await connectInMemory(createMcpServer({ memory, dialects: ["claude", "journal"] }));
    expect(await answerOf(client, { command: "create", path: "/memories/a.md", file_text: "one" })).toBe(
      "File created successfully at: /memories/a.md",
    );
    expect(
      JSON.parse(await answerOf(client, { key: "color", content: "blue", target: "summary" }, "memory_write")),
    ).toMatchObject({
      success: true,
    });
    expect(await memory.read("/a.md")).toBe("one");
    expect(await memory.read("/MEMORY.md")).toContain("### color");
  });

  it("mark refusals as errors, and only those", async () => {
    const client = await connectInMemory(createMcpServer({ memory: memoryOfNode() }));
    const missing = await client.callTool({ name: "memory", arguments: { command: "read", path: "/none" } });
    expect(missing).toMatchObject({
      isError: true,
      content: [
        {
          type: "text",
          text: '{"command":"read","path":"/none","ok":false,"error":{"message":"ENOENT: file not found","code":"ENOENT"}}',
        },
      ],
    });
    const listed = await client.callTool({ name: "memory", arguments: { command: "list", path: "/" } });
    expect(listed.isError ?? false).toBe(false);
  });

  it("answer failures of the storage in the dialect's own form, without its words", async () => {
    const memory = () => {
      throw new Error("mongodb://user:secret@host");
    };
    const client = await connectInMemory(createMcpServer({ memory }));
    expect(await client.callTool({ name: "memory", arguments: { command: "list", path: "/" } })).toMatchObject({
      isError: true,
      content: [
        {
          text: '{"command":"list","path":"/","ok":false,"error":{"message":"EIO: the memory could not be opened","code":"EIO"}}',
        },
      ],
    });
  });

  it.each([["text"], [[1]], [7], [null], [true]])(
    "answer arguments that are no object (%j) in the dialect's own form",
    async (given) => {
      const answer = await answerTo(createMcpServer({ memory: memoryOfNode() }), { name: "memory", arguments: given });
      expect(answer).toMatchObject({
        result: { isError: true, content: [{ text: expect.stringContaining('"code":"EINVAL"') }] },
      });
    },
  );

  it.each([
    [{ name: "nope" }, "unknown tool: nope; this server has memory"],
    [{ name: 7 }, "unknown tool: number; this server has memory"],
    [undefined, "unknown tool: undefined; this server has memory"],
  ])("refuse a call of %j in one sentence", async (params, message) => {
    const answer = await answerTo(createMcpServer({ memory: memoryOfNode() }), params);
    expect(answer).toMatchObject({ error: { code: -32_602, message } });
  });

  it("work on the thread of the server, whatever a client says", async () => {
    const store = new InMemoryStore();
    const memory = ({ threadId = "" }: { threadId?: string | undefined }) =>
      openMemory(store, { nodeId: "n", scope: "perThread", threadId });
    const client = await connectInMemory(createMcpServer({ memory, threadId: "mine" }));
    const _meta = { thread_id: "theirs", configurable: { thread_id: "theirs" } };
    await client.callTool({ name: "memory", arguments: { command: "append", path: "/a", content: "x" }, _meta });
    expect(await memory({ threadId: "mine" }).read("/a")).toBe("x");
    expect(await answerOf(client, { command: "append", path: "/b", content: "x", threadId: "theirs" })).toContain(
      "unknown argument: threadId",
    );
    expect(await memory({ threadId: "theirs" }).list()).toEqual([]);
  });

  it.each([
    ["createMcpServer", (options: McpServerOptions) => createMcpServer(options)],
    [
      "addMemoryTo",
      (options: McpServerOptions) => {
        const server = new McpServer({ name: "own", version: "1" });
        addMemoryTo(server, options);
        return server;
      },
    ],
  ])("of %s work on the user of the server, whatever a client says", async (_name, serverOf) => {
    const memory = new MemoryNode({ nodeId: "n", scope: "perUser", store: new InMemoryStore() });
    const client = await connectInMemory(serverOf({ memory, userId: "mine" }));
    const _meta = {
      user_id: "theirs",
      configurable: { user_id: "theirs", langgraph_auth_user_id: "theirs" },
      context: { userId: "theirs" },
    };
    await client.callTool({ name: "memory", arguments: { command: "append", path: "/a", content: "x" }, _meta });
    expect(await memory.memory("mine").read("/a")).toBe("x");
    expect(await answerOf(client, { command: "append", path: "/b", content: "x", userId: "theirs" })).toMatch(
      /unknown argument: userId/,
    );
    expect(await memory.memory("theirs").list()).toEqual([]);
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual(["memory:///a"]);
    const nobody = await connectInMemory(serverOf({ memory }));
    expect(await answerOf(nobody, { command: "list", path: "/" })).toContain("user_id is required for perUser scope");
  });

  it("of a perThread memory without a thread answer what is missing", async () => {
    const memory = () => openMemory(new InMemoryStore(), { nodeId: "n", scope: "perThread", threadId: "" });
    const client = await connectInMemory(createMcpServer({ memory }));
    expect(await answerOf(client, { command: "list", path: "/" })).toContain(
      "thread_id is required for perThread scope",
    );
  });
});

describe("createMcpServer", () => {
  it("refuses two dialects with a tool of one name, naming both", () => {
    expect(() => createMcpServer({ memory: memoryOfNode(), dialects: ["unified", "claude"] })).toThrow(
      new TypeError(
        'the dialects unified and claude both have a tool called memory; leave one of them out, or give one another name: { name: "unified", toolName }',
      ),
    );
  });

  it("serves two such dialects where one of them has another name", async () => {
    const dialects: McpServerOptions["dialects"] = [{ name: "unified", toolName: "notes" }, "claude"];
    const client = await connectInMemory(createMcpServer({ memory: memoryOfNode(), dialects }));
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["notes", "memory"]);
  });

  it("can be read-only, and says so", async () => {
    const memory = memoryOfNode();
    const dialects: McpServerOptions["dialects"] = [{ name: "unified", commands: ["read", "list"] }];
    const client = await connectInMemory(createMcpServer({ memory, dialects }));
    expect((await client.listTools()).tools[0]?.annotations).toMatchObject({
      readOnlyHint: true,
      destructiveHint: false,
    });
    expect(await answerOf(client, { command: "append", path: "/a", content: "x" })).toContain("EACCES");
    expect(await memory.list()).toEqual([]);
  });

  it("takes the options of dialects", async () => {
    const memory = memoryOfNode();
    const clock = () => new Date("2026-01-02T03:04:05Z");
    const dialects: McpServerOptions["dialects"] = [
      { name: "claude", root: "/notes" },
      { name: "journal", root: "log", clock },
    ];
    const client = await connectInMemory(createMcpServer({ memory, dialects }));
    expect(await answerOf(client, { command: "create", path: "/notes/a", file_text: "x" })).toContain("/notes/a");
    expect(await answerOf(client, { key: "k", content: "x" }, "memory_write")).toContain("2026/01/02.md");
    expect(await memory.read("/a")).toBe("x");
    expect(await memory.read("/log/2026/01/02.md")).toContain("### k");
  });

  it.each([
    { name: "unified", commands: [] },
    { name: "unified", ifExists: "replace" },
    { name: "claude", root: "memories" },
    { name: "journal", clock: 7 },
  ])("refuses bad options of dialects: %j", (dialect) => {
    expect(() => createMcpServer({ memory: memoryOfNode(), dialects: [dialect as never] })).toThrow(TypeError);
  });

  it("serves a dialect made elsewhere", async () => {
    const dialect: Dialect = {
      name: "shout",
      tools: [
        {
          name: "shout",
          title: "Shout it",
          description: "Says it loud.",
          schema: { type: "object", properties: {}, required: [], additionalProperties: false },
          readOnly: true,
          destructive: false,
          answer: async (_args, open) => ({ text: (await (await open()).read("/a")).toUpperCase(), failed: false }),
          failure: () => ({ text: "silence", failed: true }),
        },
      ],
    };
    const memory = memoryOfNode();
    await memory.write("/a", "quiet");
    const client = await connectInMemory(createMcpServer({ memory, dialects: ["journal", dialect] }));
    expect((await client.listTools()).tools.map(({ title }) => title)).toContain("Shout it");
    expect(await answerOf(client, {}, "shout")).toBe("QUIET");
    await memory.delete("/a");
    expect(await answerOf(client, {}, "shout")).toBe("silence");
  });

  it.each([
    [
      { dialects: ["klingon"] },
      `dialects.0: must be one of ${dialectNames.join(", ")}, { name, ...options }, or a Dialect (given "klingon")`,
    ],
    [{ dialects: [] }, "dialects"],
    [{ threadId: "" }, "threadId"],
    [{ userId: 7 }, "userId"],
    [{ tread: "t" }, "tread"],
    [{ info: { name: "" } }, "info.name"],
    [{ info: { icon: "x" } }, "icon"],
  ])("refuses the options %j", (options, message) => {
    const create = () => createMcpServer({ memory: memoryOfNode(), ...(options as object) });
    expect(create).toThrow(TypeError);
    expect(create).toThrow(message);
  });

  it("refuses what is no memory", () => {
    expect(() => createMcpServer({ memory: {} as never })).toThrow("the memory of a tool must be a Memory");
  });

  it("tells its name, version and what it is for", async () => {
    const client = await connectInMemory(createMcpServer({ memory: memoryOfNode(), dialects: ["journal"] }));
    const { version } = JSON.parse(await readFile("package.json", "utf8")) as { version: string };
    expect(client.getServerVersion()).toEqual({ name: "langgraph-mongo-memory", title: "Memory", version });
    expect(client.getInstructions()).toContain("look with memory_write, memory_update, memory_read, memory_search");
    expect(client.getServerCapabilities()).toEqual({ tools: {}, resources: {} });
  });
});

describe("a memory in a server of one's own", () => {
  const kitchen = (): McpServer => {
    const server = new McpServer({ name: "kitchen", version: "1.2.3" });
    server.registerTool("season", {}, () => ({ content: [{ type: "text", text: "salted" }] }));
    return server;
  };

  it.each(dialectNames)(
    "has the tools of the dialect %s beside those of the server, as a server of ours tells them",
    async (dialect) => {
      const server = kitchen();
      addMemoryTo(server, { memory: memoryOfNode(), dialects: [dialect] });
      const client = await connectInMemory(server);
      const ours = await connectInMemory(createMcpServer({ memory: memoryOfNode(), dialects: [dialect] }));
      const [season, ...tools] = (await client.listTools()).tools;
      expect(season?.name).toBe("season");
      expect(tools).toEqual((await ours.listTools()).tools);
      expect(await answerOf(client, {}, "season")).toBe("salted");
    },
  );

  it("is changed by its tools, which answer bad arguments in the dialect's own form", async () => {
    const server = kitchen();
    const memory = memoryOfNode();
    addMemoryTo(server, { memory });
    const client = await connectInMemory(server);
    await answerOf(client, { command: "append", path: "/a", content: "x" });
    expect(await memory.read("/a")).toBe("x");
    const { isError } = await client.callTool({ name: "memory", arguments: { command: "fly", path: 7 } });
    expect(isError).toBe(true);
    expect(JSON.parse(await answerOf(client, { command: "fly", path: 7 }))).toMatchObject({
      ok: false,
      error: { code: "EINVAL" },
    });
  });

  it("has its files as resources", async () => {
    const server = kitchen();
    const memory = memoryOfNode();
    await memory.write("/notes/to do", "buy milk");
    addMemoryTo(server, { memory });
    const client = await connectInMemory(server);
    const uri = "memory:///notes/to%20do";
    expect((await client.listResources()).resources).toEqual([
      { uri, name: "/notes/to do", mimeType: "text/plain", size: 8 },
    ]);
    expect((await client.readResource({ uri })).contents).toEqual([{ uri, mimeType: "text/plain", text: "buy milk" }]);
    await expect(client.readResource({ uri: "memory:///missing" })).rejects.toThrow("ENOENT: file not found");
  });

  it("goes with another memory, whose files are no resources", async () => {
    const server = kitchen();
    const [notes, recipes] = [memoryOfNode("notes"), memoryOfNode("recipes")];
    addMemoryTo(server, { memory: notes });
    addMemoryTo(server, { memory: recipes, dialects: [{ name: "unified", toolName: "recipes" }], resources: false });
    const client = await connectInMemory(server);
    await answerOf(client, { command: "append", path: "/soup", content: "leek" }, "recipes");
    expect(await recipes.read("/soup")).toBe("leek");
    expect(await notes.list()).toEqual([]);
    expect((await client.listResources()).resources).toEqual([]);
  });

  it("is refused with bad options", () => {
    expect(() => addMemoryTo(kitchen(), { memory: memoryOfNode(), resources: "no" as never })).toThrow(
      "invalid AddMemoryOptions: resources",
    );
    expect(() => addMemoryTo(kitchen(), { memory: {} as never })).toThrow("the memory of a tool must be a Memory");
  });
});

it("a server calls itself as its options say", async () => {
  const client = await connectInMemory(
    createMcpServer({ memory: memoryOfNode(), info: { name: "notes", title: "Our notes", version: "7" } }),
  );
  expect(client.getServerVersion()).toEqual({ name: "notes", title: "Our notes", version: "7" });
  const named = await connectInMemory(createMcpServer({ memory: memoryOfNode(), info: { name: "notes" } }));
  expect(named.getServerVersion()).toMatchObject({ name: "notes", title: "Memory" });
});

/** The answer to a raw call, which the official client would not send. */
async function answerTo(server: McpServer, params: Record<string, unknown> | undefined): Promise<JSONRPCMessage> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await server.connect(theirs);
  const answer = new Promise<JSONRPCMessage>((resolve) => Object.assign(ours, { onmessage: resolve }));
  await ours.start();
  await ours.send({ jsonrpc: "2.0", id: 1, method: "tools/call", ...(params && { params }) });
  try {
    return await answer;
  } finally {
    await ours.close();
  }
}

it("a call that its client cancels ends, and changes nothing more", async () => {
  const store = new HangingStore();
  const memory = openMemory(store, { nodeId: "assistant" });
  const client = await connectInMemory(createMcpServer({ memory }));
  store.hang();
  const cancelled = new AbortController();
  const call = client.callTool(
    { name: "memory", arguments: { command: "append", path: "/a", content: "x" } },
    { signal: cancelled.signal },
  );
  while (store.asked === 0) await new Promise((resolve) => setImmediate(resolve));
  cancelled.abort("not needed");
  await expect(call).rejects.toThrow("not needed");
  store.goOn();
  expect(await memory.list()).toEqual([]);
  expect(store.asked).toBe(2);
});
