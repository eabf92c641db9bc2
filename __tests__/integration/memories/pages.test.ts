import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { type CommandStartedEvent, type CommandSucceededEvent, type Document, MongoClient } from "mongodb";
import { type Memory, MemoryNode, MongoMemoryStore, type MongoMemoryStoreOptions } from "../../../src/index.js";
import { withPageBytes } from "../../helpers/page-sizes.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { commandsOf } from "../../helpers/commands-of.js";
import { createFiles, findPages, type FoundPage, putFiles } from "../../helpers/paged-memories.js";
import { findPageFaults, readStoredPages } from "../../helpers/stored-pages.js";
import { testDatabase } from "../../helpers/test-database.js";
import { useClient } from "../../helpers/use-client.js";

const { uri, name: dbName, db } = testDatabase("replicaSet");
const client = useClient(new MongoClient(uri, { monitorCommands: true }));
const memories = db.collection("memories");

function openStore(options: Omit<MongoMemoryStoreOptions, "client"> = {}): MongoMemoryStore {
  return new MongoMemoryStore({ client, dbName, ...withPageBytes(2000), ...options });
}

const names = (sent: readonly CommandStartedEvent[]): string[] => sent.map(({ commandName }) => commandName);

/** A memory of some ten pages, and one of the pages, which is neither the first nor the last. */
async function createMemory(
  store: MongoMemoryStore,
  files: Record<string, string> = createFiles(60),
): Promise<{ memory: Memory; page: FoundPage; pages: FoundPage[] }> {
  const memory = store.memory(freshAddress());
  await putFiles(store, memory, files);
  const pages = await findPages(memories, memory);
  expect(findPageFaults(pages.map(({ document }) => document))).toEqual([]);
  expect(pages.length).toBeGreaterThan(7);
  const page = pages[5];
  if (page === undefined) throw new Error("there are fewer pages");
  return { memory, page, pages };
}

type Row = [title: string, run: (memory: Memory, page: FoundPage) => Promise<unknown>];

/** The second file of a page. So the page begins before it, and ends after its directory of that name. */
const fileOf = ({ files }: FoundPage): string => files[1] ?? "";

const reads: Row[] = [
  ["read", (memory, page) => memory.read(fileOf(page))],
  ["stat of a file", (memory, page) => memory.stat(fileOf(page))],
  ["list of a small directory", (memory) => memory.list("/d03")],
  ["stat of a small directory", (memory) => memory.stat("/d03")],
  ["snapshot", (memory) => memory.snapshot()],
];

const changes: Row[] = [
  ["append", (memory, page) => memory.append(fileOf(page), "more")],
  ["update", (memory, page) => memory.update(fileOf(page), "words", "others")],
  ["write", (memory, page) => memory.write(fileOf(page), "text")],
  ["write of a new file", (memory, page) => memory.write(`${fileOf(page)} new`, "text")],
  ["append that creates", (memory, page) => memory.append(`${fileOf(page)} new`, "text")],
  ["write with new parents", (memory, page) => memory.write(`${fileOf(page)} new/a/b`, "text")],
  ["delete of a file", (memory, page) => memory.delete(fileOf(page))],
  ["delete of nothing", (memory, page) => memory.delete(`${fileOf(page)} none`)],
];

const loadingChanges: Row[] = [
  ["edit", (memory, page) => memory.edit(fileOf(page), (text) => `${text}!`)],
  ["rename within a page", (memory, page) => memory.rename(fileOf(page), `${fileOf(page)} moved`)],
];

const largeChanges: Row[] = [
  ["rename of a file to another page", (memory, page) => memory.rename(fileOf(page), "/z")],
  ["rename of a directory of several pages", (memory) => memory.rename("/d03", "/z")],
  ["delete of a directory of several pages", (memory) => memory.delete("/d03")],
  ["delete of everything", (memory) => memory.delete("/")],
];

const kinds: [string, Omit<MongoMemoryStoreOptions, "client">][] = [
  ["memories", {}],
  ["memories that expire", { expireMs: { global: 3_600_000 } }],
];

