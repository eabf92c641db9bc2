import { describe, expect, it } from "@jest/globals";
import type { PutOperation } from "@langchain/langgraph-checkpoint";
import { calculateObjectSize } from "bson";
import { MongoClient } from "mongodb";
import { type Memory, type MemoryVersion, MongoMemoryStore, type MongoMemoryStoreOptions } from "../../../src/index.js";
import { createNamespace } from "../../helpers/addresses.js";
import { withPageBytes } from "../../helpers/page-sizes.js";
import { getFailure } from "../../helpers/get-failure.js";
import { freshAddress, refuses } from "../../helpers/memory-case.js";
import { commandsOf } from "../../helpers/commands-of.js";
import { createFiles, findPages, putFiles } from "../../helpers/paged-memories.js";
import { findPageFaults, readStoredPages } from "../../helpers/stored-pages.js";
import { readTexts } from "../../helpers/read-texts.js";
import { readAll } from "../../helpers/read-all.js";
import { testDatabase } from "../../helpers/test-database.js";
import { useClient } from "../../helpers/use-client.js";

const { uri, name: dbName, db } = testDatabase("replicaSet");
const client = useClient(new MongoClient(uri, { monitorCommands: true }));
const memories = db.collection("memories");

function openStore(options: Omit<MongoMemoryStoreOptions, "client"> = {}): MongoMemoryStore {
  return new MongoMemoryStore({ client, dbName, ...withPageBytes(2000), ...options });
}

const small = openStore();
const usual = new MongoMemoryStore({ client, dbName });

describe("files that are larger than a page", () => {
  const large = "x".repeat(1_000_000);

  it("lie beside small ones in documents of at most 2 MB", async () => {
    const memory = usual.memory(freshAddress());
    const files = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [`/d${index % 4}/${index}`, index % 10 === 5 ? large : `text ${index}`]),
    );
    for (const [path, content] of Object.entries(files)) await memory.write(path, content);
    expect(await readTexts(memory)).toEqual(files);
    const pages = await findPages(memories, memory);
    expect(findPageFaults(pages.map(({ document }) => document))).toEqual([]);
    expect(pages.length).toBeGreaterThan(3);
    for (const { document } of pages) expect(calculateObjectSize(document)).toBeLessThan(2_000_000);
    expect(await memory.list("/d1")).toHaveLength(10);
  });

  it("do not send every change of their page through a transaction", async () => {
    const memory = usual.memory(freshAddress(), { maxFileBytes: 2_000_000 });
    for (const path of ["/a", "/large", "/z"]) await memory.write(path, path === "/large" ? large : "text");
    const counts: number[] = [];
    for (let index = 0; index < 10; index += 1) {
      for (const path of ["/large", `/large ${index}`])
        counts.push((await commandsOf(client, () => memory.append(path, "more"))).length);
    }
    expect(counts.filter((count) => count > 1).length).toBeLessThanOrEqual(2);
    expect(await memory.read("/large")).toHaveLength(1_000_000 + 50);
  });

  const batchOf = (memory: Memory, files: Record<string, string | null>): Promise<unknown> => {
    const namespace = createNamespace(memory.address);
    const toValue = (content: string | null): PutOperation["value"] => (content === null ? null : { content });
    return usual.batch(Object.entries(files).map(([key, content]) => ({ namespace, key, value: toValue(content) })));
  };

  it.each<[title: string, paths: string[], remove: (memory: Memory) => Promise<unknown>]>([
    ["beside others", ["/a", "/large", "/z"], (memory) => memory.delete("/large")],
    ["that are the whole memory", ["/large"], (memory) => memory.delete("/large")],
    ["in a batch", ["/a", "/large", "/z"], (memory) => batchOf(memory, { "/large": null, "/z": "text" })],
    ["in a batch of several pages", ["/a", "/large", "/z"], (memory) => batchOf(memory, { "/a": "b", "/large": null })],
  ])("leave pages of the usual size when they have gone: %s", async (_title, paths, remove) => {
    const memory = usual.memory(freshAddress());
    for (const path of paths) await memory.write(path, path.startsWith("/large") ? large.slice(9) : "text");
    await memory.append(paths.find((path) => path.startsWith("/large")) ?? "", "more");
    await remove(memory);
    for (let index = 0; index < 12; index += 1) await memory.write(`/large ${index}`, "y".repeat(100_000));
    for (const { document } of await findPages(memories, memory))
      expect(calculateObjectSize(document)).toBeLessThan(400_000);
  });
});

