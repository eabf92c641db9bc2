import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "@jest/globals";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import express from "express";
import { logConversation, type MemoryAddress, MemoryNode, MongoMemoryStore } from "../../../src/index.js";
import { createMemoryPage, type MemoryPageOptions } from "../../../src/page/index.js";
import { pageRoutes } from "../../../src/page/routes/routes.js";
import { commandsOf } from "../../helpers/commands-of.js";
import { askPage, type PageAnswer, pageQuery, pageToken, tellPage } from "../../helpers/page-client.js";
import { cli } from "../../helpers/run-cli.js";
import { testDatabase } from "../../helpers/test-database.js";

const { client, uri, name: dbName } = testDatabase("replicaSet");
const store = new MongoMemoryStore({ client, dbName, history: true });
const adaId = "ada@example.com";
const eveId = "eve@example.com";
const own = { nodeId: "support", scope: "perUser", userId: adaId } as const;

/** Memories of others that exist, each with one of the same kind that does not. */
const foreign = [
  [
    { nodeId: "support", scope: "perUser", userId: eveId },
    { nodeId: "support", scope: "perUser", userId: "nobody" },
  ],
  [
    { nodeId: "eves-own", scope: "perUser", userId: eveId },
    { nodeId: "none", scope: "perUser", userId: eveId },
  ],
  [
    { nodeId: "support", scope: "global" },
    { nodeId: "none", scope: "global" },
  ],
  [
    { nodeId: "team-notes", scope: "global" },
    { nodeId: "none", scope: "global" },
  ],
  [
    { nodeId: "support", scope: "perThread", threadId: "thread-of-eve" },
    { nodeId: "support", scope: "perThread", threadId: "none" },
  ],
  // A thread with the id of the person.
  [
    { nodeId: "support", scope: "perThread", threadId: adaId },
    { nodeId: "none", scope: "perThread", threadId: adaId },
  ],
] as const;

const node = new MemoryNode({
  store,
  nodeId: "support",
  scope: "perUser",
  mounts: {
    "/team": { nodeId: "team-notes", access: "read", description: "What all know" },
    "/desk": { memory: store.memory({ nodeId: "desk", scope: "perUser", userId: eveId }), access: "read" },
  },
});

function openPage(answer: unknown, more: Partial<MemoryPageOptions> = {}) {
  return createMemoryPage({
    store,
    nodes: [node],
    access: "write",
    // A program without types may answer anything.
    authorize: () => answer as boolean,
    ...more,
  });
}

node.createConnector({ content: "full" });

const page = openPage({ owner: { userId: adaId } });
const staff = openPage({ userId: "staff@example.com" });

/** An agent proposes to append to a file. */
async function propose(userId: string, path = "/policy"): Promise<string> {
  const agent = new MemoryNode({
    store,
    nodeId: "support",
    scope: "perUser",
    rules: [{ path: "/**", access: "ask" }],
    onAsk: "propose",
  });
  const answer = (await agent.memoryTools[0]?.invoke(
    { command: "append", path, content: `policy of ${userId}\n` },
    { configurable: { user_id: userId } },
  )) as string;
  return (JSON.parse(answer) as { result: { proposal: string } }).result.proposal;
}

let proposalOfEve = "";
let proposalOfAda = "";

beforeAll(async () => {
  for (const [address] of foreign) {
    const memory = store.memory(address).with({ actor: { userId: eveId, runId: "run-of-eve", agent: "scribe" } });
    const secret = address.nodeId === "team-notes" ? "of the team" : `secret of ${eveId}`;
    for (let index = 0; index < 9; index += 1) await memory.write("/own", `${index} ${secret}\n`);
    await memory.write("/only-eve", `${secret}, 9 words of Eve\n`);
  }
  await store.memory({ nodeId: "desk", scope: "perUser", userId: eveId }).write("/note", "shown to all\n");
  await store
    .memory(own)
    .with({ actor: { userId: adaId, runId: "run-of-ada" } })
    .write("/own", "likes tea\n");
  await store
    .memory(own)
    .with({ actor: { userId: "staff@example.com", threadId: "thread-of-staff", agent: "desk" } })
    .write("/own", "likes green tea\n");
  proposalOfEve = await propose(eveId);
  proposalOfAda = await propose(adaId);
});

