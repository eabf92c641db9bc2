import { request as httpRequest } from "node:http";
import { describe, expect, it } from "@jest/globals";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { InMemoryStore } from "@langchain/langgraph";
import type { Memory } from "../../../src/core/memory.js";
import { openMemory } from "../../../src/open-memory.js";
import { answerOf, connectTo, HeardChanges, revisions } from "../../helpers/mcp-clients.js";
import { serve } from "../../helpers/mcp-http-servers.js";
import { faultyInitialize, initialize, initializeAs } from "../../helpers/mcp-messages.js";
import { openStream, type RawAnswer, send } from "../../helpers/raw-http.js";

async function beginSession(url: string): Promise<Record<string, string>> {
  const { headers } = await send(url, { body: JSON.stringify(initialize) });
  return { "Mcp-Session-Id": String(headers["mcp-session-id"]) };
}

/** A request of the revision 2026-07-28, which needs no session. */
function sendModern(
  url: string,
  method: string,
  params: object = {},
  headers: Record<string, string> = {},
): Promise<RawAnswer> {
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  return send(url, {
    headers: { "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method, ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", id: 7, method, params: { ...params, _meta: meta } }),
  });
}

/** A memory whose reads never end. */
function frozenMemory(): { memory: Memory; begun: Promise<void> } {
  let tellBegun = () => {};
  const begun = new Promise<void>((resolve) => {
    tellBegun = resolve;
  });
  const memory: Memory = new Proxy(openMemory(new InMemoryStore(), { nodeId: "n" }), {
    get: (target, name) => {
      if (name === "with") return () => memory;
      if (name !== "read") return Reflect.get(target, name) as unknown;
      return () => {
        tellBegun();
        return new Promise(() => {});
      };
    },
  });
  return { memory, begun };
}

const read = JSON.stringify({
  jsonrpc: "2.0",
  id: 2,
  method: "tools/call",
  params: { name: "memory", arguments: { command: "read", path: "/a" } },
});

describe("methods that the server does not have", () => {
  // Requirement: mcp.http-unknown-method
  it.each(["no/such", "prompts/list", "logging/setLevel"])(
    "such as %s get 404 in the revision 2026-07-28",
    async (method) => {
      const answer = await sendModern((await serve()).url, method);
      expect(answer.status).toBe(404);
      expect(JSON.parse(answer.text)).toMatchObject({ id: 7, error: { code: -32_601, message: "Method not found" } });
    },
  );

  it("cannot be had under the name of another", async () => {
    const answer = await sendModern((await serve()).url, "no/such", {}, { "Mcp-Method": "tools/call" });
    expect(answer.status).toBe(400);
  });

  it("are refused within the protocol in a session", async () => {
    const { url } = await serve();
    const answer = await send(url, {
      headers: await beginSession(url),
      body: JSON.stringify({ jsonrpc: "2.0", id: 2, method: "no/such" }),
    });
    expect([answer.status, answer.text.includes("Method not found")]).toEqual([200, true]);
  });
});

describe("bodies", () => {
  // Requirement: mcp.http-message-size
  it.each([
    [
      "400,000 keys",
      `{${Array.from({ length: 400_000 }, (_, index) => `"${index}":1`).join(",")}}`,
      "more than 10000 values",
    ],
    ["three million levels", "[".repeat(3_000_000), "more than 100 levels"],
  ])("of %s are refused before they are parsed", async (_name, body, excess) => {
    const answer = await send((await serve()).url, { body });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(`the body holds ${excess}`);
  });

  // Requirement: mcp.short-errors
  it("with a thousand faults are answered by a short error", async () => {
    const { url } = await serve();
    const answer = await send(url, { headers: await beginSession(url), body: JSON.stringify(faultyInitialize) });
    expect(answer.text.length).toBeLessThan(6000);
  });

  // Requirement: mcp.http-message-size
  it.each(revisions)("of the largest file pass, however escaped, for a %s client", async (revision) => {
    const { url, memory } = await serve();
    const client = await connectTo(new StreamableHTTPClientTransport(new URL(url)), revision);
    const content = "\u0001".repeat(1_000_000);
    expect(await answerOf(client, { command: "append", path: "/a", content })).toContain('"ok":true');
    expect(await memory.read("/a")).toBe(content);
  });

  // Requirement: mcp.http-limits
  it("that begin a session are short, as what they say is kept", async () => {
    const { url } = await serve({ maxSessions: 1 });
    const answer = await send(url, { body: JSON.stringify(initializeAs("x".repeat(100_000))) });
    expect(answer.status).toBe(413);
    expect(answer.text).toContain("one that begins a session has at most 65536");
    expect((await send(url, { body: JSON.stringify(initialize) })).status).toBe(200);
  });

  // Requirement: mcp.http-limits
  it("of all requests at once have a limit too, and room is free again once they are over", async () => {
    const { url } = await serve({ maxBodyBytes: 1000 });
    const uploads = Array.from({ length: 16 }, () => {
      const call = httpRequest(url, {
        method: "POST",
        headers: { "Content-Type": "application/json", "Content-Length": "1000" },
      });
      call.on("error", () => {});
      call.write("[".padEnd(999));
      return call;
    });
    const refused = async () => (await send(url, { body: JSON.stringify(initialize) })).status === 503;
    while (!(await refused())) await new Promise((resolve) => setImmediate(resolve));
    for (const upload of uploads) upload.destroy();
    while (await refused()) await new Promise((resolve) => setImmediate(resolve));
  });
});

