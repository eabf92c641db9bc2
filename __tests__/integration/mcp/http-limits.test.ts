import { request as httpRequest } from "node:http";
import { describe, expect, it } from "@jest/globals";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { InMemoryStore } from "@langchain/langgraph";
import { type Memory, openMemory } from "../../../src/index.js";
import { answerOf, connectTo, revisions } from "../../helpers/mcp-clients.js";
import { serve } from "../../helpers/mcp-http-servers.js";
import { initialize } from "../../helpers/mcp-messages.js";
import { type RawAnswer, send } from "../../helpers/raw-http.js";

/** A request of the revision 2026-07-28. */
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

describe("methods that the server does not have", () => {
  it.each(["no/such", "prompts/list", "logging/setLevel"])(
    "such as %s get 404 in the revision 2026-07-28",
    async (method) => {
      const answer = await sendModern((await serve()).url, method);
      expect(answer.status).toBe(404);
      expect(JSON.parse(answer.text)).toMatchObject({ id: 7, error: { code: -32_601, message: "Method not found" } });
    },
  );

  it("cannot be had under the name of another", async () => {
    const headers = { "Mcp-Method": "tools/call" };
    expect(await sendModern((await serve()).url, "no/such", {}, headers)).toMatchObject({ status: 400 });
  });

  it("are refused within the protocol in earlier revisions", async () => {
    const { url } = await serve();
    const answer = await send(url, { body: JSON.stringify({ jsonrpc: "2.0", id: 2, method: "no/such" }) });
    expect([answer.status, answer.text.includes("Method not found")]).toEqual([200, true]);
  });
});

describe("bodies", () => {
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
    expect(answer.text).toContain(`the body contains ${excess}`);
  });

  it.each(revisions)("of the largest file pass, however escaped, for a %s client", async (revision) => {
    const { url, memory } = await serve();
    const client = await connectTo(new StreamableHTTPClientTransport(new URL(url)), revision);
    const content = "\u0001".repeat(1_000_000);
    expect(await answerOf(client, { command: "append", path: "/a", content })).toContain('"ok":true');
    expect(await memory.read("/a")).toBe(content);
  });

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

describe("a request to listen for changes", () => {
  it("ends at once, because the server reports none", async () => {
    const notifications = { resourcesListChanged: true, resourceSubscriptions: ["memory:///a"] };
    const { text } = await sendModern((await serve()).url, "subscriptions/listen", { notifications });
    expect(text).toContain('"notifications":{}');
    expect(text).toContain('"resultType":"complete"');
  });
});

describe("closing the HTTP server", () => {
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
