import { describe, expect, it } from "@jest/globals";
import { type Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { MemoryActor } from "../../../src/core/values/actor.js";
import type { Memory } from "../../../src/core/memory.js";
import { MongoMemoryStore } from "../../../src/mongodb/store/mongo-memory-store.js";
import { answerOf, connectTo, HeardChanges, type Revision, revisions } from "../../helpers/mcp-clients.js";
import { serve } from "../../helpers/mcp-http-servers.js";
import { initialize } from "../../helpers/mcp-messages.js";
import { openStream, send } from "../../helpers/raw-http.js";
import { testDatabase } from "../../helpers/test-database.js";

function mongoMemory(): Memory {
  const { name, client } = testDatabase();
  return new MongoMemoryStore({ client, dbName: name }).memory({ nodeId: "n" });
}

function connect(url: string, revision?: Revision, headers: Record<string, string> = {}): Promise<Client> {
  return connectTo(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }), revision);
}

const beginning = JSON.stringify(initialize);
const listTools = JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/list" });

/** A new session. Where others have to end first, the server says 503 until then. */
async function beginSession(url: string): Promise<string> {
  let answer = await send(url, { body: beginning });
  while (answer.status === 503) answer = await send(url, { body: beginning });
  return String(answer.headers["mcp-session-id"]);
}

describe.each(revisions)("the memory over HTTP, for a %s client", (revision) => {
  // Requirement: mcp.http
  it("has the tools of the dialect and answers their calls", async () => {
    const { url, memory } = await serve({ dialects: ["journal"] });
    const client = await connect(url, revision);
    expect((await client.listTools()).tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint])).toEqual([
      ["memory_write", false],
      ["memory_update", false],
      ["memory_read", true],
      ["memory_search", true],
    ]);
    expect(await answerOf(client, { key: "color", content: "blue", target: "summary" }, "memory_write")).toContain(
      '"success":true',
    );
    expect(await memory.read("/MEMORY.md")).toContain("### color");
    expect(await client.callTool({ name: "memory_read", arguments: { key: "none" } })).toMatchObject({ isError: true });
  });

  // Requirement: mcp.http
  it("has the files as resources", async () => {
    const { url, memory } = await serve();
    await memory.write("/notes/today", "text");
    const client = await connect(url, revision);
    expect((await client.listResources()).resources).toMatchObject([{ uri: "memory:///notes/today", size: 4 }]);
    expect((await client.readResource({ uri: "memory:///notes/today" })).contents).toMatchObject([{ text: "text" }]);
    await expect(client.readResource({ uri: "memory:///none" })).rejects.toMatchObject({
      message: expect.stringContaining("ENOENT: file not found"),
    });
  });

  it("tells each of two clients of changes of the other and of others", async () => {
    const memory = mongoMemory();
    const { url } = await serve({ memory }, { watchIntervalMs: 20 });
    const [client, other] = [await connect(url, revision), await connect(url, revision)];
    const changes = new HeardChanges(client);
    if (revision === "legacy") await client.subscribeResource({ uri: "memory:///a" });
    else await client.listen({ resourcesListChanged: true, resourceSubscriptions: ["memory:///a"] });
    await answerOf(other, { command: "append", path: "/a", content: "one" });
    expect(await changes.next(2)).toEqual(["list", "memory:///a"]);
    await memory.update("/a", "one", "two");
    expect(await changes.next(1)).toEqual(["memory:///a"]);
  });

  it("refuses a message that is too long, and serves the next one", async () => {
    const { url, memory } = await serve({ maxBodyBytes: 10_000 });
    const client = await connect(url, revision);
    await expect(answerOf(client, { command: "append", path: "/a", content: "x".repeat(5_000_000) })).rejects.toThrow(
      /at most 10000 are accepted/,
    );
    expect(await answerOf(client, { command: "append", path: "/a", content: "x" })).toContain('"ok":true');
    expect(await memory.read("/a")).toBe("x");
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

  // Requirement: history.actor
  it("tells the client and its session, by an id that opens no session", async () => {
    const memory = store.memory({ nodeId: "sessions" });
    const { url } = await serve({ memory });
    const transport = new StreamableHTTPClientTransport(new URL(url));
    const [one, other, modern] = [
      await connectTo(transport, "legacy"),
      await connect(url, "legacy"),
      await connect(url, "modern"),
    ];
    for (const client of [one, one, other, modern])
      await answerOf(client, { command: "append", path: "/a", content: "x", actor: { threadId: "forged" } });
    for (const client of [one, one, other, modern])
      await answerOf(client, { command: "append", path: "/a", content: "x" });
    const actors = await actorsOf(memory);
    const client = "test 1.0.0";
    const [first] = actors;
    expect(actors).toEqual([
      { client, threadId: expect.any(String) },
      first,
      { client, threadId: expect.any(String) },
      { client },
    ]);
    expect(new Set(actors.map(({ threadId }) => threadId)).size).toBe(3);
    expect(actors.map(({ threadId }) => threadId)).not.toContain(transport.sessionId);
  });

  // Requirement: history.actor
  it("tells the thread and the user that the server names, whatever the session", async () => {
    const memory = store.memory({ nodeId: "owned" });
    const { url } = await serve({ memory, threadId: "t", userId: "ada" });
    await answerOf(await connect(url, "legacy"), { command: "append", path: "/a", content: "x" });
    expect(await actorsOf(memory)).toEqual([{ client: "test 1.0.0", threadId: "t", userId: "ada" }]);
  });
});

