import { describe, expect, it } from "@jest/globals";
import { type BaseStore, InMemoryStore, type Item } from "@langchain/langgraph-checkpoint";
import type { CommandStartedEvent, Document } from "mongodb";
import { MongoClient } from "mongodb";
import { createNamespace } from "../../helpers/addresses.js";
import { MongoMemoryStore, openMemory } from "../../../src/index.js";
import fc from "../../helpers/fast-check.js";
import { repetitions } from "../../helpers/repetitions.js";
import { testDatabase } from "../../helpers/test-database.js";
import { useClient } from "../../helpers/use-client.js";

const { client, db, name, uri } = testDatabase();
const assistant = ["memory", "assistant", "global"];
let stores = 0;

function newStore(own: MongoClient = client): MongoMemoryStore {
  stores += 1;
  return new MongoMemoryStore({
    client: own,
    dbName: name,
    itemsCollection: `items${stores}`,
    memoriesCollection: `memories${stores}`,
  });
}

const memories = (): ReturnType<typeof db.collection> => db.collection(`memories${stores}`);

/** Without times, which no two stores share, and in our order. */
function shown(items: (Item | null)[]): unknown[] {
  return items.map((item) => item && { namespace: item.namespace, key: item.key, value: item.value });
}

const compareCodeUnits = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

const sorted = (items: Item[]): Item[] =>
  items.toSorted((a, b) =>
    compareCodeUnits([...a.namespace, "", a.key].join("\0"), [...b.namespace, "", b.key].join("\0")),
  );

describe("a memory seen through the store", () => {
  it("has the same items as one in InMemoryStore", async () => {
    for (const store of [new InMemoryStore(), newStore()]) {
      const memory = openMemory(store, { nodeId: "assistant" });
      await memory.append("/notes/today", "hello");
      await memory.append("/notes/deep/er", "there");
      expect(await store.get(["memory", "assistant", "global"], "/notes/today")).toMatchObject({
        value: { content: "hello" },
        key: "/notes/today",
        namespace: assistant,
        createdAt: expect.any(Date),
        updatedAt: expect.any(Date),
      });
      expect((await store.get(assistant, "/notes/"))?.value).toEqual({ directory: true });
      for (const missing of [
        "/",
        "",
        "/notes",
        "notes/today",
        "/notes/today/",
        "//notes/today",
        "/nothing",
        "/a/../notes/today",
        "\0",
      ]) {
        expect(await store.get(assistant, missing)).toBeNull();
      }
      expect(shown(sorted(await store.search(["memory"])))).toEqual([
        { namespace: assistant, key: "/notes/", value: { directory: true } },
        { namespace: assistant, key: "/notes/deep/", value: { directory: true } },
        { namespace: assistant, key: "/notes/deep/er", value: { content: "there" } },
        { namespace: assistant, key: "/notes/today", value: { content: "hello" } },
      ]);
    }
  });

  it("takes puts as writes, which create parents and are seen by the memory", async () => {
    const store = newStore();
    await store.put(assistant, "/a/b/MÄRZ.md", { content: "text" });
    const memory = store.memory({ nodeId: "assistant" });
    expect(await memory.read("/a/b/MÄRZ.md")).toBe("text");
    expect(await memory.list("/")).toEqual([{ name: "a", kind: "dir" }]);
    await store.put(assistant, "/a/b/MÄRZ.md", { content: "new" });
    expect(await memory.snapshot()).toMatchObject({ revision: 2, files: [{ content: "new" }] });
  });

  it.each<[string, string, unknown]>([
    ["a value without content", "/a", { text: "x" }],
    ["a content that is no string", "/a", { content: 1 }],
    ["further fields", "/a", { content: "x", more: 1 }],
    ["a directory's value", "/d/", { directory: true }],
    ["a key ending in a slash", "/d/", { content: "x" }],
    ["the root", "/", { content: "x" }],
    ["a relative key", "a", { content: "x" }],
    ["a key not normalised", "/a//b", { content: "x" }],
    ["a step up", "/a/../b", { content: "x" }],
    ["NUL in the key", "/a\0", { content: "x" }],
    ["a name not in NFC", "/a\u0308", { content: "x" }],
  ])("refuses %s, and stores nothing of the batch", async (_, key, value) => {
    const store = newStore();
    const operations = [
      { namespace: ["other"], key: "k", value: {} },
      { namespace: assistant, key: "/fine", value: { content: "" } },
      { namespace: assistant, key, value: value as Record<string, unknown> },
    ];
    await expect(store.batch(operations)).rejects.toMatchObject({ name: "MemoryError", code: "EINVAL" });
    await expect(store.put(assistant, key, value as Record<string, unknown>)).rejects.toMatchObject({ code: "EINVAL" });
    expect(await store.search([])).toEqual([]);
  });

  it("refuses as a whole a batch of which the memory's state forbids a part", async () => {
    const store = newStore();
    await store.put(assistant, "/d/file", { content: "x" });
    const before = await store.search([]);
    const forbidden: [string, { key: string; value: { content: string } | null }[]][] = [
      ["EISDIR", [{ key: "/d", value: { content: "" } }]],
      ["ENOTDIR", [{ key: "/d/file/below", value: { content: "" } }]],
      [
        "ENOTDIR",
        [
          { key: "/new", value: { content: "" } },
          { key: "/new/below", value: { content: "" } },
        ],
      ],
      ["EINVAL", [{ key: "/d/", value: null }]],
      ["EFBIG", [{ key: "/large", value: { content: "x".repeat(1_000_001) } }]],
    ];
    for (const [code, writes] of forbidden) {
      const operations = [
        { namespace: assistant, key: "/first", value: { content: "1" } },
        { namespace: ["items"], key: "k", value: {} },
        ...writes.map((write) => ({ namespace: assistant, ...write })),
      ];
      await expect(store.batch(operations)).rejects.toMatchObject({ name: "MemoryError", code });
      expect(await store.search([])).toEqual(before);
    }
  });

  it("deletes exactly one file, and a directory only when it is empty", async () => {
    const store = newStore();
    const memory = store.memory({ nodeId: "assistant" });
    await memory.append("/d/e/file", "x");
    await memory.append("/d/f", "y");
    for (const nothing of ["/d", "/d/f/", "/", "/nothing", "/nothing/", "d/f", ""])
      await store.delete(assistant, nothing);
    await expect(store.delete(assistant, "/d/")).rejects.toMatchObject({
      code: "EINVAL",
      message: expect.stringMatching("not empty"),
    });
    await store.delete(assistant, "/d/f");
    expect((await memory.snapshot()).files.map((file) => file.path)).toEqual(["/d/e/file"]);
    await store.batch(["/d/", "/d/e/", "/d/e/file"].map((key) => ({ namespace: assistant, key, value: null })));
    expect(await memory.snapshot()).toMatchObject({ files: [], directories: [], revision: 4 });
    expect(await store.listNamespaces()).toEqual([]);
  });

  it("never loses an append to a delete of its directory", async () => {
    const store = newStore();
    const memory = store.memory({ nodeId: "assistant" });
    for (let round = 0; round < repetitions({ usual: 8, long: 40 }); round += 1) {
      await memory.append("/d/old", "x");
      await memory.delete("/d/old");
      const [deletion] = await Promise.allSettled([store.delete(assistant, "/d/"), memory.append("/d/new", "kept")]);
      expect(await memory.read("/d/new")).toBe("kept");
      if (deletion.status === "rejected") expect(deletion.reason).toMatchObject({ code: "EINVAL" });
      await memory.delete("/d");
    }
  });
});

