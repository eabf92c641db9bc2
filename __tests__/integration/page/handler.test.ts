import { randomUUID } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { type MemoryAddress, MemoryNode, MongoMemoryStore, openMemory } from "../../../src/index.js";
import { createMemoryPage, type MemoryPage } from "../../../src/page/index.js";
import { MongoClient } from "mongodb";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { askPage, pageQuery, pageToken, tellPage } from "../../helpers/page-client.js";
import { testDatabase } from "../../helpers/test-database.js";

const { client, name: dbName } = testDatabase();
const store = new MongoMemoryStore({ client, dbName, history: true });
const page = createMemoryPage({ store, token: pageToken, access: "write" });
const readOnly = createMemoryPage({ store, token: pageToken });

const newAddress = (): { nodeId: string; scope: "global" } => ({ nodeId: randomUUID(), scope: "global" });
const memoryAt = (address: MemoryAddress) => store.memory(address);

/** A proposal of an agent. */
async function proposed(nodeId: string, content = "Pay at once.\n"): Promise<string> {
  const node = new MemoryNode({ store, nodeId, rules: [{ path: "/**", access: "ask" }], onAsk: "propose" });
  const answer = (await node.memoryTools[0]?.invoke({ command: "append", path: "/policy", content })) as string;
  return (JSON.parse(answer) as { result: { proposal: string } }).result.proposal;
}

it("shows the message of the node's connector, and says what did not fit", async () => {
  const nodeId = randomUUID();
  const node = new MemoryNode({ store, nodeId });
  const connector = node.createConnector({ content: "full", maxChars: 600 });
  const shown = createMemoryPage({ store, token: pageToken, nodes: [node] });
  for (let index = 0; index < 40; index += 1)
    await memoryAt({ nodeId }).write(`/deep/er/file-${index}`, `note ${index}`);
  const { json } = await askPage(shown, `/api/message?${pageQuery({ nodeId })}`);
  const short = json as { text: string; leftOut: number };
  expect(short).toMatchObject({
    text: (await connector.renderMessage({}))?.content,
    maxChars: 600,
    usedChars: short.text.length,
    entries: 42,
  });
  expect(short.leftOut).toBeGreaterThan(10);
});

it("the findings of tidy are the first 500 of many, among 10,000 files", async () => {
  const nodeId = randomUUID();
  const files = Array.from({ length: 10_000 }, (_, index) => ({
    namespace: ["memory", nodeId, "global"],
    key: `/notes/${index}.md`,
    value: { content: index % 10 === 0 ? "" : `note ${index}` },
  }));
  // So many files take a busy machine longer than the usual 30 s.
  await new MongoMemoryStore({ client, dbName, timeoutMs: Infinity }).batch(files);
  const { json } = await askPage(page, `/api/tidy?${pageQuery({ nodeId })}`);
  expect(json).toMatchObject({ total: 1000 });
  expect((json as { findings: unknown[] }).findings).toHaveLength(500);
});

it("the list of memories has the order of the store, in pages of 500, and finds an exact id behind the first 5,000", async () => {
  async function* listMemories(filter: {
    userId?: string;
    nodeId?: string;
    threadId?: string;
  }): AsyncGenerator<object> {
    const rest = { sizeBytes: 1, textBytes: 1, files: 1, createdAt: new Date(0), updatedAt: new Date(0) };
    if (filter.userId === "last") yield { address: { nodeId: "support", scope: "perUser", userId: "last" }, ...rest };
    if (filter.userId !== undefined || filter.nodeId !== undefined || filter.threadId !== undefined) return;
    for (let index = 9_999; ; index -= 1) yield { address: { nodeId: `node-${index}`, scope: "global" }, ...rest };
  }
  const endless = createMemoryPage({ store: { listMemories } as never, token: pageToken });
  const ask = async (query: object): Promise<unknown> => {
    const { json } = await askPage(endless, `/api/memories?${pageQuery({ ...query })}`);
    const { memories, ...rest } = json as { memories: { address: { nodeId: string } }[] };
    return { nodes: memories.map(({ address }) => address.nodeId), ...rest };
  };
  const nodesFrom = (first: number) => Array.from({ length: 500 }, (_, index) => `node-${first - index}`);
  expect(await ask({})).toEqual({ nodes: nodesFrom(9_999), next: 500, isAll: false });
  expect(await ask({ offset: 500 })).toMatchObject({ nodes: nodesFrom(9_499), next: 1000 });
  expect(await ask({ named: "last" })).toMatchObject({ nodes: ["support"], isAll: false });
  expect(await ask({ named: "last", scope: "global" })).toMatchObject({ nodes: [], isAll: false });
  expect(await ask({ named: "NODE-5000" })).toMatchObject({ nodes: ["node-5000"] });
});

