import { randomUUID } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import {
  type MemoryAddress,
  type MemoryVersion,
  MemoryNode,
  MongoMemoryStore,
  openMemory,
} from "../../../src/index.js";
import { createRecordTools } from "../../../src/langchain/records/index.js";
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

/** Newest first. */
async function versionsOf(address: MemoryAddress): Promise<MemoryVersion[]> {
  const versions: MemoryVersion[] = [];
  for await (const version of memoryAt(address).history?.list() ?? []) versions.push(version);
  return versions;
}

/** A proposal of an agent. */
async function proposed(nodeId: string, content = "Pay at once.\n"): Promise<string> {
  const node = new MemoryNode({ store, nodeId, rules: [{ path: "/**", access: "ask" }], onAsk: "propose" });
  const answer = (await node.memoryTools[0]?.invoke({ command: "append", path: "/policy", content })) as string;
  return (JSON.parse(answer) as { result: { proposal: string } }).result.proposal;
}

describe("what the page answers", () => {
  it("lists memories by node, user and thread, with sizes and times", async () => {
    const nodeId = randomUUID();
    await memoryAt({ nodeId }).write("/a", "1");
    await memoryAt({ nodeId, scope: "perUser", userId: "ada" }).write("/a", "12");
    const { json, headers } = await askPage(readOnly, `/api/memories?nodeId=${nodeId}`);
    expect(json).toMatchObject({
      next: null,
      isAll: true,
      memories: [
        { address: { nodeId, scope: "global" }, files: 1 },
        { address: { nodeId, scope: "perUser", userId: "ada" }, files: 1 },
      ],
    });
    expect(headers.get("cache-control")).toBe("no-store");
    expect((await askPage(readOnly, `/api/memories?userId=${randomUUID()}`)).json).toEqual({
      memories: [],
      next: null,
      isAll: true,
    });
  });

  it("shows a directory in pages, a file, and both as they were", async () => {
    const address = newAddress();
    for (const name of ["a", "b", "c"]) await memoryAt(address).write(`/d/${name}`, name);
    const versions = await versionsOf(address);
    await memoryAt(address).delete("/d/b");
    const tree = (more: object) => askPage(readOnly, `/api/tree?${pageQuery({ ...address, path: "/d", ...more })}`);
    expect((await tree({ offset: 1 })).json).toEqual({
      entries: [{ name: "c", kind: "file" }],
      next: null,
      total: 2,
      rights: "",
    });
    expect((await tree({ at: versions[0]?.id })).json).toMatchObject({ total: 3 });
    const file = (path: string, more: object = {}) =>
      askPage(readOnly, `/api/file?${pageQuery({ ...address, path, ...more })}`);
    expect((await file("/d/a")).json).toMatchObject({ path: "/d/a", content: "a", sizeBytes: 1 });
    expect(await file("/d/b")).toMatchObject({ status: 404, json: { error: { code: "ENOENT" } } });
    expect((await file("/d/b", { at: versions[0]?.id })).json).toMatchObject({ content: "b" });
  });

  it("finds words, and lines that contain a text in any case", async () => {
    const address = newAddress();
    await memoryAt(address).write("/a.md", "one\ntwo milk, more milk\n\nMilk\nshe is allergic to peanuts");
    await memoryAt(address).write("/b.md", `${"x".repeat(9000)}milk${"y".repeat(9000)}`);
    const search = async (more: object) =>
      (await askPage(readOnly, `/api/search?${pageQuery({ ...address, ...more })}`)).json as {
        hits: { path: string; line: number; text: string }[];
        more: boolean;
      };
    const places = async (more: object) => (await search(more)).hits.map(({ path, line }) => `${path}:${line}`);
    expect(await places({ query: "milk", kind: "text" })).toEqual(["/a.md:2", "/a.md:4", "/b.md:1"]);
    expect((await search({ query: "peanut" })).hits[0]).toEqual({
      path: "/a.md",
      line: 5,
      text: "she is allergic to peanuts",
      score: expect.any(Number),
    });
    const { text: long = "" } = (await search({ query: "milky", kind: "text" })).hits[0] ?? {};
    expect(long).toMatch(/^…x+milky+…$/);
    expect(long.length).toBeLessThan(1100);
  });

  it("searches all memories of a node, a thread or a user, some at a time", async () => {
    const [nodeId, userId] = [randomUUID(), randomUUID()];
    await memoryAt({ nodeId }).write("/a", "likes tea\n");
    await memoryAt({ nodeId, scope: "perUser", userId }).write("/b", "hates tea\nand tea again\n");
    await memoryAt({ nodeId, scope: "perUser", userId: randomUUID() }).write("/c", "coffee\n");
    const search = async (more: Record<string, unknown>) =>
      (await askPage(readOnly, `/api/search-memories?${pageQuery(more)}`)).json;
    expect(await search({ nodeId, query: "tea", kind: "text" })).toMatchObject({
      searched: 3,
      next: null,
      found: [
        { memory: { address: { nodeId, scope: "global" } }, hits: [{ path: "/a", line: 1 }] },
        {
          memory: { address: { userId } },
          hits: [
            { path: "/b", line: 1 },
            { path: "/b", line: 2 },
          ],
        },
      ],
    });
    expect(await search({ userId, query: "tea" })).toMatchObject({
      searched: 1,
      found: [{ hits: [{ path: "/b" }, { path: "/b" }] }],
    });
    expect(await search({ nodeId, query: "tea", offset: 3 })).toEqual({ searched: 0, next: null, found: [] });
    expect(await search({ nodeId: randomUUID(), query: "tea" })).toEqual({ searched: 0, next: null, found: [] });
  });

  it("tells which files are below the log of the node, and below the usual log if the node has none or is unknown", async () => {
    const [nodeId, quiet] = [randomUUID(), randomUUID()];
    const nodes = [new MemoryNode({ store, nodeId, log: { path: "/said" } }), new MemoryNode({ store, nodeId: quiet })];
    const ofNodes = createMemoryPage({ store, token: pageToken, nodes });
    const isInLog = async (on: typeof page, path: string, of: string) => {
      await memoryAt({ nodeId: of }).write(path, "x");
      return ((await askPage(on, `/api/file?${pageQuery({ nodeId: of, path })}`)).json as { isInLog: boolean }).isInLog;
    };
    expect(await isInLog(ofNodes, "/said/a.md", nodeId)).toBe(true);
    expect(await isInLog(ofNodes, "/said-not/a.md", nodeId)).toBe(false);
    expect(await isInLog(ofNodes, "/conversations/a.md", nodeId)).toBe(false);
    expect(await isInLog(ofNodes, "/conversations/a.md", quiet)).toBe(true);
    expect(await isInLog(page, "/conversations/a.md", randomUUID())).toBe(true);
    expect(await isInLog(page, "/said/a.md", randomUUID())).toBe(false);
  });

  it("shows what a node has mounted, with the rights there, and what its model is shown of it", async () => {
    const [nodeId, team, rules, userId] = [randomUUID(), randomUUID(), randomUUID(), "ada"];
    const node = new MemoryNode({
      store,
      nodeId,
      scope: "perUser",
      mounts: {
        "/team": { nodeId: team, description: "What the team knows" },
        "/house/rules": { memory: openMemory(new InMemoryStore(), { nodeId: rules }), access: "read" },
      },
    });
    const mounted = createMemoryPage({ store, token: pageToken, nodes: [node] });
    const ask = async (name: string, more: object) =>
      (await askPage(mounted, `/api/${name}?${pageQuery({ nodeId, scope: "perUser", userId, ...more })}`)).json;
    await memoryAt({ nodeId: team }).write("/plan", "win at chess\n");
    await memoryAt({ nodeId, scope: "perUser", userId }).write("/own", "plays chess\n");
    expect(await ask("tree", { path: "/" })).toMatchObject({
      rights: "/house/rules/** is read-only. /team/** is writable (What the team knows).",
      entries: [
        { name: "house", kind: "dir" },
        { name: "own" },
        {
          name: "team",
          mount: {
            point: "/team",
            address: { nodeId: team },
            isHere: true,
            access: "write",
            description: "What the team knows",
          },
        },
      ],
    });
    expect(await ask("tree", { path: "/house" })).toMatchObject({
      entries: [{ name: "rules", mount: { isHere: false, access: "read", address: { nodeId: rules } } }],
    });
    expect(await ask("file", { path: "/team/plan" })).toMatchObject({
      content: "win at chess\n",
      mount: { point: "/team" },
    });
    expect(await ask("file", { path: "/own" })).toMatchObject({ mount: null });
    expect(await ask("search", { query: "chess", kind: "text" })).toMatchObject({
      hits: [{ path: "/own" }, { path: "/team/plan" }],
    });
    const connector = node.createConnector({ content: "full" });
    const rendered = async (owner: string) => (await connector.renderMessage({ userId: owner }))?.content;
    expect(await ask("message", {})).toMatchObject({
      text: await rendered(userId),
      isOfConnector: true,
      scope: "perUser",
      entries: 2,
      leftOut: 0,
    });
    await memoryAt({ nodeId }).write("/shared", "for all\n");
    expect(await ask("message", { userId: "bob" })).toMatchObject({
      text: await rendered("bob"),
      scope: "global",
    });
    // Tools of an agent change no message, so the page shows the paths of the memory.
    createRecordTools(node);
    expect(await ask("message", {})).toMatchObject({ text: expect.stringContaining("\n/team/plan (13 bytes)") });
    // Another scope of the same node has no mounts.
    expect(await ask("tree", { path: "/", scope: "global", userId: "" })).toMatchObject({ error: { code: "EINVAL" } });
    expect((await askPage(mounted, `/api/tree?${pageQuery({ nodeId, path: "/" })}`)).json).toEqual({
      entries: [{ name: "shared", kind: "file" }],
      next: null,
      total: 1,
      rights: "",
    });
  });

  it("tells what a version changed, by whom, and where lines come from", async () => {
    const address = newAddress();
    const by = (runId: string) => memoryAt(address).with({ actor: { agent: "scribe", runId } });
    await by("r1").write("/a", "one\ntwo\n");
    await by("r2").update("/a", "two", "three");
    const { json } = await askPage(readOnly, `/api/versions?${pageQuery({ ...address, path: "/a" })}`);
    const { versions } = json as { versions: { id: string; actor: object }[] };
    expect(versions.map(({ actor }) => actor)).toEqual([
      { agent: "scribe", runId: "r2" },
      { agent: "scribe", runId: "r1" },
    ]);
    const change = (index: number) =>
      askPage(readOnly, `/api/change?${pageQuery({ ...address, id: versions[index]?.id })}`);
    expect((await change(0)).json).toMatchObject({ hunks: [{ oldStart: 1, lines: [" one", "-two", "+three"] }] });
    expect((await change(1)).json).toMatchObject({ hunks: [{ oldLines: 0, lines: ["+one", "+two"] }] });
    expect((await askPage(readOnly, `/api/versions?${pageQuery({ ...address, runId: "r1" })}`)).json).toMatchObject({
      isKept: true,
      versions: [{ id: versions[1]?.id }],
    });
    expect((await askPage(readOnly, `/api/blame?${pageQuery({ ...address, path: "/a" })}`)).json).toMatchObject({
      runs: [
        { version: { id: versions[1]?.id }, isRedacted: false, lines: ["one"] },
        { version: { id: versions[0]?.id }, isRedacted: false, lines: ["three"] },
      ],
    });
  });

  it("tells what a version changed where the file has come, moved and gone since, and where a text is redacted", async () => {
    const address = newAddress();
    const memory = memoryAt(address);
    await memory.write("/a", "one\n");
    await memory.write("/other", "between\n");
    await memory.rename("/a", "/b");
    await memory.write("/b", "two\n");
    await memory.delete("/b");
    const versions = (await versionsOf(address)).toReversed();
    const changeAt = async (index: number) =>
      (await askPage(readOnly, `/api/change?${pageQuery({ ...address, id: versions[index]?.id })}`)).json;
    expect(await changeAt(2)).toMatchObject({ version: { path: "/b", from: "/a" }, hunks: [] });
    expect(await changeAt(3)).toMatchObject({ hunks: [{ lines: ["-one", "+two"] }] });
    expect(await changeAt(4)).toMatchObject({ version: { operation: "deleted" }, hunks: [{ lines: ["-two"] }] });
    await memory.history?.redact({ path: "/b" });
    expect(await changeAt(3)).toMatchObject({ version: { operation: "modified" }, hunks: null });
  });

  it("lists versions in pages, each from the last version of the page before", async () => {
    const address = newAddress();
    for (let index = 0; index < 120; index += 1) await memoryAt(address).append("/log", `${index}\n`);
    const all = (await versionsOf(address)).map(({ id }) => id);
    const list = async (more: object) =>
      (await askPage(readOnly, `/api/versions?${pageQuery({ ...address, ...more })}`)).json as {
        versions: { id: string }[];
        next: string | null;
      };
    const first = await list({});
    await memoryAt(address).write("/newer", "1");
    const second = await list({ olderThan: first.next });
    expect([...first.versions, ...second.versions].map(({ id }) => id)).toEqual(all);
    expect([first.next, second.next]).toEqual([all[99], null]);
    expect(await askPage(readOnly, `/api/versions?${pageQuery({ ...address, olderThan: "$where" })}`)).toMatchObject({
      status: 400,
    });
  });

  it("shows the message that the defaults of connectors give a model", async () => {
    const address = { nodeId: randomUUID(), scope: "perUser", userId: "ada" } as const;
    const node = new MemoryNode({ store, nodeId: address.nodeId, scope: "perUser" });
    const connector = node.createConnector();
    const message = async () => (await askPage(readOnly, `/api/message?${pageQuery(address)}`)).json;
    const rendered = async () => (await connector.renderMessage({ userId: "ada" }))?.content;
    await memoryAt({ nodeId: address.nodeId }).write("/shared", "of all");
    expect(await message()).toMatchObject({ text: await rendered(), isOfConnector: false, scope: "global" });
    for (let index = 0; index < 40; index += 1)
      await memoryAt(address).write(`/deep/er/file-${index}`, `note ${index}`);
    expect(await message()).toMatchObject({ text: await rendered(), scope: "perUser", entries: 42, leftOut: 0 });
  });

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

describe("what the page does", () => {
  it("restores a version, after it has shown the difference, and names who did", async () => {
    const address = newAddress();
    await memoryAt(address).write("/a", "one\n");
    const [first] = await versionsOf(address);
    await memoryAt(address).write("/a", "two\n");
    const preview = await askPage(page, `/api/revert-preview?${pageQuery({ ...address, to: first?.id, path: "/a" })}`);
    expect(preview.json).toMatchObject({ hunks: [{ lines: ["-two", "+one"] }] });
    expect(
      (await tellPage(page, "/api/revert", { address, what: { path: "/a", to: first?.id }, by: "ada" })).status,
    ).toBe(200);
    expect(await memoryAt(address).read("/a")).toBe("one\n");
    const [last] = await versionsOf(address);
    expect(last?.actor).toEqual({ userId: "ada", client: "langgraph-mongo-memory page" });
  });

  it("undoes a run, and later changes only if it is told to", async () => {
    const address = newAddress();
    await memoryAt(address)
      .with({ actor: { runId: "r1" } })
      .write("/a", "bad\n");
    await memoryAt(address).write("/a", "later\n");
    expect((await askPage(page, `/api/revert-preview?${pageQuery({ ...address, runId: "r1" })}`)).json).toMatchObject({
      hunks: null,
      versions: [{ path: "/a" }],
    });
    const undo = (force: boolean) => tellPage(page, "/api/revert", { address, what: { runId: "r1" }, force });
    expect(await undo(false)).toMatchObject({ status: 409, json: { error: { code: "ECONFLICT" } } });
    expect((await undo(true)).status).toBe(200);
    expect(await memoryAt(address).stat("/a")).toBeNull();
  });

  it("redacts a text in all versions that hold it", async () => {
    const address = newAddress();
    for (const text of ["secret", "other", "secret", "last"]) await memoryAt(address).write("/a", text);
    const versions = await versionsOf(address);
    expect((await tellPage(page, "/api/find-text", { address, text: "ecre" })).json).toMatchObject({
      versions: [{ id: versions[1]?.id }, { id: versions[3]?.id }],
      versionCount: 2,
      proposals: 0,
      files: [],
    });
    expect(await tellPage(page, "/api/redact", { address, text: "ecre", by: "ada" })).toMatchObject({
      status: 200,
      json: { redacted: 2 },
    });
    const changeOf = async (id: string | undefined) =>
      (await askPage(page, `/api/change?${pageQuery({ ...address, id })}`)).json;
    expect(await changeOf(versions[1]?.id)).toMatchObject({
      hunks: [{ lines: expect.arrayContaining(["-other", "+s----t"]) }],
      version: { redactedBy: { userId: "ada" } },
    });
    expect((await tellPage(page, "/api/find-text", { address, text: "" })).status).toBe(400);
  });

  it("forgets a memory, or all of a user, after it has shown which", async () => {
    const userId = randomUUID();
    for (const nodeId of [randomUUID(), randomUUID()])
      await memoryAt({ nodeId, scope: "perUser", userId }).write("/a", "1");
    expect((await askPage(page, `/api/forget-preview?userId=${userId}`)).json).toMatchObject({
      count: 2,
      files: 2,
      more: false,
    });
    expect(await tellPage(page, "/api/forget", { userId })).toMatchObject({
      status: 200,
      json: { memories: 2, files: 2 },
    });
    expect((await askPage(page, `/api/memories?userId=${userId}`)).json).toMatchObject({ memories: [] });
    for (const nothing of [{}, { userId: "a", threadId: "b" }, { scope: "global" }])
      expect((await tellPage(page, "/api/forget", nothing)).status).toBe(400);
  });

  it.each(["userId=a&threadId=b", "nodeId=%00", "scope=perUser&threadId=a"])(
    "refuses an export of %s before it begins to answer",
    async (filter) => {
      expect(await askPage(page, `/api/export?${filter}`)).toMatchObject({
        status: 400,
        json: { error: { code: "EINVAL" } },
      });
    },
  );

  it("exports a large memory in turns with other requests", async () => {
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

  it("approves, edits and rejects proposals, by a person who is named", async () => {
    const address = newAddress();
    const [first, second, third] = [
      await proposed(address.nodeId),
      await proposed(address.nodeId, "b"),
      await proposed(address.nodeId, "c"),
    ];
    const list = await askPage(page, `/api/proposals?${pageQuery(address)}`);
    expect((list.json as { proposals: { id: string }[] }).proposals.map(({ id }) => id)).toEqual([
      first,
      second,
      third,
    ]);
    expect((await askPage(page, `/api/proposal?${pageQuery({ ...address, id: first })}`)).json).toMatchObject({
      content: "Pay at once.\n",
      hunks: [{ lines: ["+Pay at once."] }],
    });
    expect((await tellPage(page, "/api/approve", { address, id: first })).status).toBe(400);
    expect(
      await tellPage(page, "/api/approve", { address, id: first, by: "ada", content: "Pay in time.\n" }),
    ).toMatchObject({ json: { status: "approved", decidedBy: { userId: "ada" } } });
    expect(await memoryAt(address).read("/policy")).toBe("Pay in time.\n");
    expect(await tellPage(page, "/api/approve", { address, id: second, by: "ada" })).toMatchObject({ status: 409 });
    expect(await tellPage(page, "/api/reject", { address, id: second, by: "ada", reason: "no" })).toMatchObject({
      json: { status: "rejected", reason: "no" },
    });
    expect((await askPage(page, `/api/proposals?${pageQuery({ ...address, status: "rejected" })}`)).json).toMatchObject(
      { proposals: [{ id: second }] },
    );
  });
});

describe("whom the page answers", () => {
  const forged: [string, Record<string, string | null>][] = [
    ["no token", { "memory-page-token": null }],
    ["a wrong token", { "memory-page-token": "token-of-that-page" }],
    ["another site", { "sec-fetch-site": "cross-site" }],
    ["another port of this machine", { "sec-fetch-site": "same-site" }],
    ["a host that was made to point here", { host: "evil.example:4000" }],
    ["a host that only looks like this machine", { host: "evil.example@127.0.0.1" }],
  ];
  const foreign: typeof forged = [
    ["no origin", { origin: null }],
    ["another origin", { origin: "http://evil.example" }],
    ["another port as origin", { origin: "http://localhost:4001" }],
    ["an opaque origin", { origin: "null" }],
    ["a form", { "content-type": "application/x-www-form-urlencoded" }],
    ["a text", { "content-type": "text/plain" }],
  ];

  it.each([...forged, ...foreign])("refuses a change from %s", async (_from, headers) => {
    const address = newAddress();
    await memoryAt(address).write("/a", "1");
    const { status, text } = await tellPage(page, "/api/forget", address, headers);
    expect([401, 403, 415]).toContain(status);
    expect(text).not.toContain(pageToken);
    expect(await memoryAt(address).read("/a")).toBe("1");
  });

  it.each(forged)("tells nothing to %s", async (_from, headers) => {
    const { status, json } = await askPage(page, "/api/memories", headers);
    expect([401, 403]).toContain(status);
    expect(json).toEqual({ error: { code: "EACCES", message: expect.any(String) } });
  });

  it("changes nothing with access read", async () => {
    const address = newAddress();
    const id = await proposed(address.nodeId);
    await memoryAt(address).write("/a", "1");
    const [version] = await versionsOf(address);
    const changes: [string, object][] = [
      ["forget", address],
      ["approve", { address, id, by: "ada" }],
      ["reject", { address, id, by: "ada" }],
      ["revert", { address, what: { path: "/a", to: version?.id } }],
      ["redact", { address, text: "1" }],
    ];
    for (const [name, body] of changes)
      expect(await tellPage(readOnly, `/api/${name}`, body)).toMatchObject({
        status: 403,
        json: { error: { message: expect.stringContaining("read-only") } },
      });
    expect((await askPage(readOnly, `/api/proposals?${pageQuery(address)}`)).json).toMatchObject({
      proposals: [{ id, status: "pending" }],
    });
  });

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

  it.each([
    "/api/../../etc/passwd",
    "/api/__proto__",
    "/api/constructor",
    "//client.js",
    "/client.js/",
    "/api/",
    "/api/file/x",
    "/src/page/index.ts",
  ])("is nothing at %s", async (path) => {
    expect((await askPage(page, path)).status).toBe(404);
  });

  it("says its basePath at another address", async () => {
    const mounted = createMemoryPage({ store, token: pageToken, basePath: "/memory" });
    expect((await askPage(mounted, "/other")).text).toContain("it is at /memory, its basePath");
    expect((await askPage(page, "/other")).text).toContain("it is at /, its basePath");
  });

  it("refuses bad queries, bodies and methods, with the reason", async () => {
    const address = newAddress();
    const refused = async (answer: Promise<{ status: number; text: string }>, status: number, words: string) => {
      const { status: found, text } = await answer;
      expect([found, text]).toEqual([status, expect.stringContaining(words)]);
    };
    await refused(
      askPage(page, `/api/tree?${pageQuery({ ...address, path: "/", offset: 100_000_000 })}`),
      400,
      "offset: must be at most 10000000",
    );
    await refused(askPage(page, `/api/tree?${pageQuery({ ...address, path: "/", more: 1 })}`), 400, "more");
    await refused(askPage(page, "/api/tree?nodeId=a&nodeId=b&path=/"), 400, "stands twice");
    await refused(
      askPage(page, `/api/tree?${pageQuery({ nodeId: "a", scope: "perUser", path: "/" })}`),
      400,
      "user_id is required",
    );
    await refused(askPage(page, `/api/file?${pageQuery({ ...address, path: "/../a" })}`), 400, "EINVAL");
    await refused(askPage(page, `/api/change?${pageQuery({ ...address, id: "$where" })}`), 400, "EINVAL");
    await refused(askPage(page, "/api/forget"), 405, "another method");
    await refused(tellPage(page, "/api/forget", "{"), 400, "not valid JSON");
    await refused(tellPage(page, "/api/forget", { nodeId: { $ne: "" } }), 400, "nodeId");
    await refused(
      tellPage(page, "/api/approve", { address, id: "a", by: "b", content: "x".repeat(6_200_000) }),
      413,
      "more than",
    );
    await refused(tellPage(page, "/client.js", {}), 405, "another method");
    const headers = { "memory-page-token": pageToken };
    const head = new Request("http://localhost/api/changes?view=inbox", { method: "HEAD", headers });
    expect((await page(head)).status).toBe(405);
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