describe("memories among the items", () => {
  it("lie in the one order of search, in pages, filtered alike", async () => {
    const store = newStore();
    await store.memory({ nodeId: "b" }).append("/x", "1");
    await store.memory({ nodeId: "b", scope: "perThread", threadId: "t" }).append("/x", "2");
    const items: [string[], string][] = [
      [["a"], "k"],
      [["memory"], "k"],
      [["memory", "a"], "k"],
      [["memory", "b"], "k"],
      [["memory", "b", "global", "z"], "k"],
      [["memory", "b", "h"], "k"],
      [["memory", "c"], "k"],
      [["memory!"], "k"],
      [["z"], "k"],
    ];
    await store.batch(items.map(([namespace, key]) => ({ namespace, key, value: { content: "1" } })));
    const all = await store.search([], { limit: 100 });
    expect(all.map((item) => [...item.namespace, item.key].join(" "))).toEqual([
      "a k",
      "memory k",
      "memory a k",
      "memory b k",
      "memory b global /x",
      "memory b global z k",
      "memory b h k",
      "memory b perThread t /x",
      "memory c k",
      "memory! k",
      "z k",
    ]);
    for (let offset = 0; offset <= all.length; offset += 1) {
      expect(await store.search([], { limit: 2, offset })).toEqual(all.slice(offset, offset + 2));
    }
    expect(await store.search([], { filter: { content: "2" } })).toMatchObject([
      { namespace: ["memory", "b", "perThread", "t"] },
    ]);
    expect(await store.search([], { filter: { content: { $ne: "2" } }, limit: 100 })).toHaveLength(all.length - 1);
    expect(await store.search(["memory", "b"], { limit: 100 })).toHaveLength(5);
    expect(await store.search(["memory", "b", "global"])).toHaveLength(2);
    expect(await store.listNamespaces({ prefix: ["memory", "b"] })).toEqual([
      ["memory", "b"],
      ["memory", "b", "global"],
      ["memory", "b", "global", "z"],
      ["memory", "b", "h"],
      ["memory", "b", "perThread", "t"],
    ]);
    expect(await store.listNamespaces({ suffix: ["t"] })).toEqual([["memory", "b", "perThread", "t"]]);
    expect(await store.listNamespaces({ maxDepth: 1 })).toEqual([["a"], ["memory"], ["memory!"], ["z"]]);
  });

  it("are in order whatever their ids hold, as in InMemoryStore", async () => {
    const id = fc.oneof(
      fc
        .array(fc.constantFrom("a", "b", "-", "%", ".", ":", "/", "25", "\uE000", "\u{1F600}"), {
          minLength: 1,
          maxLength: 4,
        })
        .map((parts) => parts.join("")),
      fc.emailAddress(),
    );
    const address = fc.oneof(
      fc.record({ nodeId: id }),
      fc.record({ nodeId: id, scope: fc.constant("perThread" as const), threadId: id }),
    );
    const addresses = fc.array(address, { minLength: 1, maxLength: 15 });
    await fc.assert(
      fc.asyncProperty(addresses, async (all) => {
        const ours = newStore();
        const reference = new InMemoryStore();
        for (const store of [ours, reference] satisfies BaseStore[]) {
          await Promise.all(all.map((one) => openMemory(store, one).append("/f", "x")));
        }
        const expected = sorted(await reference.search([], { limit: 1000 }));
        expect(shown(await ours.search([], { limit: 1000 }))).toEqual(shown(expected));
        const { nodeId } = all[0] ?? { nodeId: "" };
        const prefix = createNamespace({ nodeId, scope: "global" }).slice(0, 2);
        expect(shown(await ours.search(prefix, { limit: 1000 }))).toEqual(
          shown(sorted(await reference.search(prefix, { limit: 1000 }))),
        );
        const namespaces = expected.map((item) => item.namespace);
        expect(await ours.listNamespaces({ limit: 1000 })).toEqual(namespaces);
        expect(await ours.listNamespaces({ limit: 2, offset: 1 })).toEqual(namespaces.slice(1, 3));
      }),
      { numRuns: repetitions({ usual: 3, long: 25 }) },
    );
  });

  it("leave out documents on which no memory can be opened", async () => {
    const store = newStore();
    await store.memory({ nodeId: "fine" }).append("/f", "x");
    await memories().insertMany([5, null, "a\0b", ""].map((nodeId) => ({ nodeId, scope: "global", data: { f: "x" } })));
    await memories().insertOne({ nodeId: "fine", scope: "perThread", threadId: 5, data: { f: "x" } });
    expect(await store.listNamespaces()).toEqual([["memory", "fine", "global"]]);
    expect(await store.search([])).toHaveLength(1);
  });

  it("keep their order through more unusual ids than are held at a time", async () => {
    const store = newStore();
    await store.start();
    // 1,000 are held at a time.
    const count = repetitions({ usual: 1100, long: 2500 });
    const nodeIds = Array.from({ length: count }, (_, index) => `user.${(index * 7919) % count}@example.com`);
    await memories().insertMany(
      nodeIds.map((nodeId) => ({ nodeId, scope: "global", data: { f: nodeId }, revision: 1 })),
    );
    const expected = nodeIds
      .map((nodeId) => createNamespace({ nodeId, scope: "global" }))
      .toSorted((a, b) => compareCodeUnits(a.join("\0"), b.join("\0")));
    expect(await store.listNamespaces({ limit: 3000 })).toEqual(expected);
    const found = await store.search(["memory"], { limit: 20, offset: 990 });
    expect(found.map((item) => item.namespace)).toEqual(expected.slice(990, 1010));
  });
});