describe("what has changed", () => {
  const tokenOf = async (shown: MemoryPage, query: object): Promise<string> => {
    const { status, json } = await askPage(shown, `/api/changes?${pageQuery({ view: "memory", ...query })}`);
    expect(status).toBe(200);
    return (json as { changeToken: string }).changeToken;
  };

  it.each(["standalone", "replicaSet"] as const)("is also what other processes change, on a %s", async (kind) => {
    const { client: watching, name, uri } = testDatabase(kind);
    const other = new MongoClient(uri);
    const address = newAddress();
    const shown = createMemoryPage({
      store: new MongoMemoryStore({ client: watching, dbName: name }),
      token: pageToken,
    });
    const tokens = [await tokenOf(shown, address)];
    for (const text of ["1", "2"]) {
      await new MongoMemoryStore({ client: other, dbName: name }).memory(address).write("/a", text);
      tokens.push(await tokenOf(shown, address));
    }
    expect(new Set(tokens).size).toBe(3);
    expect(await tokenOf(shown, address)).toBe(tokens.at(-1));
    await other.close();
  });

  it("is also what changes in mounted memories, of this database and of another storage", async () => {
    const [nodeId, team] = [randomUUID(), randomUUID()];
    const rules = openMemory(new InMemoryStore(), { nodeId: "rules" });
    const mounts = { "/team": { nodeId: team }, "/rules": { memory: rules } };
    const node = new MemoryNode({ store, nodeId, mounts });
    const shown = createMemoryPage({ store, token: pageToken, nodes: [node] });
    const tokens = [await tokenOf(shown, { nodeId })];
    for (const memory of [memoryAt({ nodeId: team }), rules, memoryAt({ nodeId })]) {
      await memory.write("/plan", "win\n");
      tokens.push(await tokenOf(shown, { nodeId }));
    }
    expect(new Set(tokens).size).toBe(4);
  });

  it("is told of a memory whose tree cannot be shown, as only a run can find a mount", async () => {
    const nodeId = randomUUID();
    const mounts = { "/team": { memory: async () => memoryAt({ nodeId: "team" }) } };
    const shown = createMemoryPage({ store, token: pageToken, nodes: [new MemoryNode({ store, nodeId, mounts })] });
    expect((await askPage(shown, `/api/tree?${pageQuery({ nodeId, path: "/" })}`)).status).toBe(400);
    const before = await tokenOf(shown, { nodeId });
    await memoryAt({ nodeId }).write("/a", "1");
    expect(await tokenOf(shown, { nodeId })).not.toBe(before);
  });

  it("is also a memory that comes into the list, and a proposal", async () => {
    const nodeId = randomUUID();
    const list = (more: object): Promise<string> => tokenOf(readOnly, { view: "memories", nodeId, ...more });
    const first = await list({});
    await memoryAt({ nodeId }).write("/a", "1");
    // A list of the same filter may be used again for a moment.
    const second = await list({ scope: "global" });
    await proposed(nodeId);
    const third = await list({ scope: "global" });
    expect(new Set([first, second, third]).size).toBe(3);
  });

  it("is refused with the reason where the database fails or is silent, and needs the token", async () => {
    const broken = createMemoryPage({ store: unreachable(), token: pageToken });
    const silent = createMemoryPage({
      store: { listProposals: never, listMemories: never, memory: () => memoryAt(newAddress()) } as never,
      token: pageToken,
    });
    for (const shown of [broken, silent])
      expect(await askPage(shown, "/api/changes?view=memory&nodeId=a")).toMatchObject({
        status: 503,
        json: { error: { code: "EIO", message: "the database failed or did not answer" } },
      });
    expect((await askPage(page, "/api/changes?view=inbox", { "memory-page-token": null })).status).toBe(401);
  });
});

/** A list that never comes. */
async function* never(): AsyncGenerator<never> {
  yield await new Promise<never>(() => undefined);
}

it("the page exports a large memory in turns with other requests", async () => {
  const files = Array.from({ length: 20_000 }, (_, index) => {
    const content = `text ${index} `.repeat(40);
    const at = new Date(0);
    return { path: `/file-${index}`, kind: "file", content, sizeBytes: content.length, createdAt: at, updatedAt: at };
  });
  const memory = { with: () => memory, snapshot: async () => ({ files, directories: [], revision: 1 }) };
  const listMemories = async function* (): AsyncGenerator<object> {
    yield { address: { nodeId: "large", scope: "global" } };
  };
  const large = createMemoryPage({ store: { memory: () => memory, listMemories } as never, token: pageToken });
  let turns = 0;
  const count = (): void => {
    turns += 1;
    timer = setImmediate(count);
  };
  let timer = setImmediate(count);
  const { text } = await askPage(large, "/api/export");
  clearImmediate(timer);
  expect(text.split("\n")).toHaveLength(20_002);
  expect(turns).toBeGreaterThan(3);
});

