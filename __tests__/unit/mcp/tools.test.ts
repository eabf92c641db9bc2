import { readFile, writeFile } from "node:fs/promises";
import { describe, expect, it } from "@jest/globals";
import { InMemoryStore } from "@langchain/langgraph";
import { type Client, InMemoryTransport, type JSONRPCMessage } from "@modelcontextprotocol/client";
import { McpServer } from "@modelcontextprotocol/server";
import { join, resolve } from "node:path";
import { tool } from "@langchain/core/tools";
import { type Memory, MemoryNode, openMemory } from "../../../src/index.js";
import { addMemoryTo, createMcpServer, type McpServerOptions, type Dialect } from "../../../src/mcp/index.js";
import { dialectsUnderTest, dialectNames } from "../../helpers/dialects-under-test.js";
import { HangingStore } from "../../helpers/hanging-store.js";
import { answerOf, connectInMemory } from "../../helpers/mcp-clients.js";
import { type ServerBounds, serverBounds } from "../../../src/mcp/bounds.js";
import { MemoryService } from "../../../src/mcp/memory-service.js";
import { parseMcpOptions } from "../../../src/mcp/options.js";
import { parseUri, toUri } from "../../../src/mcp/resources.js";
import { createServerFor } from "../../../src/mcp/server.js";
import fc from "../../helpers/fast-check.js";
import { pageAt, programsOf } from "../../helpers/documentation.js";
import { testFolder } from "../../helpers/test-folder.js";

const underTest = await dialectsUnderTest();
const memoryOfNode = (nodeId = "assistant"): Memory => openMemory(new InMemoryStore(), { nodeId });
const connect = (options: Partial<McpServerOptions> = {}): Promise<Client> =>
  connectInMemory(createMcpServer({ memory: memoryOfNode(), ...options }));
const append = (path: string, others: object = {}) => ({ command: "append", path, content: "x", ...others });

/** A refusal of bad arguments in the unified dialect's own form. */
const inEnvelope = { isError: true, content: [{ text: expect.stringContaining('"code":"EINVAL"') }] };

const kitchen = (): McpServer => {
  const server = new McpServer({ name: "kitchen", version: "1.2.3" });
  server.registerTool("season", {}, () => ({ content: [{ type: "text", text: "salted" }] }));
  return server;
};