describe("the commands of memories in the store", () => {
  it("read a whole batch of one memory at once, by an index", async () => {
    const watched = useClient(new MongoClient(uri, { monitorCommands: true }));
    const store = newStore(watched);
    await store.start();
    await store.put(assistant, "/a/b", { content: "x" });
    const commands: Document[] = [];
    const remember = ({ command }: CommandStartedEvent): number => commands.push(command);
    watched.on("commandStarted", remember);
    const keys = ["/a/b", "/a/", "/missing", "/a/b"];
    const items = await store.batch(keys.map((key) => ({ namespace: assistant, key })));
    expect(items.map((item) => item?.key)).toEqual(["/a/b", "/a/", undefined, "/a/b"]);
    expect(commands.map((command) => Object.keys(command)[0])).toEqual(["find"]);
    await store.put(assistant, "/a/b", { content: "y" });
    await store.delete(assistant, "/a/b");
    expect(commands).toHaveLength(3);
    await store.search(["memory"]);
    await store.listNamespaces({ prefix: ["memory"] });
    await store.search(assistant);
    watched.off("commandStarted", remember);
    const finds = commands.filter((command) => command["find"] === `memories${stores}`);
    expect(finds.length).toBeGreaterThan(8);
    for (const { find, filter, sort, hint } of finds) {
      const plan = await db.command({ explain: { find, filter, ...(sort && { sort }), ...(hint && { hint }) } });
      const text = JSON.stringify(plan["queryPlanner"]["winningPlan"]);
      expect(text).toMatch(/"IXSCAN"|"IDHACK"/);
      expect(text).not.toMatch(/COLLSCAN|"SORT"/);
    }
  });
});
