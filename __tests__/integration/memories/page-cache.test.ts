import { describe, expect, it, jest } from "@jest/globals";
import { MongoClient } from "mongodb";
import { MongoMemoryStore } from "../../../src/index.js";
import { MemoryTree } from "../../../src/core/tree/memory-tree.js";
import { PageCache } from "../../../src/mongodb/memories/reading/page-cache.js";
import { receivedBy } from "../../helpers/answers-of.js";
import { commandsOf } from "../../helpers/commands-of.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { withPageBytes } from "../../helpers/page-sizes.js";
import { createFiles, findPages, putFiles } from "../../helpers/paged-memories.js";
import { testDatabase } from "../../helpers/test-database.js";
import { useClient } from "../../helpers/use-client.js";

const { uri, name: dbName, db } = testDatabase("replicaSet");
const client = useClient(new MongoClient(uri, { monitorCommands: true }));
const store = new MongoMemoryStore({ client, dbName, ...withPageBytes(2000) });

describe("the pages that a process keeps", () => {
  const createPage = (content: string) => {
    const times = { createdAt: new Date(0), updatedAt: new Date(0) };
    const file = { path: "/a", kind: "file", content, sizeBytes: content.length, ...times } as const;
    return { version: "v", chars: Infinity, tree: new MemoryTree({ files: [file] }) };
  };

  it("take no more bytes than the bound, and the one that was used longest ago goes first", () => {
    const cache = new PageCache(25_000);
    const page = createPage("x".repeat(5000));
    for (const id of ["a", "b"]) cache.set(id, page);
    expect(cache.get("a")).toBe(page);
    cache.set("c", page);
    expect(["a", "b", "c"].filter((id) => cache.get(id) !== undefined)).toEqual(["a", "c"]);
    for (let index = 0; index < 1000; index += 1) cache.set(`more ${index}`, createPage("x".repeat(index * 10)));
    expect(cache.bytes).toBeLessThanOrEqual(25_000);
    expect(cache.bytes).toBeGreaterThan(10_000);
  });

  it("are measured once each, and one that is larger than the bound is not kept", () => {
    const cache = new PageCache(25_000);
    for (let index = 0; index < 5; index += 1) cache.set("a", createPage("x".repeat(100)));
    expect(cache.bytes).toBeLessThan(1500);
    cache.set("a", createPage("x".repeat(50_000)));
    expect([cache.get("a"), cache.bytes]).toEqual([undefined, 0]);
    cache.set("a", createPage("x"));
    cache.clear();
    expect([cache.get("a"), cache.bytes]).toEqual([undefined, 0]);
  });
});

describe("a large memory that has not changed", () => {
  it("is listed, measured, outlined, copied and searched by revisions alone", async () => {
    const memory = store.memory(freshAddress());
    await putFiles(store, memory, createFiles(300));
    await memory.snapshot();
    const pages = await findPages(db.collection("memories"), memory);
    expect(pages.length).toBeGreaterThan(20);
    for (const run of [
      () => memory.list("/"),
      () => memory.list("/d07"),
      () => memory.stat("/"),
      () => memory.outline(),
      () => memory.outline({ leadChars: 100 }),
      () => memory.snapshot(),
    ]) {
      const sent = await commandsOf(client, run);
      expect(sent.map(({ commandName }) => commandName)).toEqual(["find"]);
      expect(await receivedBy(client, run)).toBeLessThan(500 + 300 * pages.length);
    }
    await memory.search("words");
    expect(await receivedBy(client, () => memory.search("note"))).toBeLessThan(1000 + 600 * pages.length);
    expect(await memory.list("/")).toHaveLength(30);
    expect((await memory.stat("/"))?.sizeBytes).toBe(
      Object.values(createFiles(300)).reduce((sum, text) => sum + text.length, 0),
    );
  });

  it("is searched after a change by reading the text of the changed page alone, also if no page is kept", async () => {
    const memory = store.memory(freshAddress());
    const paths = Array.from({ length: 50 }, (_, file) => `/f${file}`);
    const allBytes = paths.length * 20_000;
    await putFiles(store, memory, Object.fromEntries(paths.map((path) => [path, "many words ".repeat(1819)])));
    await memory.search("words");
    await memory.append("/f7", "changed");
    expect(await receivedBy(client, () => memory.search("changed"))).toBeLessThan(allBytes / 10);
    await memory.append("/f8", "changed");
    const get = jest.spyOn(PageCache.prototype, "get").mockReturnValue(undefined);
    const received = await receivedBy(client, async () => {
      expect((await memory.search("changed", { per: "file" })).map(({ path }) => path)).toEqual(["/f7", "/f8"]);
    });
    get.mockRestore();
    expect(received).toBeLessThan(allBytes / 10);
  });

  it("is read again in its changed pages alone, also if another process has changed it", async () => {
    const memory = store.memory(freshAddress());
    await putFiles(store, memory, createFiles(300));
    await memory.snapshot();
    const other = new MongoMemoryStore({ client, dbName, ...withPageBytes(2000) }).memory(memory.address);
    await other.append("/d07/f3", "changed");
    const received = await receivedBy(client, async () => {
      expect((await memory.snapshot()).files.find(({ path }) => path === "/d07/f3")?.content).toMatch(/changed$/);
    });
    const pages = await findPages(db.collection("memories"), memory);
    expect(received).toBeLessThan(6000 + 300 * pages.length);
    await memory.delete("/d07");
    expect(await memory.list("/")).toHaveLength(29);
    expect(await memory.stat("/d07/f3")).toBeNull();
  });
});

it("a file of which only the start is known is read whole where its text is needed", async () => {
  const memory = store.memory(freshAddress());
  await memory.write("/notes/a", "a text of some words");
  const reader = new MongoMemoryStore({ client, dbName }).memory(memory.address);
  await reader.list("/notes");
  await reader.outline({ leadChars: 3 });
  expect((await reader.snapshot()).files).toMatchObject([{ content: "a text of some words" }]);
});

it("what a caller gets is its own", async () => {
  const memory = store.memory(freshAddress());
  await memory.write("/notes/a", "text");
  const before = await memory.snapshot();
  const changed = await memory.snapshot();
  const [file] = changed.files;
  if (file === undefined) throw new Error("there is a file");
  file.content = "other";
  file.createdAt.setTime(0);
  changed.files.pop();
  changed.directories.push("/other");
  const stat = await memory.stat("/notes/a");
  if (stat?.kind === "file") stat.updatedAt.setTime(0);
  for (const entry of await memory.list("/")) entry.name = "other";
  expect(await memory.snapshot()).toEqual(before);
  expect(await memory.stat("/notes/a")).toMatchObject({ updatedAt: before.files[0]?.updatedAt });
  expect(await memory.list("/")).toEqual([{ name: "notes", kind: "dir" }]);
});

it("a file has its times whatever the order of the stored fields is", async () => {
  const memory = store.memory(freshAddress());
  for (const path of ["/a", "/b", "/c"]) await memory.write(path, "text");
  const before = await memory.snapshot();
  const stored = await db.collection("memories").findOne({ ...memory.address });
  const meta = Object.fromEntries(Object.entries(stored?.["meta"] as object).toReversed());
  await db.collection("memories").updateOne({ ...memory.address }, [{ $set: { meta: "gone" } }, { $set: { meta } }]);
  const reader = new MongoMemoryStore({ client, dbName }).memory(memory.address);
  expect(await reader.snapshot()).toEqual(before);
});