describe("the tools of an MCP server", () => {
  it.each(underTest)("of the dialect %s are told with titles and hints", async (dialect, { hints }) => {
    const { tools } = await (await connect({ dialects: [dialect] })).listTools();
    const expected = Object.entries(hints).map(([name, { title, readOnly, destructive: destructiveHint }]) => ({
      name,
      title,
      annotations: {
        title,
        readOnlyHint: readOnly,
        destructiveHint,
        openWorldHint: false,
        ...(readOnly && { idempotentHint: true }),
      },
    }));
    expect(tools.map(({ name, title, annotations }) => ({ name, title, annotations }))).toEqual(expected);
  });

  it.each(dialectNames)("of the dialect %s stand beside those of a server of one's own, too", async (dialect) => {
    const server = kitchen();
    addMemoryTo(server, { memory: memoryOfNode(), dialects: [dialect] });
    const client = await connectInMemory(server);
    const [season, ...tools] = (await client.listTools()).tools;
    expect(season?.name).toBe("season");
    expect(tools).toEqual((await (await connect({ dialects: [dialect] })).listTools()).tools);
    expect(await answerOf(client, {}, "season")).toBe("salted");
  });

  it("have a search where it is asked for", async () => {
    const memory = memoryOfNode();
    await memory.write("/a", "a zebra");
    const client = await connect({ memory, dialects: [{ name: "claude", search: true }] });
    const { tools } = await client.listTools();
    expect(tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint])).toEqual([
      ["memory", false],
      ["memory_search", true],
    ]);
    expect(await answerOf(client, { query: "zebras" }, "memory_search")).toContain("/memories/a, line 1:\na zebra");
  });

  it("mark refusals as errors, and only those", async () => {
    const client = await connect();
    const call = (command: string, path: string) => client.callTool({ name: "memory", arguments: { command, path } });
    const text =
      '{"command":"read","path":"/none","ok":false,"error":{"message":"ENOENT: file not found","code":"ENOENT"}}';
    expect(await call("read", "/none")).toMatchObject({ isError: true, content: [{ type: "text", text }] });
    expect((await call("list", "/")).isError ?? false).toBe(false);
  });

  it("answer failures of the storage in the dialect's own form, without its words", async () => {
    const client = await connect({
      memory: () => {
        throw new Error("mongodb://user:secret@host");
      },
    });
    expect(await client.callTool({ name: "memory", arguments: { command: "list", path: "/" } })).toMatchObject({
      isError: true,
      content: [
        {
          text: '{"command":"list","path":"/","ok":false,"error":{"message":"EIO: the memory could not be opened","code":"EIO"}}',
        },
      ],
    });
  });

  it.each([
    [{ name: "memory", arguments: "text" }, { result: inEnvelope }],
    [{ name: "memory", arguments: [1] }, { result: inEnvelope }],
    [{ name: "memory", arguments: null }, { result: inEnvelope }],
    [{ name: "nope" }, { error: { code: -32_602, message: "unknown tool: nope; this server has memory" } }],
    [{ name: 7 }, { error: { code: -32_602, message: "unknown tool: number; this server has memory" } }],
    [undefined, { error: { code: -32_602, message: "unknown tool: undefined; this server has memory" } }],
  ])("answer what the official client would not send, %j", async (params, answer) => {
    expect(await answerTo(createMcpServer({ memory: memoryOfNode() }), params)).toMatchObject(answer);
  });

  it.each<[scope: "perThread" | "perUser", id: object, serverOf: (options: McpServerOptions) => McpServer]>([
    ["perThread", { threadId: "mine" }, createMcpServer],
    ["perUser", { userId: "mine" }, createMcpServer],
    [
      "perUser",
      { userId: "mine" },
      (options) => {
        const server = kitchen();
        addMemoryTo(server, options);
        return server;
      },
    ],
  ])("work on the %s memory that the server names by %j, whatever a client says", async (scope, id, serverOf) => {
    const memory = new MemoryNode({ nodeId: "n", scope, store: new InMemoryStore() });
    const client = await connectInMemory(serverOf({ memory, ...id }));
    const ids = { user_id: "theirs", thread_id: "theirs", langgraph_auth_user_id: "theirs" };
    const _meta = { ...ids, configurable: ids, context: { userId: "theirs" } };
    await client.callTool({ name: "memory", arguments: append("/a"), _meta });
    for (const name of ["threadId", "userId"])
      expect(await answerOf(client, append("/b", { [name]: "theirs" }))).toContain(`unknown argument: ${name}`);
    expect(await memory.memory("mine").read("/a")).toBe("x");
    expect(await memory.memory("theirs").list()).toEqual([]);
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual(["memory:///a"]);
    const nobody = await connectInMemory(serverOf({ memory }));
    expect(await answerOf(nobody, { command: "list", path: "/" })).toContain(`_id is required for ${scope} scope`);
  });

  it("end a call that its client cancels, and change nothing more", async () => {
    const store = new HangingStore();
    const memory = openMemory(store, { nodeId: "assistant" });
    const client = await connect({ memory });
    store.hang();
    const cancelled = new AbortController();
    const call = client.callTool({ name: "memory", arguments: append("/a") }, { signal: cancelled.signal });
    while (store.asked === 0) await new Promise((done) => setImmediate(done));
    cancelled.abort("not needed");
    await expect(call).rejects.toThrow("not needed");
    store.goOn();
    expect(await memory.list()).toEqual([]);
    expect(store.asked).toBe(2);
  });
});

