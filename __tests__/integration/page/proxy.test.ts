import { once } from "node:events";
import { createServer, request as send, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, describe, expect, it } from "@jest/globals";
import { MongoMemoryStore } from "../../../src/index.js";
import { createMemoryPage, type MemoryPageOptions } from "../../../src/page/index.js";
import { askPage, pageToken, tellPage } from "../../helpers/page-client.js";
import { cli } from "../../helpers/run-cli.js";
import { ended, spawnCli } from "../../helpers/spawn-cli.js";
import { testDatabase } from "../../helpers/test-database.js";

const { client, uri, name: dbName } = testDatabase();
const store = new MongoMemoryStore({ client, dbName });
const servers: Server[] = [];

afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

async function listen(server: Server): Promise<string> {
  servers.push(server.listen(0, "127.0.0.1"));
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A proxy as nginx is by default: it replaces Host by the address of the server. @param target its origin, once known */
function startProxy(target: () => string): Promise<string> {
  return listen(
    createServer((incoming, answer) => {
      const { host } = new URL(target());
      const headers = { ...incoming.headers, host, "x-forwarded-host": incoming.headers.host };
      const { method, url } = incoming;
      incoming.pipe(
        send(`${target()}${url}`, { method, headers }, (received) => {
          answer.writeHead(received.statusCode ?? 502, received.headers);
          received.pipe(answer);
        }),
      );
    }),
  );
}

/** Returns the origin of a proxy, and that of the page behind it. */
async function startBehindProxy(
  optionsFor: (proxy: string) => Partial<MemoryPageOptions>,
): Promise<{ proxy: string; direct: string }> {
  let direct = "";
  const proxy = await startProxy(() => direct);
  const page = createMemoryPage({ store, access: "write", token: pageToken, ...optionsFor(proxy) });
  direct = await listen(createServer(page.nodeListener));
  return { proxy, direct };
}

/** Sends a change to a page as a browser does that shows `origin`. */
function change(server: string, origin: string, more: Record<string, string> = {}): Promise<Response> {
  const headers = { "memory-page-token": pageToken, "content-type": "application/json", origin, ...more };
  return fetch(`${server}/api/forget`, { method: "POST", body: '{"nodeId":"not there"}', headers });
}

const isAdmitted: Partial<MemoryPageOptions> = { authorize: () => ({ userId: "ada" }) };

describe.each([
  ["with a token", {}],
  ["with authorize", isAdmitted],
])("the page %s behind a proxy that rewrites Host", (_name, options) => {
  it("refuses a change, and says which option names the origin", async () => {
    const { proxy, direct } = await startBehindProxy(() => options);
    const refused = await change(proxy, proxy);
    expect([refused.status, await refused.json()]).toEqual([
      403,
      {
        error: {
          code: "EACCES",
          message:
            `the request comes from another page: its Origin is ${proxy}, but its Host is ${new URL(direct).host}. If a ` +
            "proxy before the page rewrites Host, pass the origin that the browser shows as `publicOrigin`, or to the " +
            "command as --public-origin",
        },
      },
    ]);
  });

  it("changes what its publicOrigin sends", async () => {
    const { proxy } = await startBehindProxy((publicOrigin) => ({ ...options, publicOrigin }));
    expect(await (await change(proxy, proxy)).json()).toMatchObject({ memories: 0 });
  });

  it("refuses what every other origin sends, also that of its Host and of X-Forwarded-Host", async () => {
    const { proxy, direct } = await startBehindProxy((publicOrigin) => ({ ...options, publicOrigin }));
    const evil = "http://evil.example";
    const others = [evil, direct, proxy.replace("http:", "https:"), `${proxy}1`, "null"];
    for (const server of [proxy, direct])
      for (const origin of others) expect((await change(server, origin)).status).toBe(403);
    const forged = { "x-forwarded-host": "evil.example", "sec-fetch-site": "same-origin" };
    expect((await change(direct, evil, forged)).status).toBe(403);
    expect(await (await change(proxy, evil)).text()).toContain(`but the \`publicOrigin\` of this page is ${proxy}`);
  });

  it("refuses a page of another site whose name points to it", async () => {
    const publicOrigin = "https://app.example.com";
    const page = createMemoryPage({ store, access: "write", token: pageToken, ...options, publicOrigin });
    const rebound = { host: "evil.example:4000", origin: "http://evil.example:4000" };
    expect((await tellPage(page, "/api/forget", { nodeId: "not there" }, rebound)).status).toBe(403);
  });
});

it("a page with a token answers under the name of its publicOrigin too, for a proxy that keeps Host", async () => {
  const page = createMemoryPage({ store, token: pageToken, publicOrigin: "https://app.example.com" });
  const ask = async (host: string): Promise<number> => {
    const headers = { host, "memory-page-token": pageToken };
    return (await page(new Request(`http://${host}/api/memories`, { headers }))).status;
  };
  expect(await ask("app.example.com")).toBe(200);
  expect(await ask("localhost")).toBe(200);
  expect(await ask("evil.example")).toBe(403);
  expect((await askPage(page, "/", { host: "app.example.com:8443" })).status).toBe(403);
});

it.each([
  "app.example.com",
  "https://app.example.com/",
  "https://App.example.com",
  "https://a.b:443",
  "ftp://a.b",
  "*",
])("refuses %s as publicOrigin, because no browser sends it", async (publicOrigin) => {
  expect(() => createMemoryPage({ store, token: pageToken, publicOrigin })).toThrow(
    'publicOrigin: must be the origin that a browser shows, such as "https://app.example.com", without a path',
  );
  expect(await cli(["page", "--public-origin", publicOrigin])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining(`--public-origin ${publicOrigin}: pass the origin that a browser shows`),
  });
});

it("the command page prints the address at its public origin, and takes changes from there", async () => {
  let direct = "";
  const proxy = await startProxy(() => direct);
  const port = await freePort();
  direct = `http://127.0.0.1:${port}`;
  const database = ["--uri", uri, "--db", dbName, "--access", "write"];
  const child = spawnCli(["page", ...database, "--port", `${port}`, "--public-origin", proxy, "--json"]);
  const end = ended(child);
  const [line] = (await once(child.stdout, "data")) as [string];
  const { url } = JSON.parse(line) as { url: string };
  expect(url.startsWith(`${proxy}/#token=`)).toBe(true);
  const token = { "memory-page-token": url.split("=")[1] ?? "" };
  expect((await change(proxy, proxy, token)).status).toBe(200);
  expect((await change(direct, direct, token)).status).toBe(403);
  child.kill("SIGTERM");
  expect(await end).toMatchObject({ code: 0, stderr: "" });
});

async function freePort(): Promise<number> {
  const server = createServer();
  const { port } = new URL(await listen(server));
  server.close();
  await once(server, "close");
  return Number(port);
}
