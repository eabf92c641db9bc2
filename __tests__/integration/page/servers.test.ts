import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { compileFunction, runInNewContext } from "node:vm";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { serve as serveHono } from "@hono/node-server";
import express from "express";
import fastify from "fastify";
import { Hono } from "hono";
import { MongoMemoryStore } from "../../../src/index.js";
import { createMemoryPage } from "../../../src/page/index.js";
import { send, sendBytes } from "../../helpers/raw-http.js";
import { ended, spawnCli } from "../../helpers/spawn-cli.js";
import { pageToken } from "../../helpers/page-client.js";
import { testDatabase } from "../../helpers/test-database.js";

const { client, uri, name: dbName } = testDatabase();
const store = new MongoMemoryStore({ client, dbName });
const page = createMemoryPage({ store, basePath: "/memory", token: pageToken, access: "write" });
const servers: Server[] = [];

beforeAll(() => store.memory({ nodeId: "mounted" }).write("/a", "ünï\n"));

afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

async function originOf(server: Server): Promise<string> {
  servers.push(server);
  if (!server.listening) await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const guide = readFileSync("docs/page.md", "utf8");

/** Returns the code of a server's row of the guide. */
function readRow(server: string): string {
  const code = guide.split(`| ${server} | `)[1]?.match(/`([^`]+\bpage\b[^`]*)`/)?.[1];
  if (code === undefined) throw new Error(`docs/page.md has no code for ${server}`);
  return code;
}

/** Runs code of the guide as it is written there. */
async function runWritten<Result>(code: string, values: object): Promise<Result> {
  const names = { page, createServer, ...values };
  return compileFunction(code, Object.keys(names))(...Object.values(names)) as Promise<Result>;
}

/** What `app/memory/[[...path]]/route.ts` exports, by the guide. */
const route = Object.fromEntries(
  Array.from(guide.matchAll(/\bpage as ([A-Z]+)\b/g), ([, method = ""]) => [method, page]),
);

/**
 * As Next.js 16 calls a route: by the name of the method, with a Request of its own class, whose address is that of the
 * server, and with the parameters of the path. It sends the answer without its headers about how the body is coded.
 * With all that it needs it is 340 MB, too much to be installed for each run.
 */
async function inNext(request: Request): Promise<Response> {
  class NextRequest extends Request {
    readonly nextUrl = new URL(request.url);
  }
  const handler:
    | ((request: NextRequest, context: { params: Promise<{ path?: string[] }> }) => Promise<Response>)
    | undefined = route[request.method];
  const path = new URL(request.url).pathname.split("/").slice(2);
  const { status, headers, body } =
    (await handler?.(new NextRequest(request), { params: Promise.resolve({ path }) })) ??
    new Response(null, { status: 405 });
  const sent = [...headers].filter(
    ([name]) => !["content-length", "content-encoding", "transfer-encoding"].includes(name),
  );
  return new Response(body, { status, headers: sent });
}

function serveFetch(fetch: (request: Request) => Response | Promise<Response>): Promise<string> {
  return originOf(serveHono({ fetch, port: 0, hostname: "127.0.0.1" }) as Server);
}

const mounts: Record<string, () => Promise<string>> = {
  "node:http": async () => {
    const server = await runWritten<Server>(`return ${readRow("Node's `http`")}`, {});
    return originOf(server.listen(0, "127.0.0.1"));
  },
  Express: async () => {
    const app = express();
    await runWritten(readRow("Express"), { app });
    app.use(express.json());
    return originOf(app.listen(0, "127.0.0.1"));
  },
  Fastify: async () => {
    const app = fastify();
    const [, code = ""] = /### Fastify[^]*?```ts\n([^]*?)```/.exec(guide) ?? [];
    await runWritten(`return (async () => {${code.replaceAll(/^(?:import|declare) .*$/gm, "")}})()`, { app });
    await app.listen({ port: 0, host: "127.0.0.1" });
    return originOf(app.server);
  },
  Hono: async () => {
    const app = new Hono();
    await runWritten(readRow("Hono"), { app });
    return serveFetch(app.fetch);
  },
  "Next.js": () => serveFetch(inNext),
};

describe.each(Object.entries(mounts))("the page in %s, mounted as the guide says", (_name, mount) => {
  it("answers its document, its files, data, and what is to be changed", async () => {
    const origin = await mount();
    const headers = { "memory-page-token": pageToken };
    for (const path of ["/memory", "/memory/"])
      expect(await (await fetch(origin + path)).text()).toContain('src="/memory/client.js"');
    expect((await fetch(`${origin}/memory/client.css`)).headers.get("content-type")).toBe("text/css; charset=utf-8");
    const file = await fetch(`${origin}/memory/api/file?nodeId=mounted&path=/a`, { headers });
    expect(await file.json()).toMatchObject({ content: "ünï\n" });
    expect((await fetch(`${origin}/memory/api/memories`)).status).toBe(401);
    const forget = (own: Record<string, string>) =>
      fetch(`${origin}/memory/api/forget`, {
        method: "POST",
        body: JSON.stringify({ nodeId: "not there, ü" }),
        headers: { ...headers, "content-type": "application/json", ...own },
      });
    expect(await (await forget({ origin })).json()).toMatchObject({ memories: 0 });
    expect((await forget({ origin: "http://evil.example" })).status).toBe(403);
  });
});

describe("the listener of Node", () => {
  it("answers a body that is too long before it has come, and serves on", async () => {
    const origin = await originOf(createServer(page.nodeListener).listen(0, "127.0.0.1"));
    const head =
      `POST /memory/api/forget HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\n` +
      `memory-page-token: ${pageToken}\r\nContent-Type: application/json\r\nConnection: close\r\n`;
    expect(await sendBytes(origin, `${head}Content-Length: 20000000\r\n\r\nx`)).toMatch(/^HTTP\/1\.1 413/);
    const deep = "[".repeat(50_000);
    const chunk = `${deep.length.toString(16)}\r\n${deep}\r\n`;
    expect(await sendBytes(origin, `${head}Transfer-Encoding: chunked\r\n\r\n${chunk}`)).toMatch(/^HTTP\/1\.1 400/);
    expect((await fetch(`${origin}/memory/`)).status).toBe(200);
  });

  it("survives requests that are none", async () => {
    const origin = await originOf(createServer(page.nodeListener).listen(0, "127.0.0.1"));
    for (const line of [
      "GET http://evil.example/memory HTTP/1.1",
      "GET //evil.example/memory HTTP/1.1",
      "OPTIONS * HTTP/1.1",
      "GET /memory/%zz HTTP/1.1",
      "TRACE /memory HTTP/1.1",
    ]) {
      expect(await sendBytes(origin, `${line}\r\nHost: localhost\r\nConnection: close\r\n\r\n`)).not.toMatch(
        /^HTTP\/1\.1 200/,
      );
    }
    expect(await sendBytes(origin, "GET /memory HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n")).toMatch(
      /^HTTP\/1\.1 403/,
    );
    expect((await fetch(`${origin}/memory/`)).status).toBe(200);
  });

  it.each(["evil.example", "evil@127.0.0.1", "127.1", "0x7f000001:4000", "127.0.0.1:99999", "[::1", "a b"])(
    "refuses the host %s as every other one",
    async (host) => {
      const origin = await originOf(createServer(page.nodeListener).listen(0, "127.0.0.1"));
      const answer = await send(`${origin}/memory/api/memories`, { method: "GET", headers: { Host: host } });
      expect(answer).toMatchObject({ status: 403, headers: { "content-type": "application/json" } });
      expect(JSON.parse(answer.text)).toEqual({
        error: {
          code: "EACCES",
          message: `Host ${host} is not allowed: without \`authorize\` the page answers under localhost, 127.0.0.1, [::1] only`,
        },
      });
    },
  );

  it("answers 4,000 requests, keeps nothing of them, and changes nothing by those that are forged", async () => {
    const origin = "http://localhost:1";
    const own = {
      "memory-page-token": pageToken,
      origin,
      "content-type": "application/json",
      "sec-fetch-site": "same-origin",
    };
    const forgeries: [path: string, headers: Record<string, string>, body?: string][] = [
      ["forget", { ...own, "memory-page-token": "x" }],
      ["forget", { ...own, "memory-page-token": `${pageToken}x` }],
      ["forget", { ...own, origin: "http://evil.example" }],
      ["forget", { ...own, "sec-fetch-site": "cross-site" }],
      ["forget", { ...own, host: "evil.example" }],
      ["forget", { ...own, "content-type": "text/plain" }],
      ["forget", own, "{"],
      ["forget", own, '{"nodeId":{"$ne":""}}'],
      ["..%2fforget", own],
      ["forget/../../api/forget%00", own],
    ];
    const statuses = new Set<number>();
    const forge = async (count: number): Promise<void> => {
      for (let round = 0; round < count; round += forgeries.length) {
        const answers = await Promise.all(
          forgeries.map(async ([path, headers, body = '{"nodeId":"mounted"}']) =>
            page(new Request(`${origin}/memory/api/${path}`, { method: "POST", headers, body })),
          ),
        );
        for (const { status } of answers) statuses.add(status);
      }
    };
    await forge(1000);
    const before = await heapAfterCollection();
    await forge(3000);
    // A kilobyte kept of each would be 3 MB.
    expect((await heapAfterCollection()) - before).toBeLessThan(2_000_000);
    expect([...statuses].toSorted((a, b) => a - b)).toEqual([400, 401, 403, 404, 415]);
    expect(await store.memory({ nodeId: "mounted" }).read("/a")).toBe("ünï\n");
  });
});

describe("the command page", () => {
  it("prints an address with a token, shows the memories, and ends when it is told to", async () => {
    const child = spawnCli(["page", "--uri", uri, "--db", dbName]);
    const end = ended(child);
    const [line] = (await once(child.stdout, "data")) as [string];
    expect(line).toMatch(/^the page is at http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{32}\n$/);
    const { origin, hash } = new URL(line.replace("the page is at ", ""));
    const answers: string[] = [];
    for (const given of [hash.trim().replace("#token=", ""), "wrong"]) {
      const response = await fetch(`${origin}/api/memories`, { headers: { "memory-page-token": given } });
      answers.push(`${response.status} ${(await response.text()).includes("mounted")}`);
    }
    expect(answers).toEqual(["200 true", "401 false"]);
    child.kill("SIGTERM");
    expect(await end).toMatchObject({ code: 0, stderr: "" });
  });

  it("ends on SIGINT", async () => {
    const child = spawnCli(["page", "--uri", uri, "--db", dbName, "--json"]);
    const end = ended(child);
    const [line] = (await once(child.stdout, "data")) as [string];
    child.kill("SIGINT");
    expect(JSON.parse(line)).toEqual({ ok: true, url: expect.stringMatching(/^http/) });
    expect(await end).toMatchObject({ code: 0, signal: null, stderr: "" });
  });
});

/** In bytes. Finalizers run only between tasks. */
async function heapAfterCollection(): Promise<number> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  for (let round = 0; round < 3; round += 1) {
    await setImmediate();
    collect();
  }
  return process.memoryUsage().heapUsed;
}
