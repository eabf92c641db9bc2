import { afterEach, describe, expect, it } from "@jest/globals";
import { InMemoryStore } from "@langchain/langgraph";
import { type McpHttpOptions, type McpHttpServer, serveHttp } from "../../../src/mcp/index.js";
import { openMemory } from "../../../src/index.js";
import { send } from "../../helpers/raw-http.js";
import { initializeAs } from "../../helpers/mcp-messages.js";

const servers: McpHttpServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function serve(options: Partial<McpHttpOptions>): Promise<string> {
  const server = await serveHttp({ memory: openMemory(new InMemoryStore(), { nodeId: "n" }), port: 0, ...options });
  servers.push(server);
  return server.url;
}

const initialize = JSON.stringify(initializeAs("page"));
const Origin = "https://app.example";
/** What a browser asks before a page may call. */
const preflight = {
  method: "OPTIONS",
  headers: {
    Origin,
    "Access-Control-Request-Method": "POST",
    "Access-Control-Request-Headers": "authorization,mcp-method",
  },
};

describe("hosts and origins", () => {
  it.each([
    [{ Host: "evil.example" }, "Host evil.example is not allowed; allowed: localhost, 127.0.0.1, [::1]"],
    [{ Host: "127.0.0.1.evil.example:80" }, "Host 127.0.0.1.evil.example:80 is not allowed"],
    [{ Host: "evil.example@127.0.0.1" }, "Host evil.example@127.0.0.1 is not allowed"],
    [{ Host: "user:password@localhost:80" }, "Host user:password@localhost:80 is not allowed"],
    [{ Host: "127.0.0.1/evil.example" }, "Host 127.0.0.1/evil.example is not allowed"],
    [{ Host: "127.0.0.1?" }, "Host 127.0.0.1? is not allowed"],
    [{ Host: "127.1" }, "Host 127.1 is not allowed"],
    [{ Host: "0x7f000001:80" }, "Host 0x7f000001:80 is not allowed"],
    [{ Host: "127.0.0.1:99999" }, "Host 127.0.0.1:99999 is not allowed"],
    [
      { Origin: "https://evil.example" },
      "Origin https://evil.example is not allowed; allowed: localhost, 127.0.0.1, [::1]",
    ],
    [{ Origin: "null" }, "Origin null is not allowed"],
  ])("answers 403 to %j", async (headers, message) => {
    const url = await serve({});
    const answer = await send(url, { headers, body: initialize });
    expect(answer.status).toBe(403);
    expect(answer.text).toContain(message);
  });

  it.each([{ Host: "localhost" }, { Origin: "http://localhost:5173" }])("lets %j in", async (headers) => {
    const url = await serve({});
    expect((await send(url, { headers, body: initialize })).status).toBe(200);
  });

  it("lets the hosts and origins in that it is given, and no others", async () => {
    const url = await serve({ allowedHosts: ["memory.example"], allowedOrigins: ["app.example"] });
    const status = async (headers: Record<string, string>) => (await send(url, { headers, body: initialize })).status;
    expect(await status({ Host: "memory.example:443", Origin: "https://app.example" })).toBe(200);
    expect(await status({ Host: "127.0.0.1" })).toBe(403);
    expect(await status({ Host: "memory.example", Origin: "http://localhost" })).toBe(403);
  });

  it.each([
    ["2001:DB8:0::1", "[2001:db8::1]:3000"],
    ["bücher.example", "xn--bcher-kva.example"],
  ])("knows the host %s by however a client spells it (%s)", async (allowed, Host) => {
    const url = await serve({ allowedHosts: [allowed] });
    expect((await send(url, { headers: { Host }, body: initialize })).status).toBe(200);
  });
});

describe("a web page in a browser", () => {
  it("of an origin that is named may call, and read the answer", async () => {
    const url = await serve({ allowedOrigins: ["app.example"], token: "secret" });
    const asked = await send(url, preflight);
    expect(asked.status).toBe(204);
    expect(asked.headers).toMatchObject({
      "access-control-allow-origin": Origin,
      "access-control-allow-methods": "POST",
      "access-control-allow-headers": "authorization,mcp-method",
      vary: "Origin",
    });
    const answer = await send(url, { headers: { Origin, Authorization: "Bearer secret" }, body: initialize });
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      "access-control-allow-origin": Origin,
      "access-control-expose-headers": "WWW-Authenticate",
    });
  });

  it("needs the token as everybody does, and can read that", async () => {
    const answer = await send(await serve({ allowedOrigins: ["app.example"], token: "secret" }), {
      headers: { Origin },
      body: initialize,
    });
    expect(answer.status).toBe(401);
    expect(answer.headers["access-control-allow-origin"]).toBe(Origin);
  });

  it.each([
    ["another origin", { allowedOrigins: ["other.example"] }, Origin, 403],
    ["the loopback, which nobody has named", {}, "http://localhost:5173", 405],
  ])("of %s is not told that it may", async (_name, options, origin, status) => {
    const asked = await send(await serve(options), { ...preflight, headers: { ...preflight.headers, Origin: origin } });
    expect(asked.status).toBe(status);
    expect(asked.headers["access-control-allow-origin"]).toBeUndefined();
  });

  it("is what alone is answered so", async () => {
    const url = await serve({ allowedOrigins: ["app.example"] });
    expect((await send(url, { body: initialize })).headers["access-control-allow-origin"]).toBeUndefined();
    expect((await send(url, { method: "OPTIONS", headers: { Origin } })).status).toBe(405);
  });
});