/** What a request names: a memory, and handles of what is in it. */
interface Named {
  address: object;
  path: string;
  version: string;
  proposal: string;
  runId: string;
  text: string;
}

type Send = (on: typeof page, headers?: Record<string, string | null>) => Promise<PageAnswer>;

const get =
  (path: string, query: object): Send =>
  (on, headers) =>
    askPage(on, `/api/${path}?${pageQuery({ ...query })}`, headers);
const post =
  (path: string, body: object): Send =>
  (on, headers) =>
    tellPage(on, `/api/${path}`, body, headers);

/** The requests of each route that name a memory, or something in it. */
const requests: Record<string, (named: Named) => Send[]> = {
  memories: ({ address }) => [get("memories", address)],
  "forget-preview": ({ address }) => [get("forget-preview", address)],
  forget: ({ address }) => [post("forget", address)],
  changes: ({ address }) => [get("changes", { view: "memory", ...address })],
  tree: ({ address, version }) => [
    get("tree", { ...address, path: "/" }),
    get("tree", { ...address, path: "/", at: version }),
  ],
  file: ({ address, path, version }) => [
    get("file", { ...address, path }),
    get("file", { ...address, path, at: version }),
  ],
  write: ({ address, path }) => [
    post("write", { address, path, content: "other\n", digest: null }),
    post("write", { address, path, content: "other\n", digest: "0".repeat(64), by: eveId }),
  ],
  rename: ({ address, path }) => [post("rename", { address, from: path, to: `${path}-renamed` })],
  delete: ({ address, path }) => [post("delete", { address, path })],
  search: ({ address }) => [
    get("search", { ...address, query: "secret" }),
    get("search", { ...address, query: "secret", kind: "text" }),
  ],
  "search-memories": ({ address }) => [
    get("search-memories", { ...address, query: "secret" }),
    get("search-memories", { ...address, query: "secret", kind: "text", offset: 1 }),
  ],
  versions: ({ address, path, version, runId }) => [
    get("versions", address),
    get("versions", { ...address, path }),
    get("versions", { ...address, runId }),
    get("versions", { ...address, olderThan: version }),
  ],
  change: ({ address, version }) => [get("change", { ...address, id: version })],
  blame: ({ address, path }) => [get("blame", { ...address, path })],
  "revert-preview": ({ address, path, version, runId }) => [
    get("revert-preview", { ...address, path, to: version }),
    get("revert-preview", { ...address, runId }),
  ],
  revert: ({ address, path, version, runId }) => [
    post("revert", { address, what: { path, to: version } }),
    post("revert", { address, what: { runId }, force: true }),
  ],
  "find-text": ({ address, text }) => [post("find-text", { address, text })],
  redact: ({ address, text }) => [post("redact", { address, text, cut: true })],
  proposals: ({ address }) => [get("proposals", address), get("proposals", { ...address, status: "approved" })],
  proposal: ({ address, proposal }) => [get("proposal", { ...address, id: proposal })],
  approve: ({ address, proposal }) => [post("approve", { address, id: proposal, by: eveId })],
  reject: ({ address, proposal }) => [post("reject", { address, id: proposal, by: eveId })],
  decide: ({ address, proposal }) => [
    post("decide", { address, ids: [proposal], decision: "approve", by: eveId }),
    post("decide", { address, ids: [proposal], decision: "reject", by: eveId }),
  ],
  tidy: ({ address }) => [get("tidy", address)],
  message: ({ address }) => [get("message", address)],
  export: ({ address }) => [get("export", address)],
};

const routeNames: string[] = [...new Set(pageRoutes.map(({ path }) => path))];

/** An answer, in which a refusal calls what the request named by the same names in all answers. */
function toComparable(
  { status, headers, text }: PageAnswer,
  { version, proposal, runId, path, text: words }: Named,
): object {
  const names = [words, version, proposal, runId, path];
  const plain = names.reduce(
    (shown, name, index) =>
      status < 400 ? shown : shown.replaceAll(new RegExp(`(?<!\\w)${name}(?!\\w)`, "g"), `<${index}>`),
    text,
  );
  const sent = [...headers].filter(([name]) => name !== "date");
  return { status, headers: sent, text: plain };
}