describe("the memory over HTTP", () => {
  // Requirement: mcp.parallel-appends
  it("keeps every append of two clients at once", async () => {
    const memory = mongoMemory();
    const { url } = await serve({ memory });
    const clients = [await connect(url), await connect(url, "modern")];
    const appends = clients.flatMap((client, number) =>
      Array.from({ length: 50 }, (_, index) =>
        answerOf(client, { command: "append", path: "/log", content: `${number}:${index}` }),
      ),
    );
    expect((await Promise.all(appends)).every((answer) => answer.includes('"ok":true'))).toBe(true);
    const lines = (await memory.read("/log")).split("\n");
    expect(lines).toHaveLength(100);
    expect(new Set(lines).size).toBe(100);
  });

  it("tells a client that has the list when it changes", async () => {
    const { url } = await serve();
    const [client, other] = [await connect(url), await connect(url)];
    const changes = new HeardChanges(client);
    await client.listResources();
    await answerOf(other, { command: "append", path: "/a", content: "one" });
    expect(await changes.next(1)).toEqual(["list"]);
  });

  // Requirement: mcp.http-loopback
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

  it("ends every session and stream when it is closed", async () => {
    const { url, server } = await serve();
    const client = await connect(url);
    await client.subscribeResource({ uri: "memory:///a" });
    const modern = await connect(url, "modern");
    await modern.listen({ resourcesListChanged: true });
    await server.close();
    await expect(client.listTools()).rejects.toThrow("fetch failed");
  });
});