describe("createMcpServer", () => {
  it("serves two dialects with a tool of one name where one of them has another name", async () => {
    const client = await connect({ dialects: [{ name: "unified", toolName: "notes" }, "claude"] });
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["notes", "memory"]);
  });

  it("can be read-only, and says so", async () => {
    const memory = memoryOfNode();
    const client = await connect({ memory, dialects: [{ name: "unified", commands: ["read", "list"] }] });
    const { annotations } = (await client.listTools()).tools[0] ?? {};
    expect(annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false });
    expect(await answerOf(client, append("/a"))).toContain("EACCES");
    expect(await memory.list()).toEqual([]);
  });

  it("takes the options of dialects", async () => {
    const memory = memoryOfNode();
    const clock = () => new Date("2026-01-02T03:04:05Z");
    const dialects: McpServerOptions["dialects"] = [
      { name: "claude", root: "/notes" },
      { name: "journal", root: "log", clock },
    ];
    const client = await connect({ memory, dialects });
    await answerOf(client, { command: "create", path: "/notes/a", file_text: "x" });
    await answerOf(client, { key: "k", content: "x" }, "memory_write");
    expect(await memory.read("/a")).toBe("x");
    expect(await memory.read("/log/2026/01/02.md")).toContain("### k");
  });

  it.each<[options: object, message: string]>([
    [
      { dialects: ["unified", "claude"] },
      'the dialects unified and claude both have a tool called memory; leave one of them out, or give one another name: { name: "unified", toolName }',
    ],
    [
      { dialects: ["klingon"] },
      `dialects.0: must be one of ${dialectNames.join(", ")}, { name, ...options }, or a Dialect (given "klingon")`,
    ],
    [{ dialects: [] }, "dialects"],
    [{ dialects: [{ name: "unified", commands: [] }] }, "commands"],
    [{ dialects: [{ name: "unified", ifExists: "replace" }] }, "ifExists"],
    [{ dialects: [{ name: "claude", root: "memories" }] }, "root"],
    [{ dialects: [{ name: "journal", clock: 7 }] }, "clock"],
    [{ threadId: "" }, "threadId"],
    [{ userId: 7 }, "userId"],
    [{ tread: "t" }, "tread"],
    [{ info: { name: "" } }, "info.name"],
    [{ info: { icon: "x" } }, "icon"],
    [{ memory: {} }, "the memory of a tool must be a Memory"],
  ])("refuses the options %j", (options, message) => {
    const create = () => createMcpServer({ memory: memoryOfNode(), ...options });
    expect(create).toThrow(TypeError);
    expect(create).toThrow(message);
  });

  it("tells its name, version and what it is for, or what its options say", async () => {
    const client = await connect({ dialects: ["journal"] });
    const { version } = JSON.parse(await readFile("package.json", "utf8")) as { version: string };
    expect(client.getServerVersion()).toEqual({ name: "langgraph-mongo-memory", title: "Memory", version });
    expect(client.getInstructions()).toContain("look with memory_write, memory_update, memory_read, memory_search");
    expect(client.getServerCapabilities()).toEqual({ tools: {}, resources: {} });
    const info = { name: "notes", title: "Our notes", version: "7" };
    expect((await connect({ info })).getServerVersion()).toEqual(info);
    const named = await connect({ info: { name: "notes" } });
    expect(named.getServerVersion()).toMatchObject({ name: "notes", title: "Memory" });
  });
});