describe("whom the page answers", () => {
  it("needs a token or authorize, and refuses options that mean nothing", () => {
    expect(() => createMemoryPage({ store })).toThrow(/pass `authorize`.*or a `token`/);
    expect(() => createMemoryPage({ store, token: "short" })).toThrow(
      /token: must have 16 to 512 characters of A-Z a-z 0-9 - _$/,
    );
    for (const basePath of ["memory", "/memory/", "/a b", '/"', "/a/../b"])
      expect(() => createMemoryPage({ store, token: pageToken, basePath })).toThrow(/basePath/);
    expect(() => createMemoryPage({ store: {} as MongoMemoryStore, token: pageToken })).toThrow(
      /store: must be a MongoMemoryStore/,
    );
    expect(() => createMemoryPage({ store, token: pageToken, acess: "write" } as never)).toThrow(
      /"access" was probably meant/,
    );
  });

  it("answers under the names of this machine only", async () => {
    for (const host of ["localhost:1", "127.0.0.1:1", "[::1]:1", "127.0.0.2"])
      expect((await askPage(page, "/", { host })).status).toBe(200);
    const others = [
      "example.com",
      "127.0.0.1.example.com",
      "0.0.0.0",
      "192.168.1.1",
      "127.1",
      "0x7f000001",
      "2130706433",
    ];
    for (const host of others) expect((await askPage(page, "/", { host })).status).toBe(403);
  });

  it("lets authorize decide, also about what a visitor may do and who it is", async () => {
    const address = newAddress();
    const seen: string[] = [];
    const decided = createMemoryPage({
      store,
      access: "write",
      authorize: async (request) => {
        const who = request.headers.get("cookie");
        seen.push(new URL(request.url).pathname);
        if (who === null) return new Response(null, { status: 302, headers: { location: "/login" } });
        if (who === "broken") throw new Error("mongodb://secret@db.example");
        return who === "nobody"
          ? false
          : who === "anybody"
            ? true
            : { userId: who, access: who === "boss" ? "write" : "read" };
      },
    });
    const ask = (cookie: string | null, path = "/api/session") =>
      askPage(decided, path, { cookie, host: "app.example.com", "memory-page-token": "none" });
    expect(await ask(null, "/")).toMatchObject({ status: 302 });
    expect((await ask("nobody", "/client.js")).status).toBe(403);
    expect(await ask("broken")).toMatchObject({ status: 500, text: expect.not.stringContaining("secret") });
    expect((await ask("anybody")).json).toMatchObject({ access: "write", userId: null });
    expect((await ask("boss")).json).toMatchObject({ access: "write", userId: "boss" });
    expect((await ask("guest")).json).toMatchObject({ access: "read", userId: "guest" });
    const id = await proposed(address.nodeId);
    const approve = (cookie: string, more: object = {}) =>
      tellPage(
        decided,
        "/api/approve",
        { address, id, by: "someone else" },
        { cookie, host: "app.example.com", "memory-page-token": "none", ...more },
      );
    expect((await approve("guest")).status).toBe(403);
    expect((await approve("boss", { "sec-fetch-site": "cross-site" })).status).toBe(403);
    expect((await approve("boss", { "sec-fetch-site": null, origin: "http://evil.example" })).status).toBe(403);
    expect((await approve("boss", { "memory-page-token": null })).status).toBe(401);
    expect(await approve("boss")).toMatchObject({ json: { status: "approved", decidedBy: { userId: "boss" } } });
    expect(seen).toContain("/client.js");
  });

  it("lets nobody change anything on a read-only page, whatever authorize answers", async () => {
    const reading = createMemoryPage({ store, authorize: () => ({ userId: "boss", access: "write" }) });
    const address = newAddress();
    const id = await proposed(address.nodeId);
    expect((await askPage(reading, "/api/session")).json).toMatchObject({ access: "read", userId: "boss" });
    expect((await tellPage(reading, "/api/approve", { address, id })).status).toBe(403);
  });
});