describe("the guard of the HTTP server", () => {
  // Requirement: mcp.http-loopback
  it.each(["0.0.0.0", "::", "192.0.2.1", "example.org"])("refuses to listen on %s without a token", async (host) => {
    await expect(serve({ host })).rejects.toThrow(
      new TypeError(
        `invalid McpHttpOptions: token: required to listen on ${host}; only loopback addresses (127.0.0.1) need none`,
      ),
    );
  });

  it.each([
    [{ token: "two words" }, "token: must be printable ASCII characters without spaces"],
    [{ allowedHosts: ["https://memory.example"] }, "allowedHosts.0: must be a host without scheme and port"],
    [{ allowedOrigins: ["app.example:80"] }, "allowedOrigins.0: must be a host without scheme and port"],
    [{ host: "http://127.0.0.1" }, "host: must be a host without scheme and port"],
    [{ port: 70_000 }, "port"],
    [{ maxBodyBytes: 0 }, "maxBodyBytes"],
    [{ maxSessions: 0 }, "maxSessions"],
    [{ port: 0, maxStreams: 5 }, 'unknown option "maxStreams"'],
    [{ sessionIdleMs: 3_000_000_000 }, "sessionIdleMs"],
  ])("refuses the options %j", async (options, message) => {
    await expect(serve(options)).rejects.toThrow(TypeError);
    await expect(serve(options)).rejects.toThrow(message);
  });

  // Requirement: mcp.http-token
  it("does not show a token that it refuses", async () => {
    await expect(serve({ token: "pass word" })).rejects.toThrow(
      new TypeError("invalid McpHttpOptions: token: must be printable ASCII characters without spaces"),
    );
  });

  it.each(revisions)("lets a %s client with the token in, on any address", async (revision) => {
    const { url } = await serve({ host: "0.0.0.0", token: "secret", allowedHosts: ["127.0.0.1"] });
    const client = await connect(url.replace("0.0.0.0", "127.0.0.1"), revision, { Authorization: "Bearer secret" });
    expect((await client.listTools()).tools).toHaveLength(1);
  });

  // Requirement: mcp.http-token
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
    ["no session", { body: listTools }, 400, -32_000, "a Mcp-Session-Id header is required"],
    [
      "a session that is none",
      { headers: { "Mcp-Session-Id": "none" }, body: listTools },
      404,
      -32_001,
      "there is no such session",
    ],
    ["a body that is no message", { body: "7" }, 400, -32_600, "not a valid JSON-RPC message"],
    ["a stream without a session", { method: "GET" }, 400, -32_000, "a Mcp-Session-Id header is required"],
    ["another method", { method: "PUT", body: beginning }, 405, -32_600, "method PUT is not allowed; use POST"],
  ])("such as %s get one sentence", async (_name, request, status, code, message) => {
    const { url } = await serve();
    const answer = await send(url, request);
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.text)).toEqual({
      jsonrpc: "2.0",
      id: null,
      error: { code, message: expect.stringContaining(message) },
    });
    expect(await beginSession(url)).toMatch(/^[\w-]{36}$/);
  });

  it("such as another path get 404, and the right one", async () => {
    const { url } = await serve();
    const answer = await send(url.replace("/mcp", "/sse"), { body: beginning });
    expect(answer.status).toBe(404);
    expect(answer.text).toContain("the endpoint is /mcp");
  });

  // Requirement: mcp.http-limits
  it("such as one that is too long get 413", async () => {
    const { url } = await serve({ maxBodyBytes: 1000 });
    const answer = await send(url, { body: `${beginning}${" ".repeat(2_000_000)}` });
    expect(answer.status).toBe(413);
    expect(answer.text).toContain("at most 1000 are accepted");
  });
});

describe("sessions over HTTP", () => {
  const isAlive = async (url: string, id: string) =>
    (await send(url, { headers: { "Mcp-Session-Id": id }, body: listTools })).status === 200;

  it("end when their client says so", async () => {
    const { url } = await serve();
    const id = await beginSession(url);
    expect(await isAlive(url, id)).toBe(true);
    expect((await send(url, { method: "DELETE", headers: { "Mcp-Session-Id": id } })).status).toBe(200);
    expect(await isAlive(url, id)).toBe(false);
  });

  // Requirement: mcp.http-limits
  it("beyond the limit are refused, and end no other, until one is idle for long", async () => {
    const { url } = await serve({ maxSessions: 1, sessionIdleMs: 50 });
    // On a busy machine the session may be over before its stream begins.
    let [first, stream] = ["", await openStream(url, "")];
    while (stream.statusCode !== 200) stream = await openStream(url, (first = await beginSession(url)));
    const refused = await send(url, { body: beginning });
    expect(refused.status).toBe(503);
    expect(refused.text).toContain("all 1 sessions of the server are in use");
    expect(await isAlive(url, first)).toBe(true);
    stream.destroy();
    expect(await beginSession(url)).toMatch(/^[\w-]{36}$/);
    expect(await isAlive(url, first)).toBe(false);
  });

  // Requirement: mcp.http-streams
  it("tell on a new stream what changed while the last one was broken", async () => {
    const { url } = await serve();
    const headers = { "Mcp-Session-Id": await beginSession(url) };
    const call = (method: string, params: object) =>
      send(url, { headers, body: JSON.stringify({ jsonrpc: "2.0", id: 3, method, params }) });
    await call("resources/subscribe", { uri: "memory:///a" });
    const broken = await openStream(url, headers["Mcp-Session-Id"]);
    broken.destroy();
    await call("ping", {});
    await call("tools/call", { name: "memory", arguments: { command: "append", path: "/a", content: "x" } });
    let told = "";
    for await (const chunk of await openStream(url, headers["Mcp-Session-Id"])) {
      told += String(chunk);
      if (told.includes("notifications/resources/updated")) break;
    }
    expect(told).toContain("memory:///a");
  });
});
