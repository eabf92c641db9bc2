import { describe, expect, it } from "@jest/globals";
import type { McpHttpOptions } from "../../../src/mcp/index.js";
import { serve as serveMemory } from "../../helpers/mcp-http-servers.js";
import { initializeAs } from "../../helpers/mcp-messages.js";
import { send } from "../../helpers/raw-http.js";

const serve = async (options: Partial<McpHttpOptions> = {}): Promise<string> => (await serveMemory(options)).url;
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
    const url = await serve();
    const answer = await send(url, { headers, body: initialize });
    expect(answer.status).toBe(403);
    expect(answer.text).toContain(message);
  });

  const given = { allowedHosts: ["memory.example"], allowedOrigins: ["app.example"] };

  it.each<[headers: Record<string, string>, status: number, options: Partial<McpHttpOptions>]>([
    [{ Host: "localhost" }, 200, {}],
    [{ Origin: "http://localhost:5173" }, 200, {}],
    [{ Host: "memory.example:443", Origin }, 200, given],
    [{ Host: "127.0.0.1" }, 403, given],
    [{ Host: "memory.example", Origin: "http://localhost" }, 403, given],
    [{ Host: "[2001:db8::1]:3000" }, 200, { allowedHosts: ["2001:DB8:0::1"] }],
    [{ Host: "xn--bcher-kva.example" }, 200, { allowedHosts: ["bücher.example"] }],
  ])("answers %j by %d with the options %j", async (headers, status, options) => {
    expect((await send(await serve(options), { headers, body: initialize })).status).toBe(status);
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