describe("a memory in a server of one's own", () => {
  it("has its files as resources", async () => {
    const server = kitchen();
    const memory = memoryOfNode();
    await memory.write("/notes/to do", "buy milk");
    addMemoryTo(server, { memory });
    const client = await connectInMemory(server);
    const uri = "memory:///notes/to%20do";
    const mimeType = "text/plain";
    expect((await client.listResources()).resources).toEqual([{ uri, name: "/notes/to do", mimeType, size: 8 }]);
    expect((await client.readResource({ uri })).contents).toEqual([{ uri, mimeType, text: "buy milk" }]);
    await expect(client.readResource({ uri: "memory:///missing" })).rejects.toThrow("ENOENT: file not found");
  });

  it("goes with another memory, whose files are no resources", async () => {
    const server = kitchen();
    const [notes, recipes] = [memoryOfNode("notes"), memoryOfNode("recipes")];
    addMemoryTo(server, { memory: notes });
    addMemoryTo(server, { memory: recipes, dialects: [{ name: "unified", toolName: "recipes" }], resources: false });
    const client = await connectInMemory(server);
    await answerOf(client, append("/soup"), "recipes");
    expect(await recipes.read("/soup")).toBe("x");
    expect(await notes.list()).toEqual([]);
    expect((await client.listResources()).resources).toEqual([]);
  });

  it.each([
    [{ resources: "no" }, "invalid AddMemoryOptions: resources"],
    [{ memory: {} }, "the memory of a tool must be a Memory"],
  ])("is refused with the options %j", (options, message) => {
    expect(() => addMemoryTo(kitchen(), { memory: memoryOfNode(), ...options } as never)).toThrow(message);
  });
});

/** The answer to a raw call, which the official client would not send. */
async function answerTo(server: McpServer, params: object | undefined): Promise<JSONRPCMessage> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await server.connect(theirs);
  const answer = new Promise<JSONRPCMessage>((onmessage) => Object.assign(ours, { onmessage }));
  await ours.start();
  await ours.send({ jsonrpc: "2.0", id: 1, method: "tools/call", ...(params && { params: { ...params } }) });
  try {
    return await answer;
  } finally {
    await ours.close();
  }
}

const freshMemory = (): Memory => openMemory(new InMemoryStore(), { nodeId: "assistant" });

async function connectTo(memory: Memory, bounds: Partial<ServerBounds> = {}): Promise<Client> {
  const settings = parseMcpOptions("McpServerOptions", { memory });
  const service = new MemoryService(settings, { ...serverBounds, ...bounds });
  return connectInMemory(createServerFor(service));
}

describe("the resources of an MCP server", () => {
  it("are the files of the memory, with their sizes and types, and are read by their URIs", async () => {
    const memory = freshMemory();
    await memory.write("/notes/to do?.md", "grüße");
    await memory.write("/a", "x");
    const client = await connectTo(memory);
    const uri = "memory:///notes/to%20do%3F.md";
    const mimeType = "text/markdown";
    expect((await client.listResources()).resources).toEqual([
      { uri: "memory:///a", name: "/a", mimeType: "text/plain", size: 1 },
      { uri, name: "/notes/to do?.md", mimeType, size: 7 },
    ]);
    expect((await client.readResource({ uri })).contents).toEqual([{ uri, mimeType, text: "grüße" }]);
  });

  it("are told in pages, which neither repeat nor skip what stays while others come and go", async () => {
    const memory = freshMemory();
    for (const name of ["b", "d", "f", "h", "j"]) await memory.write(`/${name}`, name);
    const client = await connectTo(memory, { pageSize: 2 });
    const page = async (cursor?: string) => {
      const { resources, nextCursor } = await client.request({
        method: "resources/list",
        params: cursor === undefined ? {} : { cursor },
      });
      return { names: resources.map(({ name }) => name), nextCursor };
    };
    const first = await page();
    expect(first.names).toEqual(["/b", "/d"]);
    // The file that the cursor names goes; one comes before it, and one after.
    await memory.delete("/d");
    await memory.write("/a", "a");
    await memory.write("/e", "e");
    const second = await page(first.nextCursor);
    expect(second.names).toEqual(["/e", "/f"]);
    const third = await page(second.nextCursor);
    expect(third).toEqual({ names: ["/h", "/j"], nextCursor: undefined });
  });

  it("of an empty memory are none but a template", async () => {
    const client = await connectTo(freshMemory());
    expect((await client.listResources()).resources).toEqual([]);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(["memory:///{+path}"]);
  });

  it.each([
    ["memory:///none", "ENOENT: file not found: memory:///none"],
    ["memory:///dir", "EISDIR: path is a directory"],
    ["memory:///", "path is"],
    ["memory:///a/../b", "invalid uri: memory:///a/../b;"],
    ["memory:///%2e%2e/b", "invalid uri"],
    ["memory:///%E0%A4%A", "invalid uri"],
    ["memory:///a%00", "invalid uri"],
    ["memory://host/a", "invalid uri"],
    ["file:///etc/passwd", "invalid uri"],
    [`memory:///${"/".repeat(10_000)}a`, "invalid uri"],
  ])("refuse to read %s in one sentence", async (uri, message) => {
    const memory = freshMemory();
    await memory.write("/dir/a", "x");
    const refusal = { code: -32_602, message: expect.stringContaining(message) };
    await expect((await connectTo(memory)).readResource({ uri })).rejects.toMatchObject(refusal);
  });

  it.each(["nonsense!", "", Buffer.from("a").toString("base64url")])("refuse the cursor %j", async (cursor) => {
    const client = await connectTo(freshMemory());
    await expect(client.request({ method: "resources/list", params: { cursor } })).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining("invalid cursor"),
    });
  });

  it("tell failures of the storage without its words", async () => {
    const memory = () => {
      throw new Error("mongodb://user:secret@host");
    };
    const client = await connectInMemory(createMcpServer({ memory }));
    const failure = { code: -32_603, message: "the memory could not be opened" };
    await expect(client.listResources()).rejects.toMatchObject(failure);
    await expect(client.readResource({ uri: "memory:///a" })).rejects.toMatchObject(failure);
  });
});