describe.each(kinds)("the commands of large %s", (_, options) => {
  const store = openStore(options);

  it.each([...reads, ...changes])("%s is one, however many pages there are", async (_title, run) => {
    const { memory, page } = await createMemory(store);
    expect(await commandsOf(client, () => run(memory, page))).toHaveLength(1);
  });

  it.each(loadingChanges)("%s is two", async (_title, run) => {
    const { memory, page } = await createMemory(store);
    expect(await commandsOf(client, () => run(memory, page))).toHaveLength(2);
  });

  it.each(largeChanges)("%s is a load and at most four", async (_title, run) => {
    const { memory, page } = await createMemory(store);
    const sent = names(await commandsOf(client, () => run(memory, page)));
    expect(sent[0]).toBe("find");
    expect(sent.length).toBeLessThanOrEqual(5);
    expect(sent.at(-1)).toBe("commitTransaction");
  });
});

describe("a process that does not know the pages", () => {
  const store = openStore();

  it.each([...reads, ...changes])("learns them once by a %s, with few commands more", async (_title, run) => {
    const { memory, page } = await createMemory(store);
    const other = openStore();
    await other.start();
    const cold = other.memory(memory.address);
    expect((await commandsOf(client, () => run(cold, page))).length).toBeLessThanOrEqual(7);
    expect(await commandsOf(client, () => cold.read("/d00/f0"))).toHaveLength(1);
  });

  it("deletes a file of another page, and a directory", async () => {
    const { memory, page } = await createMemory(store);
    const openCold = (): Memory => openStore().memory(memory.address);
    expect(await openCold().delete(fileOf(page))).toEqual({ files: 1, dirs: 0 });
    expect(await memory.stat(fileOf(page))).toBeNull();
    expect(await openCold().delete("/d05")).toEqual({ files: 10, dirs: 1 });
    expect(await openCold().delete("/d05")).toEqual({ files: 0, dirs: 0 });
    expect(await openCold().delete("/")).toEqual({ files: 49, dirs: 5 });
  });

  it.each<Row>([
    ["reads", async (memory, page) => expect(await memory.read(page.files.at(-1) ?? "")).toMatch(/^note/)],
    ["appends", (memory, page) => memory.append(page.files.at(-1) ?? "", "more")],
    [
      "deletes",
      async (memory, page) => expect(await memory.delete(page.files.at(-1) ?? "")).toEqual({ files: 1, dirs: 0 }),
    ],
  ])("%s a file whose page others have split meanwhile", async (_title, run) => {
    const { memory, page } = await createMemory(store);
    const other = openStore().memory(memory.address);
    // A file of the head would not let it know the other pages.
    await other.read(fileOf(page));
    await memory.write(`${page.files[0]} long`, "text ".repeat(700));
    const pages = await findPages(memories, memory);
    expect(pages.find(({ lo }) => lo === page.lo)?.files).not.toContain(page.files.at(-1));
    await run(other, page);
    expect(findPageFaults(await readStoredPages(memories, memory.address))).toEqual([]);
    expect(await other.snapshot()).toEqual(await memory.snapshot());
  });
});

describe("the commands of a large memory with a history", () => {
  const store = openStore({ history: true });
  const ofOther = new MongoMemoryStore({
    client: useClient(new MongoClient(uri)),
    dbName,
    history: true,
    ...withPageBytes(2000),
  });

  /** A memory that another client has made, whose versions are moved in the background. */
  async function createKnown(): Promise<{ memory: Memory; page: FoundPage }> {
    const { memory: made, page } = await createMemory(ofOther);
    const memory = store.memory(made.address);
    await memory.read(fileOf(page));
    return { memory, page };
  }

  /** Without those that move versions in the background, which begin with a find. */
  const ownCommands = (sent: readonly string[]): string[] =>
    sent.slice(0, sent.findLastIndex((name) => name !== "find" && name !== "aggregate") + 1);

  it.each(changes)("%s is one, however many pages there are", async (_title, run) => {
    const { memory, page } = await createKnown();
    const sent = names(await commandsOf(client, () => run(memory, page)));
    expect(ownCommands(sent)).toEqual(["findAndModify"]);
  });

  it.each(loadingChanges)("%s is two", async (_title, run) => {
    const { memory, page } = await createKnown();
    const sent = names(await commandsOf(client, () => run(memory, page)));
    expect(ownCommands(sent)).toEqual(["find", "findAndModify"]);
  });

  it.each(largeChanges)("%s is a transaction with its versions", async (_title, run) => {
    const { memory, page } = await createKnown();
    const sent = ownCommands(names(await commandsOf(client, () => run(memory, page))));
    expect(sent[0]).toBe("find");
    expect(sent.length).toBeLessThanOrEqual(7);
    expect(sent.at(-1)).toBe("commitTransaction");
  });

  it.each(reads)("%s is one", async (_title, run) => {
    const { memory, page } = await createKnown();
    expect(await commandsOf(client, () => run(memory, page))).toHaveLength(1);
  });
});