it("an outline over its limit has no text, also of a page whose files are all empty", async () => {
  const memory = openStore(withPageBytes(200)).memory(freshAddress());
  for (const path of ["/a", "/b", "/c"]) await memory.write(path, "x".repeat(300));
  await memory.write("/b", "");
  await memory.append("/c", "x".repeat(300));
  const pages = await findPages(memories, memory);
  expect(pages.map(({ files }) => files)).toContainEqual(["/b"]);
  const { files } = await memory.outline({ maxContentBytes: 800 });
  expect(files.map(({ path, content }) => [path, content])).toEqual([
    ["/a", undefined],
    ["/b", undefined],
    ["/c", undefined],
  ]);
});

describe.each([false, true])("files of the largest size, history: %s,", (history) => {
  const store = new MongoMemoryStore({ client, dbName, history });
  const open = (): Memory => store.memory(freshAddress(), { maxFileBytes: 7_500_000 });
  const listVersions = (memory: Memory, filter: object): Promise<MemoryVersion[]> =>
    readAll(memory.history?.list(filter) ?? []);

  it("lie in pages of their own, with room for others beside them", async () => {
    const memory = open();
    await memory.write("/b", "x".repeat(6_500_000));
    await memory.append("/a", "small");
    for (const path of ["/c", "/b1"]) await memory.append(path, "x".repeat(6_500_000));
    await memory.write("/d", "x".repeat(7_400_000));
    for (const path of ["/d", "/d1"]) await memory.append(path, "more");
    expect((await memory.outline()).files.map(({ path, sizeBytes }) => [path, sizeBytes])).toEqual([
      ["/a", 5],
      ["/b", 6_500_000],
      ["/b1", 6_500_000],
      ["/c", 6_500_000],
      ["/d", 7_400_005],
      ["/d1", 4],
    ]);
    expect(findPageFaults(await readStoredPages(memories, memory.address))).toEqual([]);
  });

  it("can be replaced again and again, because earlier changes make room in their page", async () => {
    const memory = open();
    await memory.write("/a", "small");
    for (const text of ["x", "y", "z"]) await memory.write("/large", text.repeat(7_000_000));
    expect(await memory.read("/large")).toHaveLength(7_000_000);
    expect(await listVersions(memory, { path: "/large" })).toHaveLength(history ? 3 : 0);
  });

  it("go at once, although they are more than a document can have, and leave a version each", async () => {
    const memory = open();
    for (let index = 0; index < 18; index += 1) await memory.write(`/many/${index}`, `${index} `.repeat(300_000));
    expect(await memory.delete("/many")).toEqual({ files: 18, dirs: 1 });
    expect(await listVersions(memory, { operation: "deleted" })).toHaveLength(history ? 18 : 0);
    for (const { id } of await listVersions(memory, { path: "/many/7", operation: "created" }))
      expect((await memory.history?.read(id))?.content).toBe("7 ".repeat(300_000));
  });
});

it("a large memory whose files are all deleted keeps its directories, and goes back to one page without them", async () => {
  const memory = small.memory(freshAddress());
  const files = createFiles(60);
  await putFiles(small, memory, files);
  for (const path of Object.keys(files)) expect(await memory.delete(path)).toEqual({ files: 1, dirs: 0 });
  expect(await memory.list("/")).toHaveLength(6);
  expect(await memory.list("/d03")).toEqual([]);
  expect(await memory.delete("/")).toEqual({ files: 0, dirs: 6 });
  const [page, ...others] = await findPages(memories, memory);
  expect([others, Object.keys(page?.document ?? {})]).toEqual([
    [],
    expect.not.arrayContaining(["lo", "hi", "sizeBytes"]),
  ]);
});

