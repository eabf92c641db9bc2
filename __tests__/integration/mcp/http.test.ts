import { request as httpRequest } from "node:http";
import { describe, expect, it } from "@jest/globals";
import { type Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { type MemoryActor, type Memory, MongoMemoryStore } from "../../../src/index.js";
import { answerOf, connectTo, type Revision, revisions } from "../../helpers/mcp-clients.js";
import { serve } from "../../helpers/mcp-http-servers.js";
import { appendCall, initialize } from "../../helpers/mcp-messages.js";
import { jsonHeaders, send } from "../../helpers/raw-http.js";
import { testDatabase } from "../../helpers/test-database.js";

function connect(url: string, revision?: Revision, headers: Record<string, string> = {}): Promise<Client> {
  return connectTo(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }), revision);
}

const beginning = JSON.stringify(initialize);
const batchOf = (count: number): string =>
  JSON.stringify(Array.from({ length: count }, (_, id) => ({ ...appendCall, id })));
const listTools = JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/list" });

describe.each(revisions)("the memory over HTTP, for a %s client", (revision) => {
  it("has the tools of the dialect, answers their calls, and has the files as resources", async () => {
    const { url, memory } = await serve({ dialects: ["journal"] });
    const client = await connect(url, revision);
    expect((await client.listTools()).tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint])).toEqual([
      ["memory_write", false],
      ["memory_update", false],
      ["memory_read", true],
      ["memory_search", true],
    ]);
    expect(client.getServerCapabilities()?.resources).toEqual({});
    await answerOf(client, { key: "color", content: "blue", target: "summary" }, "memory_write");
    expect(await memory.read("/MEMORY.md")).toContain("### color");
    expect(await client.callTool({ name: "memory_read", arguments: { key: "none" } })).toMatchObject({ isError: true });
    const uri = "memory:///MEMORY.md";
    expect((await client.listResources()).resources).toContainEqual(expect.objectContaining({ uri }));
    expect((await client.readResource({ uri })).contents).toMatchObject([{ text: await memory.read("/MEMORY.md") }]);
    await expect(client.readResource({ uri: "memory:///none" })).rejects.toThrow("ENOENT: file not found");
  });

  it("refuses a message that is too long, and serves the next one", async () => {
    const { url, memory } = await serve({ maxBodyBytes: 10_000 });
    const client = await connect(url, revision);
    const tooLong = answerOf(client, { command: "append", path: "/a", content: "x".repeat(5_000_000) });
    await expect(tooLong).rejects.toThrow(/at most 10000 are accepted/);
    await answerOf(client, { command: "append", path: "/a", content: "x" });
    expect(await memory.read("/a")).toBe("x");
  });

  it("lets a client with the token in, on any address", async () => {
    const { url } = await serve({ host: "0.0.0.0", token: "secret", allowedHosts: ["127.0.0.1"] });
    const client = await connect(url.replace("0.0.0.0", "127.0.0.1"), revision, { Authorization: "Bearer secret" });
    expect((await client.listTools()).tools).toHaveLength(1);
  });
});

describe("the history of a memory that is served over HTTP", () => {
  const { name, client: mongo } = testDatabase();
  const store = new MongoMemoryStore({ client: mongo, dbName: name, history: true });

  async function actorsOf({ history }: Memory): Promise<MemoryActor[]> {
    const actors: MemoryActor[] = [];
    for await (const { actor } of history?.list() ?? []) actors.unshift(actor ?? {});
    return actors;
  }

  it("tells the client of revision 2026-07-28 by its name, and nothing of an earlier one, whatever they say", async () => {
    const memory = store.memory({ nodeId: "clients" });
    const { url } = await serve({ memory });
    for (const revision of revisions) {
      const client = await connect(url, revision);
      await answerOf(client, { command: "append", path: "/a", content: "x", actor: { threadId: "forged" } });
      await answerOf(client, { command: "append", path: "/a", content: "x" });
    }
    expect(await actorsOf(memory)).toEqual([{}, { client: "mcp test 1.0.0" }]);
  });

  it("tells the thread and the user that the server names", async () => {
    const memory = store.memory({ nodeId: "owned" });
    const { url } = await serve({ memory, threadId: "t", userId: "ada" });
    await answerOf(await connect(url, "modern"), { command: "append", path: "/a", content: "x" });
    expect(await actorsOf(memory)).toEqual([{ client: "mcp test 1.0.0", threadId: "t", userId: "ada" }]);
  });
});