async function everythingOfOthers(): Promise<unknown[]> {
  const memories = [
    ...foreign.map(([address]) => address),
    { nodeId: "desk", scope: "perUser", userId: eveId } as const,
  ];
  return Promise.all(
    memories.map(async (address) => {
      const versions: unknown[] = [];
      const proposals: unknown[] = [];
      const memory = store.memory(address);
      for await (const version of memory.history?.list() ?? []) versions.push(version);
      for await (const proposal of memory.proposals?.list() ?? []) proposals.push(proposal);
      return [await memory.snapshot(), versions, proposals];
    }),
  );
}

const ofEve: Omit<Named, "address"> = {
  path: "/only-eve",
  version: "7",
  proposal: "",
  runId: "run-of-eve",
  text: "9 words of Eve",
};
const ofNobody: Omit<Named, "address"> = {
  path: "/no-file1",
  version: "8888",
  proposal: randomUUID(),
  runId: "run-of-none",
  text: "9 words of Bob",
};

describe("an owner who attacks", () => {
  it("is tested with every route", () => {
    expect(Object.keys(requests).toSorted()).toEqual(routeNames.toSorted());
  });

  it.each(routeNames)("learns by %s nothing of the memories of others, not even whether they exist", async (name) => {
    const before = await everythingOfOthers();
    for (const [address, missing] of foreign) {
      const handles = { ...ofEve, proposal: proposalOfEve };
      const attacks = requests[name]?.({ address, ...handles }) ?? [];
      const others = requests[name]?.({ address: missing, ...handles }) ?? [];
      for (const [index, attack] of attacks.entries()) {
        const answers: PageAnswer[] = [];
        const commands = await commandsOf(client, async () => {
          answers.push(await attack(page));
        });
        const [answer] = answers;
        const other = await others[index]?.(page);
        if (answer === undefined || other === undefined) throw new Error("there is no answer");
        const sent = ({ status, text, headers }: PageAnswer): object => ({ status, text, headers: [...headers] });
        expect(sent(answer)).toEqual(sent(other));
        expect(answer.text).not.toMatch(/eve@|secret|eves-own|thread-of-eve|run-of-eve/);
        // What is not looked for takes no time that could tell of it.
        expect(commands).toEqual([]);
      }
    }
    expect(await everythingOfOthers()).toEqual(before);
  });

  it.each(routeNames)("learns by %s nothing of the handles of others in an own memory", async (name) => {
    const before = await everythingOfOthers();
    // These routes would change what the others attack.
    const address = ["write", "rename", "delete", "forget"].includes(name) ? { ...own, nodeId: `none-${name}` } : own;
    const handles = { address, ...ofEve, proposal: proposalOfEve };
    const missing = { address, ...ofNobody };
    const attacks = requests[name]?.(handles) ?? [];
    const others = requests[name]?.(missing) ?? [];
    for (const [index, attack] of attacks.entries()) {
      const [answer, other] = [await attack(page), await others[index]?.(page)];
      if (other === undefined) throw new Error("there is no answer");
      expect(toComparable(answer, handles)).toEqual(toComparable(other, missing));
      expect(toComparable(answer, handles)).not.toMatchObject({ text: expect.stringMatching(/eve@|secret/) });
    }
    if (address !== own) await store.forget(address);
    expect(await everythingOfOthers()).toEqual(before);
  });

  it("gets what is theirs by filters that name others, as if others did not exist", async () => {
    for (const filter of [
      { userId: eveId },
      { threadId: "thread-of-eve" },
      { scope: "global" },
      { nodeId: "eves-own" },
    ]) {
      for (const route of ["memories", "search-memories"] as const) {
        const query = { ...filter, ...(route === "search-memories" && { query: "secret", kind: "text" }) };
        const answer = await askPage(page, `/api/${route}?${pageQuery(query)}`);
        expect(JSON.stringify(answer.json)).toBe(
          route === "memories" ? '{"memories":[],"next":null,"isAll":true}' : '{"found":[],"searched":0,"next":null}',
        );
      }
      expect((await askPage(page, `/api/export?${pageQuery(filter)}`)).text.split("\n")).toHaveLength(2);
      if (!("nodeId" in filter || "scope" in filter))
        expect((await tellPage(page, "/api/forget", filter)).json).toEqual({
          error: { code: "ENOENT", message: "there is no such memory" },
        });
    }
  });

  it("does not learn who else changed or decided something of theirs", async () => {
    const id = await propose(adaId, "/decided");
    await store.memory(own).proposals?.approve(id, { by: { userId: "staff@example.com", client: "desk" } });
    const asked = [
      `versions?${pageQuery(own)}`,
      `blame?${pageQuery({ ...own, path: "/own" })}`,
      `proposals?${pageQuery({ ...own, status: "approved" })}`,
      `proposal?${pageQuery({ ...own, id })}`,
    ];
    for (const path of asked) {
      expect((await askPage(staff, `/api/${path}`)).text).toContain("staff@example.com");
      const { status, text } = await askPage(page, `/api/${path}`);
      expect([status, text]).toEqual([200, expect.not.stringMatching(/staff@|thread-of-staff/)]);
    }
    expect((await tellPage(page, "/api/reject", { address: own, id })).json).toEqual({
      error: { code: "ECONFLICT", message: `the proposal ${id} was approved already` },
    });
  });

  it("does not learn who made the later change that an undo would also undo", async () => {
    const path = `/${randomUUID()}`;
    await store
      .memory(own)
      .with({ actor: { runId: path } })
      .write(path, "poison");
    await store
      .memory(own)
      .with({ actor: { userId: "staff@example.com", threadId: "thread-of-staff" } })
      .write(path, "x");
    const undo = { address: own, what: { runId: path }, force: false };
    expect((await tellPage(staff, "/api/revert", undo)).text).toContain("by userId staff@example.com");
    const { status, text } = await tellPage(page, "/api/revert", undo);
    expect([status, text]).toEqual([409, expect.stringContaining(`modified ${path}"`)]);
    expect(text).not.toMatch(/staff/);
  });

  it.each([
    { owner: undefined },
    { owner: null },
    { owner: {} },
    { owner: { userId: "" } },
    { owner: { userId: undefined } },
    { owner: { userId: adaId, nodeId: "support" } },
    { owner: adaId },
  ])("is refused where authorize answers %j", async (answer) => {
    expect((await askPage(openPage(answer), "/api/memories")).status).toBe(500);
  });
});