it("unusual names lie in the pages that their positions name, and are renamed and deleted there", async () => {
  // The order by code units differs from the order by UTF-8 bytes for the last two and for the one before them.
  const names = ["$", ".", "%2E", "a.b", "A", "~", "é", "\u{FF5E}", "\u{10000}", "😀"];
  const paths = names.flatMap((first) => names.map((second) => `/${first}x/${second}y`));
  const files = Object.fromEntries(paths.map((path) => [path, `text of ${path} `.repeat(4)]));
  const memory = small.memory(freshAddress());
  await putFiles(small, memory, files);
  expect((await findPages(memories, memory)).length).toBeGreaterThan(10);
  expect(await readTexts(memory)).toEqual(files);
  const cold = openStore().memory(memory.address);
  for (const path of paths) expect(await cold.read(path)).toBe(files[path]);
  for (const [index, first] of names.entries()) {
    const listed = (await cold.list(`/${first}x`)).map(({ name }) => `/${first}x/${name}`);
    expect(listed).toEqual(paths.filter((path) => path.startsWith(`/${first}x/`)).toSorted());
    if (index % 2 === 0) await memory.rename(`/${first}x`, `/😀/${first}x`);
    else expect(await memory.delete(`/${first}x`)).toEqual({ files: names.length, dirs: 1 });
  }
  const kept = paths.filter((path) => names.findIndex((first) => path.startsWith(`/${first}x/`)) % 2 === 0);
  expect(await readTexts(memory)).toEqual(Object.fromEntries(kept.map((path) => [`/😀${path}`, files[path]])));
  expect(findPageFaults(await readStoredPages(memories, memory.address))).toEqual([]);
});

describe("the limit of a large memory", () => {
  const address = freshAddress();
  const limited = (maxMemoryBytes: number): Memory => small.memory(address, { maxMemoryBytes });

  it("holds for all of its pages together, before anything is written", async () => {
    await putFiles(small, small.memory(address), createFiles(100));
    const [summary] = await readAll(small.listMemories(address));
    const sizeBytes = summary?.sizeBytes ?? 0;
    expect(sizeBytes).toBeGreaterThan(15_000);
    const memory = limited(sizeBytes + 500);
    const before = await memory.snapshot();
    const text = "x".repeat(600);
    const refused: (() => Promise<unknown>)[] = [
      () => memory.write("/d05/new", text),
      () => memory.append("/d00/f0", text),
      () => memory.edit("/d09/f9", () => text.repeat(2)),
      () => memory.update("/d05/f5", "words", text),
      () => memory.rename("/d05/f5", `/${"y".repeat(200)}/${"y".repeat(200)}`),
    ];
    for (const refuse of refused) {
      const limit = new RegExp(`would be \\d+ bytes, over its limit of ${sizeBytes + 500} bytes`);
      expect(await getFailure(refuse())).toMatchObject({ code: "ENOSPC", message: expect.stringMatching(limit) });
    }
    expect(await memory.snapshot()).toEqual(before);
    await memory.write("/d05/new", "x".repeat(50));
  });

  it("lets a memory that is over it shrink, and not grow", async () => {
    const memory = limited(5000);
    await refuses(memory.append("/d00/f0", "x"), "ENOSPC");
    await memory.write("/d00/f0", "x");
    await memory.edit("/d05/f5", () => "x");
    await memory.rename("/d05/f5", "/d05/f");
    expect(await memory.delete("/d07")).toEqual({ files: 10, dirs: 1 });
    expect(await memory.delete("/d08/f1")).toEqual({ files: 1, dirs: 0 });
  });

  it("is none by default where there are transactions", async () => {
    const memory = usual.memory(freshAddress());
    const text = "x".repeat(900_000);
    const files = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`/f${index}`, text]));
    for (const [path, content] of Object.entries(files)) await memory.write(path, content);
    expect(await memory.list("/")).toHaveLength(20);
    const [summary] = await readAll(usual.listMemories(memory.address));
    expect(summary).toMatchObject({ files: 20 });
    expect(summary?.sizeBytes).toBeGreaterThan(18_000_000);
  });
});