describe("the memory over HTTP", () => {
  it("offers no subscriptions", async () => {
    const client = await connect((await serve()).url, "legacy");
    const subscribe = client.request({ method: "resources/subscribe", params: { uri: "memory:///a" } });
    await expect(subscribe).rejects.toMatchObject({ code: -32_601 });
  });

  it("makes the change of a client that has gone before its answer", async () => {
    const { url, memory } = await serve();
    const call = httpRequest(url, { method: "POST", headers: jsonHeaders });
    call.on("error", () => {});
    call.end(JSON.stringify(appendCall), () => setImmediate(() => call.destroy()));
    while ((await memory.outline()).files.length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(await memory.read("/a")).toBe("x");
    expect((await (await connect(url)).listTools()).tools).toHaveLength(1);
  });

  it("listens on 127.0.0.1 unless told otherwise", async () => {
    expect((await serve()).url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
  });

  it.each(["::1", "[::1]", "0:0:0:0:0:0:0:1"])("listens on IPv6 too (%s)", async (host) => {
    const { url } = await serve({ host });
    expect(url).toMatch(/^http:\/\/\[::1\]:\d+\/mcp$/);
    expect((await (await connect(url)).listTools()).tools).toHaveLength(1);
  });

  it("passes on what node says of a port in use", async () => {
    const { url } = await serve();
    await expect(serve({ port: Number(new URL(url).port) })).rejects.toMatchObject({ code: "EADDRINUSE" });
  });

  it("answers nobody any more when it is closed", async () => {
    const { url, server } = await serve();
    const client = await connect(url);
    await server.close();
    await expect(client.listTools()).rejects.toThrow("fetch failed");
  });
});

describe("the guard of the HTTP server", () => {
  const needsToken = (host: string): string =>
    `token: required to listen on ${host}; only loopback addresses (127.0.0.1) need none`;

  it.each<[options: object, message: string | RegExp]>([
    ...["0.0.0.0", "::", "192.0.2.1", "example.org"].map((host): [object, string] => [{ host }, needsToken(host)]),
    [{ token: "" }, "token: must not be empty; leave it out for a server on a loopback address that needs none"],
    [{ token: "pass word" }, /^invalid McpHttpOptions: token: must be printable ASCII characters without spaces$/],
    [{ allowedHosts: ["https://memory.example"] }, "allowedHosts.0: must be a host without scheme and port"],
    [{ allowedOrigins: ["app.example:80"] }, "allowedOrigins.0: must be a host without scheme and port"],
    [{ host: "http://127.0.0.1" }, "host: must be a host without scheme and port"],
    [{ port: 70_000 }, "port"],
    [{ maxBodyBytes: 0 }, "maxBodyBytes"],
    [{ port: 0, maxSessions: 5 }, 'unknown option "maxSessions"'],
  ])("refuses the options %j", async (options, message) => {
    await expect(serve(options)).rejects.toThrow(TypeError);
    await expect(serve(options)).rejects.toThrow(message);
  });

  it.each([
    [{}, "Bearer", "an Authorization header with the server's bearer token is required"],
    [{ Authorization: "Bearer wrong" }, 'Bearer error="invalid_token"', "the bearer token is not this server's"],
    [{ Authorization: "secret" }, 'Bearer error="invalid_token"', "the bearer token is not this server's"],
  ])("answers 401 to %j", async (headers, challenge, message) => {
    const { url } = await serve({ token: "secret" });
    const answer = await send(url, { headers, body: beginning });
    expect(answer.status).toBe(401);
    expect(answer.headers["www-authenticate"]).toBe(challenge);
    expect(JSON.parse(answer.text)).toEqual({ jsonrpc: "2.0", id: null, error: { code: -32_000, message } });
  });
});

describe("requests over HTTP that no client should send", () => {
  it.each([
    ["a body that is no JSON", { body: "{" }, 400, -32_700, "the body is not valid JSON"],
    ["a body that is no UTF-8", { body: Buffer.from([0x22, 0xff, 0x22]) }, 400, -32_700, "the body is not valid JSON"],
    ["no body", {}, 400, -32_700, "the body is not valid JSON"],
    [
      "another content type",
      { headers: { "Content-Type": "text/plain" }, body: beginning },
      415,
      -32_600,
      "Content-Type must be application/json",
    ],
    ["a body that is no message", { body: "7" }, 400, -32_600, "not a valid JSON-RPC message"],
    ["a body that is null", { body: "null" }, 400, -32_600, "not a valid JSON-RPC message"],
    ["an empty batch", { body: "[]" }, 400, -32_600, "empty JSON-RPC batch"],
    ["a batch of 101 calls", { body: batchOf(101) }, 400, -32_600, "must not exceed 100 messages"],
    [
      "a revision that never was",
      { headers: { "MCP-Protocol-Version": "1999-01-01" }, body: listTools },
      400,
      -32_000,
      "Unsupported protocol version: 1999-01-01",
    ],
    [
      "a revision that its body does not claim",
      { headers: { "MCP-Protocol-Version": "2026-07-28" }, body: listTools },
      400,
      -32_602,
      "missing the required per-request envelope",
    ],
    ["the request for a stream", { method: "GET" }, 405, -32_600, "method GET is not allowed; use POST"],
    ["the end of a session", { method: "DELETE" }, 405, -32_600, "method DELETE is not allowed; use POST"],
    ["another method", { method: "PUT", body: beginning }, 405, -32_600, "method PUT is not allowed; use POST"],
  ])("such as %s get one sentence", async (_name, request, status, code, message) => {
    const { url } = await serve();
    const answer = await send(url, request);
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.text)).toMatchObject({
      jsonrpc: "2.0",
      error: { code, message: expect.stringContaining(message) },
    });
    expect((await send(url, { body: beginning })).status).toBe(200);
  });

  it.each([
    ["another path", "/sse", beginning, 404, "the endpoint is /mcp"],
    ["one that is too long", "/mcp", `${beginning}${" ".repeat(2_000_000)}`, 413, "at most 1000 are accepted"],
  ])("such as %s get a status of their own", async (_name, path, body, status, message) => {
    const { url } = await serve({ maxBodyBytes: 1000 });
    const answer = await send(url.replace("/mcp", path), { body });
    expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(message)]);
  });
});