describe("a session over HTTP", () => {
  // Requirement: mcp.subscription-limits
  it("keeps no URI that is longer than a path can be", async () => {
    const { url } = await serve();
    const headers = await beginSession(url);
    const uri = `memory:///${"/".repeat(1_000_000)}a`;
    const answer = await send(url, {
      headers,
      body: JSON.stringify({ jsonrpc: "2.0", id: 2, method: "resources/subscribe", params: { uri } }),
    });
    expect(answer.text).toContain("invalid uri");
    expect(answer.text.length).toBeLessThan(2000);
  });

  // Requirement: mcp.http-limits
  it("has so many requests and streams at once", async () => {
    const { memory, begun } = frozenMemory();
    const { url } = await serve({ memory }, { maxStreams: 2, closeTimeoutMs: 1 });
    const headers = await beginSession(url);
    await openStream(url, headers["Mcp-Session-Id"] ?? "");
    send(url, { headers, body: read }).catch(() => {});
    await begun;
    const refused = await send(url, { headers, body: read });
    expect(refused.status).toBe(429);
    expect(refused.text).toContain("2 requests and streams of the session are open");
    expect(
      (
        await send(url, {
          headers: await beginSession(url),
          body: JSON.stringify({ jsonrpc: "2.0", id: 2, method: "ping" }),
        })
      ).status,
    ).toBe(200);
  });
});

describe("a stream that listens without a session", () => {
  const listen = (uris: string[]) => ({ notifications: { resourceSubscriptions: uris } });
  const listenTo = (url: string, uris: string[]) => sendModern(url, "subscriptions/listen", listen(uris));

  // Requirement: mcp.subscription-limits
  it("is told by the URI of the list, however its client has spelled that", async () => {
    const { url } = await serve({}, { watchIntervalMs: 20 });
    const client = await connectTo(new StreamableHTTPClientTransport(new URL(url)), "modern");
    const changes = new HeardChanges(client);
    await client.listen({ resourceSubscriptions: ["memory:////%61/", "memory:///a"] });
    await answerOf(client, { command: "append", path: "/a", content: "x" });
    expect(await changes.next(1)).toEqual(["memory:///a"]);
  });

  // Requirement: mcp.subscription-limits
  it.each([
    [
      "more files than it may",
      ["memory:///a", "memory:///b", "memory:///c"],
      -32_600,
      "at most 2 files can be subscribed to at once",
    ],
    ["a URI that is longer than a path can be", [`memory:///${"/".repeat(10_000)}a`], -32_602, "invalid uri"],
    ["a URI of no file", ["file:///etc/passwd"], -32_602, "invalid uri"],
  ])("is refused for %s", async (_name, uris, code, message) => {
    const answer = await listenTo((await serve({}, { maxSubscriptions: 2 })).url, uris);
    expect(JSON.parse(answer.text)).toMatchObject({
      id: 7,
      error: { code, message: expect.stringContaining(message) },
    });
  });

  // Requirement: mcp.http-limits
  it("counts to a limit, and no longer once it is over", async () => {
    const { url } = await serve({ maxSessions: 1 });
    const client = await connectTo(new StreamableHTTPClientTransport(new URL(url)), "modern");
    const subscription = await client.listen({ resourcesListChanged: true });
    expect((await listenTo(url, ["memory:///a"])).status).toBe(503);
    await subscription.close();
    const other = await connectTo(new StreamableHTTPClientTransport(new URL(url)), "modern");
    for (;;) {
      const again = await other.listen({ resourcesListChanged: true }).catch(() => null);
      if (again !== null) break;
    }
  });
});

describe("closing the HTTP server", () => {
  // Requirement: mcp.close-is-bounded
  it.each(revisions)("waits no longer than it is told for a call that never ends, of a %s client", async (revision) => {
    const { memory, begun } = frozenMemory();
    const { url, server } = await serve({ memory }, { closeTimeoutMs: 10 });
    const client = await connectTo(new StreamableHTTPClientTransport(new URL(url)), revision);
    const answer = answerOf(client, { command: "read", path: "/a" });
    answer.catch(() => {});
    await begun;
    await server.close();
  });
});
