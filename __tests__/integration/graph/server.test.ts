import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { Client } from "@langchain/langgraph-sdk";
import { type DevServer, startDevServer } from "../../../examples/langgraph-server/dev-server.js";
import { MongoMemoryStore } from "../../../src/index.js";
import { testDatabase } from "../../helpers/test-database.js";
import { withDatabase } from "../../helpers/with-database.js";

const configFile = "__tests__/fixtures/langgraph-server/langgraph.json";
const { uri, name: dbName, client: mongoClient } = testDatabase();
const mongo = new MongoMemoryStore({ client: mongoClient, dbName });

interface Message {
  type: string;
  content: string;
}

const stores = [
  { name: "its own store", isMongo: false, env: {} },
  { name: "a MongoMemoryStore", isMongo: true, env: { MONGODB_URI: withDatabase(uri, dbName) } },
];

describe.each(stores)("the development server of LangGraph with $name", ({ isMongo, env }) => {
  let directory = "";
  let server: DevServer;
  let client: Client;

  const start = async (): Promise<void> => {
    server = await startDevServer(configFile, directory, { OPENAI_API_KEY: "", MONGODB_URI: "", ...env });
    client = new Client({ apiUrl: server.url });
  };

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "langgraph-server-"));
    await start();
  });

  afterAll(async () => {
    await server?.stop();
    await rm(directory, { recursive: true });
  });

  async function newThread(): Promise<string> {
    return (await client.threads.create()).thread_id;
  }

  async function ask(graph: string, threadId: string, content: string): Promise<Message[]> {
    const state = await client.runs.wait(threadId, graph, { input: { messages: [{ role: "user", content }] } });
    return (state as unknown as { messages: Message[] }).messages;
  }

  async function answer(graph: string, threadId: string, content: string): Promise<string | undefined> {
    return (await ask(graph, threadId, content)).at(-1)?.content;
  }

  /** What the store holds of a memory, seen from outside the server's process or through its own interface. */
  async function notesIn(...namespace: string[]): Promise<[key: string, value: unknown][]> {
    const items = isMongo
      ? await mongo.search(["memory", ...namespace])
      : (await client.store.searchItems(["memory", ...namespace])).items;
    return items.map(({ key, value }) => [key, value]);
  }

  it("shows a note of one thread to the model in another, also after a restart", async () => {
    const messages = await ask("operations", await newThread(), "Staging moved to port 8443. Please remember it.");
    expect(messages.map(({ type }) => type)).toEqual(["human", "ai", "tool", "ai"]);
    expect(await answer("operations", await newThread(), "On which port is staging?")).toBe(
      "Staging listens on port 8443.",
    );
    await server.stop();
    expect(() => process.kill(-server.pid, 0)).toThrow("ESRCH");
    await start();
    expect(await answer("operations", await newThread(), "On which port is staging?")).toBe(
      "Staging listens on port 8443.",
    );
    const notes = await notesIn("example-langgraph-server", "global");
    expect(notes.filter(([key]) => key.startsWith("/servers/"))).toEqual([
      ["/servers/", { directory: true }],
      ["/servers/staging", { content: "Port 8443 since Monday." }],
    ]);
    const log = notes.filter(([key]) => key.startsWith("/conversations/2")).map(([, value]) => value);
    expect(JSON.stringify(log).match(/On which port is staging\?/g)).toHaveLength(2);
    const { namespaces } = await client.store.listNamespaces({ prefix: ["memory", "example-langgraph-server"] });
    expect(namespaces).toHaveLength(isMongo ? 0 : 1);
  });

  it("keeps the notes of a node without a store in its own", async () => {
    await ask("replaced", await newThread(), "note x");
    const { items } = await client.store.searchItems(["memory", "inherited"]);
    expect(items.map(({ key, value }) => [key, value])).toEqual([["/notes", { content: "x" }]]);
  });

  it("gives each thread a memory of its own, and shows the global one where that is empty", async () => {
    const [ada, bob] = [await newThread(), await newThread()];
    const empty = `<memory scope="perThread" view="full">
This memory is empty; the memory tool writes to it.
Scope: perThread, this thread only.
</memory>`;
    expect(await answer("per_thread", ada, "what do you see?")).toBe(empty);
    const rule = [["memory", "per-thread", "global"], "/house rules", { content: "Be brief." }] as const;
    await (isMongo ? mongo.put([...rule[0]], rule[1], rule[2]) : client.store.putItem([...rule[0]], rule[1], rule[2]));
    await ask("per_thread", ada, "note Ada is vegetarian.");
    expect(await answer("per_thread", ada, "what do you see?")).toMatch(
      /^<memory scope="perThread"[^]*\| Ada is vegetarian\.\n<\/memory>$/,
    );
    expect(await answer("per_thread", bob, "what do you see?")).toMatch(
      /^<memory scope="global"[^]*\| Be brief\.\n<\/memory>$/,
    );
    expect(await notesIn("per-thread", "perThread", ada)).toEqual([["/notes", { content: "Ada is vegetarian." }]]);
    expect(await notesIn("per-thread", "perThread", bob)).toEqual([]);
  });
});

describe("the development server of LangGraph with an authentication handler", () => {
  let directory = "";
  let server: DevServer;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "langgraph-server-"));
    server = await startDevServer("__tests__/fixtures/langgraph-server/authenticated.json", directory, {
      OPENAI_API_KEY: "",
      MONGODB_URI: withDatabase(uri, dbName),
    });
  });

  afterAll(async () => {
    await server?.stop();
    await rm(directory, { recursive: true });
  });

  const createClient = (user: string): Client =>
    new Client({ apiUrl: server.url, defaultHeaders: { authorization: `Bearer token-of-${user}` } });

  async function answer(user: string, content: string, config: object = {}): Promise<string | undefined> {
    const client = createClient(user);
    const { thread_id: threadId } = await client.threads.create();
    const state = await client.runs.wait(threadId, "per_user", {
      input: { messages: [{ role: "user", content }] },
      ...config,
    });
    return (state as unknown as { messages: Message[] }).messages.at(-1)?.content;
  }

  it("gives each user a memory of its own in all threads, whatever ids a client sends", async () => {
    await answer("ada", "note Ada is vegetarian.");
    await answer("bob", "note Bob is allergic.");
    expect(await answer("ada", "what do you see?")).toMatch(
      /^<memory scope="perUser"[^]*\| Ada is vegetarian\.\n<\/memory>$/,
    );
    const bob = "bob@example.com";
    const claims = [
      { config: { configurable: { user_id: bob, langgraph_auth_user_id: bob } } },
      { context: { userId: bob, user_id: bob } },
    ];
    for (const claim of claims)
      expect(await answer("ada", "what do you see?", claim)).toMatch(/\| Ada is vegetarian\.\n<\/memory>$/);
    for (const claim of claims) await answer("ada", "note Ada plays chess.", claim);
    expect(await mongo.memory({ nodeId: "per-user", scope: "perUser", userId: bob }).read("/notes")).toBe(
      "Bob is allergic.",
    );
    expect(await mongo.memory({ nodeId: "per-user", scope: "perUser", userId: "ada@example.com" }).read("/notes")).toBe(
      "Ada is vegetarian.\nAda plays chess.\nAda plays chess.",
    );
    await expect(answer("eve", "what do you see?")).rejects.toThrow("401");
  });
});