describe("every route", () => {
  const token = pageToken;
  const open = createMemoryPage({ store, token, access: "write" });
  const named = { address: own, ...ofEve, proposal: randomUUID() };
  const readOnly = createMemoryPage({ store, token });
  const forged: [from: string, headers: Record<string, string | null>, status: number][] = [
    ["no token", { "memory-page-token": null }, 401],
    ["a wrong token", { "memory-page-token": `${token}x` }, 401],
    ["another site", { "sec-fetch-site": "cross-site" }, 403],
    ["another port of this machine", { "sec-fetch-site": "same-site" }, 403],
    ["a host that was made to point here", { host: "evil.example:4000" }, 403],
    ["a host that only looks like this machine", { host: "evil.example@127.0.0.1" }, 403],
  ];
  const forgedChanges: typeof forged = [
    ["no origin", { origin: null }, 403],
    ["another origin", { origin: "http://evil.example" }, 403],
    ["another port as origin", { origin: "http://localhost:4001" }, 403],
    ["an opaque origin", { origin: "null" }, 403],
    ["a form", { "content-type": "application/x-www-form-urlencoded" }, 415],
    ["a text", { "content-type": "text/plain" }, 415],
  ];

  /** Sends the requests of a route from each of these. Their answers tell nothing. */
  async function expectRefused(name: string, on: typeof page, from: typeof forged): Promise<void> {
    const before = await store.memory(own).snapshot();
    for (const [title, headers, status] of from)
      for (const send of requests[name]?.(named) ?? []) {
        const answer = await send(on, headers);
        expect([title, answer.status, Object.keys(answer.json as object)]).toEqual([title, status, ["error"]]);
        expect(answer.text).not.toContain(token);
      }
    expect(await store.memory(own).snapshot()).toEqual(before);
  }

  it.each(routeNames)("%s refuses who has no token, another site and another host", async (name) => {
    await expectRefused(name, open, forged);
  });

  const changing = pageRoutes.filter(({ method }) => method === "POST").map(({ path }) => path);

  it.each(changing)(
    "%s changes nothing by a form, from another origin, or on a page that is read-only",
    async (name) => {
      await expectRefused(name, open, forgedChanges);
      await expectRefused(name, readOnly, [["a visitor", {}, 403]]);
    },
  );
});