describe("a process that knows a large memory", () => {
  const store = openStore();
  const other = openStore();
  /** The documents with texts or paths that the server has returned. */
  const returned: Document[] = [];

  /** The first answer of a find has all of its documents. */
  const recordReply = ({ reply }: CommandSucceededEvent): void => {
    const { firstBatch = [] } = (Object(reply) as { cursor?: { firstBatch?: Document[] } }).cursor ?? {};
    returned.push(...firstBatch.filter((found) => "data" in found || "keys" in found));
  };
  beforeAll(() => void client.on("commandSucceeded", recordReply));
  afterAll(() => void client.off("commandSucceeded", recordReply));

  const changed: [string, (memory: Memory) => Promise<unknown>][] = [
    ["list of the root", (memory) => memory.list("/")],
    ["stat of the root", (memory) => memory.stat("/")],
    ["outline", (memory) => memory.outline()],
    ["search", (memory) => memory.search("words")],
    ["connector", ({ address: { nodeId } }) => new MemoryNode({ store, nodeId }).createConnector().renderMessage()],
    [
      'connector with content: "auto"',
      ({ address: { nodeId } }) => {
        const connector = new MemoryNode({ store, nodeId }).createConnector({ content: "auto" });
        return connector.renderMessage({ question: "longer" });
      },
    ],
  ];

  it.each(changed)("reads only the changed pages for a %s", async (_title, run) => {
    const { memory, page, pages } = await createMemory(store);
    await run(memory);
    const before = await run(memory);
    const ofOther = other.memory(memory.address);
    await ofOther.append(fileOf(page), "A longer text of some words.");
    await ofOther.write("/z", "The last file, with some words.");
    returned.length = 0;
    const after = await run(memory);
    expect(after).not.toEqual(before);
    expect(new Set(returned.map(({ _id }) => String(_id)))).toEqual(new Set([page.id, pages.at(-1)?.id]));
    const sent = await commandsOf(client, () => run(memory));
    expect(sent.length).toBeLessThanOrEqual(2);
    expect(returned).toHaveLength(2);
  });

  it("finds out which have changed from an index alone", async () => {
    const { memory } = await createMemory(store);
    await memory.list("/");
    const [listing] = await commandsOf(client, () => memory.list("/"));
    const { find, filter, projection, hint, collation } = listing?.command ?? {};
    const { executionStats } = await db.command({
      explain: { find, filter, projection, hint, collation },
      verbosity: "executionStats",
    });
    expect(executionStats).toMatchObject({ totalDocsExamined: 0 });
  });

  it("reads more than a hundred pages with one command", async () => {
    const large = openStore(withPageBytes(500));
    const { memory, pages } = await createMemory(large, createFiles(300));
    expect(pages.length).toBeGreaterThan(101);
    expect(names(await commandsOf(client, () => memory.snapshot()))).toEqual(["find"]);
    expect((await memory.snapshot()).files).toHaveLength(300);
  });
});

describe("eight writers of one process", () => {
  it("make their changes with one command each, and load the memory only to split it", async () => {
    const large = openStore(withPageBytes(64_000));
    const memory = large.memory(freshAddress());
    const paths = Array.from({ length: 160 }, (_, index) => `/files/${index}`);
    const sent = await commandsOf(client, async () => {
      const left = paths.values();
      const write = async (): Promise<void> => {
        for (const path of left) await memory.write(path, "x".repeat(2000));
      };
      await Promise.all(Array.from({ length: 8 }, write));
    });
    const pages = await findPages(memories, memory);
    const splits = pages.length - 1;
    expect(findPageFaults(pages.map(({ document }) => document))).toEqual([]);
    expect(splits).toBeGreaterThan(3);
    const loads = names(sent).filter((name) => name === "find");
    expect(loads.length).toBeLessThanOrEqual(2 * splits);
  });
});