describe("URIs of files", () => {
  const segment = fc
    .string({ unit: "grapheme", minLength: 1, maxLength: 20 })
    .map((text) => text.normalize("NFC").replaceAll(/[/\\\p{Cc}]/gu, "_"))
    .filter((text) => !/[.%]|\.\./u.test(text.normalize("NFKC")) && text !== "");

  it("name each path, and no other", () => {
    fc.assert(
      fc.property(fc.array(segment, { minLength: 1, maxLength: 4 }), (segments) => {
        const path = `/${segments.join("/")}`;
        const uri = toUri(path);
        expect(parseUri(uri)).toBe(path);
        expect(new URL(uri).href).toBe(uri);
      }),
    );
  });
});

const folder = testFolder();

/** The program of docs/writing-a-dialect.md itself, so that page and test cannot differ. */
async function dialectOfPage(): Promise<Dialect> {
  const [program = ""] = programsOf(pageAt("docs/writing-a-dialect.md").text);
  const file = join(folder, "facts-dialect.ts");
  await writeFile(file, program.replaceAll('"langgraph-mongo-memory"', JSON.stringify(resolve("src/index.ts"))));
  const { factsDialect } = (await import(file)) as { factsDialect: Dialect };
  return factsDialect;
}

it("the dialect of docs/writing-a-dialect.md works over MCP, and as tools of LangChain", async () => {
  const memory = openMemory(new InMemoryStore(), { nodeId: "assistant" });
  const dialect = await dialectOfPage();
  const client = await connectInMemory(createMcpServer({ memory, dialects: [dialect] }));
  const facts = ["Ada is vegetarian.", "Ada lives in Rome."];
  await Promise.all(facts.map((fact) => answerOf(client, { subject: "ada", fact }, "remember")));
  expect((await answerOf(client, { subject: "ada" }, "recall")).split("\n").toSorted()).toEqual(facts);
  expect(await answerOf(client, { subject: "bob" }, "recall")).toBe("I know nothing about that.");
  expect(await answerOf(client, { subject: 7 }, "recall")).toBe("That did not work: EINVAL: subject is required");
  expect(await answerOf(client, { subject: "a ", fact: "x" }, "remember")).toMatch(/^That did not work: /);
  const [remember] = dialect.tools.map(({ name, description, schema, answer }) =>
    tool(async (args) => (await answer(args, async () => memory)).text, {
      name,
      description: typeof description === "function" ? description(memory.paths) : description,
      schema,
    }),
  );
  expect(await remember?.invoke({ subject: "eve", fact: "Eve is vegetarian." })).toBe("Kept.");
  expect(await memory.read("/facts/eve")).toBe("Eve is vegetarian.");
});