describe("an owner", () => {
  it("sees and searches what is theirs, with what is mounted there and not whose it is", async () => {
    const ask = async (path: string, query: object = {}): Promise<unknown> =>
      (await askPage(page, `/api/${path}?${pageQuery({ ...query })}`)).json;
    expect(await ask("session")).toEqual({
      access: "write",
      userId: adaId,
      owner: { userId: adaId },
      place: null,
    });
    expect(await ask("memories")).toMatchObject({ memories: [{ address: own }], next: null });
    const { entries } = (await ask("tree", { ...own, path: "/" })) as { entries: object[] };
    expect(entries).toContainEqual({
      name: "team",
      kind: "dir",
      mount: { point: "/team", address: null, isHere: false, access: "read", description: "What all know" },
    });
    expect(JSON.stringify(entries)).not.toContain("eve@");
    expect(await ask("file", { ...own, path: "/desk/note" })).toMatchObject({ content: "shown to all\n" });
    expect(await ask("search", { ...own, query: "likes", kind: "text" })).toMatchObject({ hits: [{ path: "/own" }] });
    expect(await ask("search-memories", { query: "likes", kind: "text" })).toMatchObject({ searched: 1 });
    expect(await ask("changes", { view: "inbox" })).toMatchObject({ waiting: { memories: [{ address: own }] } });
    expect(await ask("proposals")).toMatchObject({ proposals: [{ id: proposalOfAda, address: own }] });
    expect(await ask("message", own)).toMatchObject({ text: expect.stringContaining("likes green tea") });
  });

  it("sees an empty memory and no shared one in its place, with and without mounts", async () => {
    for (const shown of [
      page,
      openPage({ owner: { userId: "new@example.com" } }),
      openPage({ owner: { userId: "new@example.com" } }, { nodes: [] }),
    ]) {
      const userId = shown === page ? adaId : "new@example.com";
      const query = pageQuery({ nodeId: "support", scope: "perUser", userId });
      expect((await askPage(shown, `/api/message?${query}`)).json).toMatchObject({ scope: "perUser" });
    }
  });

  it("corrects and decides under their own name, whatever name the request gives", async () => {
    const versions = (await askPage(page, `/api/versions?${pageQuery({ ...own, path: "/own" })}`)).json as {
      versions: { id: string }[];
    };
    const first = versions.versions.at(-1)?.id;
    const what = { path: "/own", to: first };
    expect(await tellPage(page, "/api/revert", { address: own, what, by: eveId })).toMatchObject({
      status: 200,
      json: { versions: [{ actor: { userId: adaId } }] },
    });
    expect(await store.memory(own).read("/own")).toBe("likes tea\n");
    expect(await tellPage(page, "/api/approve", { address: own, id: proposalOfAda, by: eveId })).toMatchObject({
      json: { status: "approved", decidedBy: { userId: adaId } },
    });
  });

  it("exports what is theirs in the format of the command import, and deletes it", async () => {
    const userId = `${randomUUID()}@example.com`;
    const shown = openPage({ owner: { userId } });
    const address = { nodeId: "support", scope: "perUser", userId } as const;
    await store.memory(address).write("/notes/tea.md", "likes tea ☕\n");
    const { text, headers } = await askPage(shown, "/api/export");
    expect(headers.get("content-disposition")).toBe('attachment; filename="memories.jsonl"');
    const target = ["--uri", uri, "--db", dbName, "--memories-collection", `imported ${userId}`];
    expect(await cli(["import", "-", ...target], { stdin: text })).toMatchObject({ exitCode: 0 });
    const imported = new MongoMemoryStore({ client, dbName, memoriesCollection: `imported ${userId}` });
    expect(await imported.memory(address).read("/notes/tea.md")).toBe("likes tea ☕\n");
    expect((await tellPage(shown, "/api/forget", { userId })).json).toMatchObject({ memories: 1, files: 1 });
    expect((await askPage(shown, "/api/memories")).json).toMatchObject({ memories: [], next: null });
  });

  it("is not told which memories of others mention them", async () => {
    const userId = `${randomUUID()}@example.com`;
    await store.memory({ nodeId: "support", scope: "perUser", userId: eveId }).append("/friends", userId);
    await store.memory({ ...own, userId }).write("/a", "x");
    const forget = async (on: typeof page) => (await tellPage(on, "/api/forget", { userId })).json;
    expect(await forget(openPage({ owner: { userId } }))).toEqual({
      memories: 1,
      files: 1,
      versions: 1,
      proposals: 0,
    });
    expect(await forget(staff)).toMatchObject({
      memories: 0,
      mentions: { memories: 1, addresses: [{ userId: eveId }] },
    });
  });

  it("sees the log of their own conversations alone, finds what was said, deletes a day, and exports the others", async () => {
    const address = { nodeId: "support", scope: "perUser", userId: `${randomUUID()}@example.com` } as const;
    const ofOther = { ...address, userId: eveId };
    const log = (of: MemoryAddress, day: string, question: string) =>
      logConversation(store.memory(of), [new HumanMessage(question), new AIMessage("It is.")], {
        at: new Date(`${day}T09:05:00Z`),
        threadId: day,
      });
    await log(address, "2026-03-04", "Is the window seat free?");
    await log(address, "2026-03-05", "Is the aisle seat free?");
    await log(ofOther, "2026-03-04", "Is the secret seat free?");
    const shown = openPage(
      { owner: { userId: address.userId } },
      { nodes: [new MemoryNode({ store, nodeId: "support", scope: "perUser", log: true })] },
    );
    const ask = (path: string, query: object) => askPage(shown, `/api/${path}?${pageQuery({ ...query })}`);
    const [path, next] = ["/conversations/2026-03-04/2026-03-04.md", "/conversations/2026-03-05/2026-03-05.md"];
    expect((await ask("tree", { ...address, path: "/conversations" })).json).toMatchObject({ total: 2 });
    expect((await ask("file", { ...address, path })).json).toMatchObject({
      isInLog: true,
      content: expect.stringMatching(/^User: Is the window seat free\?\n\^[a-z]{8}\nAssistant: It is\.\n/m),
    });
    expect((await ask("search", { ...address, query: "window" })).json).toMatchObject({ hits: [{ path }, {}, {}] });
    expect((await ask("search-memories", { query: "seat" })).json).toMatchObject({
      found: [{ memory: { address }, hits: expect.arrayContaining([expect.objectContaining({ path: next })]) }],
    });
    expect((await ask("search-memories", { query: "secret" })).json).toMatchObject({ found: [] });
    expect(await ask("file", { ...ofOther, path })).toMatchObject({ status: 404 });
    expect(await tellPage(shown, "/api/delete", { address: ofOther, path })).toMatchObject({ status: 404 });
    expect(await tellPage(shown, "/api/delete", { address, path })).toMatchObject({ status: 200 });
    const { text } = await ask("export", {});
    expect([text.includes(next), text.includes("aisle seat")]).toEqual([true, true]);
    expect(text).not.toMatch(/window|secret/);
    expect(await store.memory(ofOther).read(path)).toContain("secret seat");
    await store.memory(ofOther).delete("/conversations");
  });
});