describe("what the page says", () => {
  it("comes with a policy under which nothing runs but its own files", async () => {
    for (const path of ["/", "/client.js", "/client.css", "/api/memories", "/nothing"]) {
      const { headers } = await askPage(page, path);
      expect(headers.get("content-security-policy")).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'; form-action 'none'",
      );
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
    }
    expect((await askPage(page, "/")).text).not.toMatch(/<script(?! type="module" src="\/client.js">)|style=|\son\w+=/);
  });

  it("shows a title as it is, which is no part of the page", async () => {
    const titled = createMemoryPage({ store, token: pageToken, title: "</title><script>alert(1)</script>" });
    const { text } = await askPage(titled, "/");
    expect(text).toContain("<title>&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;</title>");
  });

  it("is sent again only if it has changed", async () => {
    const { headers } = await askPage(page, "/client.css");
    expect((await askPage(page, "/client.css", { "if-none-match": headers.get("etag") })).status).toBe(304);
  });

  it("holds no stack and no address of a server, whatever fails", async () => {
    const broken = createMemoryPage({ store: unreachable(), token: pageToken });
    const { status, text } = await askPage(broken, "/api/memories");
    expect([status, JSON.parse(text)]).toEqual([
      503,
      { error: { code: "EIO", message: "the database failed or did not answer" } },
    ]);
    const failing = createMemoryPage({
      store: {
        listMemories: () => {
          throw new TypeError("at secret.ts:1");
        },
      } as never,
      token: pageToken,
    });
    expect((await askPage(failing, "/api/memories")).text).toBe(
      '{"error":{"code":"EBUG","message":"the page failed unexpectedly; please report it"}}',
    );
  });

  it.each(["//client.js", "/client.js/", "/src/page/index.ts"])("is nothing at %s", async (path) => {
    expect((await askPage(page, path)).status).toBe(404);
  });

  it("says its basePath at another address", async () => {
    const mounted = createMemoryPage({ store, token: pageToken, basePath: "/memory" });
    expect((await askPage(mounted, "/other")).text).toContain("it is at /memory, its basePath");
    expect((await askPage(page, "/other")).text).toContain("it is at /, its basePath");
  });

  it("has a bound, whatever is asked of it", async () => {
    const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1]));
    const told = (name: string, body: unknown) => tellPage(page, `/api/${name}`, body);
    const error = (code: string, words: string) => ({
      json: { error: { code, message: expect.stringContaining(words) } },
    });
    for (const name of ["forget", "approve"]) {
      const few = await told(name, keys(5000));
      expect(few).toMatchObject({ status: 400, ...error("EINVAL", 'the request: unknown field "k0"; ') });
      expect(few).toMatchObject(error("EINVAL", " more"));
      expect(few.text.length).toBeLessThan(1000);
      expect(await told(name, "[".repeat(90_000))).toMatchObject({
        status: 400,
        ...error("EINVAL", "more than 100 levels"),
      });
    }
    expect(await told("approve", keys(450_000))).toMatchObject({
      status: 400,
      ...error("EINVAL", "more than 10000 values"),
    });
    expect(await told("approve", "[".repeat(6_000_000))).toMatchObject(error("EINVAL", "more than 100 levels"));
    expect(await told("forget", keys(450_000))).toMatchObject({
      status: 413,
      ...error("EFBIG", "more than 100000 bytes"),
    });
    expect(await told("approve", "x".repeat(6_200_000))).toMatchObject(error("EFBIG", "more than 6100000 bytes"));
  });

  it.each([
    ["too many bytes", "x", 100_000],
    ["too many levels", "[", 100],
  ])("is known after %s, of which it reads no more", async (_name, character, maxBytes) => {
    const pieceBytes = 1000;
    let read = 0;
    const body = new ReadableStream<Uint8Array>({
      pull: (stream) => {
        read += pieceBytes;
        stream.enqueue(Buffer.alloc(pieceBytes, character));
        if (read > 10_000_000) stream.close();
      },
    });
    const headers = {
      "memory-page-token": pageToken,
      origin: "http://localhost",
      "content-type": "application/json",
    };
    const request = new Request("http://localhost/api/forget", { method: "POST", headers, body, duplex: "half" });
    expect([400, 413]).toContain((await page(request)).status);
    expect(read).toBeLessThanOrEqual(maxBytes + 3 * pieceBytes);
  });

  it("ends what it asks of the database when the browser has gone", async () => {
    const gone = AbortSignal.abort();
    const request = new Request(`http://localhost/api/tree?${pageQuery({ ...newAddress(), path: "/" })}`, {
      signal: gone,
      headers: { "memory-page-token": pageToken },
    });
    expect((await page(request)).status).toBe(499);
  });
});

function unreachable(): MongoMemoryStore {
  return new MongoMemoryStore({
    client: new MongoClient("mongodb://127.0.0.1:9/", { serverSelectionTimeoutMS: 50 }),
    dbName,
  });
}