describe("files of large memories as items", () => {
  it("of 5 MB put into a missing memory make its pages at once", async () => {
    const memory = usual.memory(freshAddress());
    const files = Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [`/d${index % 5}/${index}`, `${index} `.repeat(34_000)]),
    );
    const sent = await commandsOf(client, () => putFiles(usual, memory, files));
    expect(sent.length).toBeLessThanOrEqual(9);
    expect((await findPages(memories, memory)).length).toBeGreaterThan(15);
    expect(await readTexts(memory)).toEqual(files);
  });

  it("are put, found, listed and deleted as those of small ones", async () => {
    const { nodeId } = freshAddress();
    const address = { nodeId, scope: "perUser", userId: "ada" } as const;
    const memory = small.memory(address);
    const namespace = createNamespace(memory.address);
    const files = createFiles(60);
    await putFiles(small, memory, files);
    expect((await small.get(namespace, "/d03/f3"))?.value).toEqual({ content: files["/d03/f3"] });
    expect((await small.get(namespace, "/d03/"))?.value).toEqual({ directory: true });
    expect(await small.get(namespace, "/d03/none")).toBeNull();
    await small.put(namespace, "/d03/new.md", { content: "text" });
    await small.delete(namespace, "/d05/f5");
    const keys = (await small.search(["memory", nodeId], { limit: 1000 })).map(({ key }) => key);
    const expected = [...Object.keys(files), "/d03/new.md", ...[0, 1, 2, 3, 4, 5].map((index) => `/d0${index}/`)];
    expect(keys).toEqual(expected.filter((key) => key !== "/d05/f5").toSorted());
    const filter = { content: files["/d03/f7"] };
    expect((await small.search(namespace, { filter })).map(({ key }) => key)).toEqual(["/d03/f7"]);
    const found = await small.search(namespace, { limit: 3, offset: 20 });
    expect(found.map(({ key }) => key)).toEqual(keys.slice(20, 23));
    expect(await small.listNamespaces({ prefix: ["memory", nodeId] })).toEqual([namespace]);
    const [first, second] = await small.batch([
      { namespace, key: "/d00/f0" },
      { namespacePrefix: namespace, limit: 3 },
      { namespace, key: "/d00/f0", value: null },
    ]);
    expect(first).toMatchObject({ value: { content: files["/d00/f0"] } });
    expect(second).toHaveLength(3);
    expect(await memory.stat("/d00/f0")).toBeNull();
  });

  it("of a batch of 300 are all put, or none, in few commands", async () => {
    const memory = small.memory(freshAddress());
    const namespace = createNamespace(memory.address);
    await putFiles(small, memory, createFiles(300));
    const changed = Object.keys(createFiles(300)).map((key) => ({ namespace, key, value: { content: "changed" } }));
    const refused = small.batch([...changed, { namespace, key: "/d00/f0/below", value: { content: "text" } }]);
    await refuses(refused, "ENOTDIR");
    expect(Object.values(await readTexts(memory))).not.toContain("changed");
    const sent = await commandsOf(client, () => small.batch(changed));
    expect(sent.length).toBeLessThanOrEqual(6);
    expect(new Set(Object.values(await readTexts(memory)))).toEqual(new Set(["changed"]));
  });

  it("of a batch are never seen half", async () => {
    const memory = small.memory(freshAddress());
    await putFiles(small, memory, createFiles(100));
    const reader = openStore().memory(memory.address);
    let isDone = false;
    const kinds = new Set<number>();
    const reading = (async () => {
      while (!isDone) kinds.add(new Set((await reader.snapshot()).files.map(({ content }) => content.slice(-3))).size);
    })();
    for (const end of [" AA", " BB", " CC", " DD"])
      await putFiles(
        small,
        memory,
        Object.fromEntries(Object.entries(createFiles(100)).map(([path, content]) => [path, content + end])),
      );
    isDone = true;
    await reading;
    expect(kinds).toEqual(new Set([1]));
  });
});