describe("a client of an earlier revision over HTTP", () => {
  it("needs no session, and is given none", async () => {
    const { url } = await serve();
    expect((await send(url, { body: beginning })).headers["mcp-session-id"]).toBeUndefined();
    const answer = await send(url, { headers: { "Mcp-Session-Id": "of an earlier release" }, body: listTools });
    expect([answer.status, answer.text.includes('"name":"memory"')]).toEqual([200, true]);
  });

  it.each([
    ["2024-11-05", "2024-11-05"],
    ["2025-03-26", "2025-03-26"],
    ["2025-06-18", "2025-06-18"],
    ["2025-11-25", "2025-11-25"],
    ["1999-01-01", "2025-11-25"],
    ["2026-07-28", "2025-11-25"],
    ["x", "2025-11-25"],
  ])("that begins with %s is spoken to in %s", async (protocolVersion, spoken) => {
    const { url } = await serve();
    const body = JSON.stringify({ ...initialize, params: { ...initialize.params, protocolVersion } });
    expect((await send(url, { body })).text).toContain(`"protocolVersion":"${spoken}"`);
    const listed = await send(url, { headers: { "MCP-Protocol-Version": spoken }, body: listTools });
    expect(listed.text).toContain('"name":"memory"');
  });

  it("may send a batch, and gets each answer", async () => {
    const { url, memory } = await serve();
    const { text } = await send(url, { body: batchOf(2) });
    expect(text.match(/"id":\d+/g)?.toSorted()).toEqual(['"id":0', '"id":1']);
    expect(await memory.read("/a")).toBe("x\nx");
  });
});