describe("the request that authorize gets", () => {
  async function sessionOf(server: Server): Promise<unknown> {
    server.listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    try {
      const { port } = server.address() as { port: number };
      const headers = { "memory-page-token": "none" };
      return await (await fetch(`http://127.0.0.1:${port}/memory/api/session`, { headers })).json();
    } finally {
      server.closeAllConnections();
      server.close();
    }
  }

  it("is that of Express too, with what a middleware has put on it", async () => {
    const app = express();
    app.use((request, _response, next) => {
      Object.assign(request, { user: { id: adaId } });
      next();
    });
    const signedIn = createMemoryPage({
      store,
      basePath: "/memory",
      authorize: (_request, { nodeRequest }) => {
        const { user } = nodeRequest as IncomingMessage & { user?: { id: string } };
        return user === undefined ? false : { owner: { userId: user.id } };
      },
    });
    app.use("/memory", signedIn.nodeListener);
    expect(await sessionOf(createServer(app))).toMatchObject({ owner: { userId: adaId } });
    expect(await sessionOf(createServer(signedIn.nodeListener))).toMatchObject({ error: { code: "EACCES" } });
  });

  it("has no request of Node where the server has none", async () => {
    const seen: unknown[] = [];
    const plain = createMemoryPage({
      store,
      authorize: (_request, { nodeRequest }) => {
        seen.push(nodeRequest);
        return true;
      },
    });
    await askPage(plain, "/api/session");
    expect(seen).toEqual([undefined]);
  });
});
