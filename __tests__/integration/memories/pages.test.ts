import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { type CommandStartedEvent, type CommandSucceededEvent, type Document, MongoClient } from "mongodb";
import { type Memory, MemoryNode, MongoMemoryStore, type MongoMemoryStoreOptions } from "../../../src/index.js";
import { withPageBytes } from "../../helpers/page-sizes.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { commandsOf } from "../../helpers/commands-of.js";
import { largeChanges, loadingChanges, type PagedCall, pagedChanges, pagedReads } from "../../helpers/paged-calls.js";
import { createFiles, findPages, type FoundPage, putFiles } from "../../helpers/paged-memories.js";
import { findPageFaults } from "../../helpers/stored-pages.js";
import { testDatabase } from "../../helpers/test-database.js";
import { useClient } from "../../helpers/use-client.js";

const { uri, name: dbName, db } = testDatabase("replicaSet");
const client = useClient(new MongoClient(uri, { monitorCommands: true }));
const memories = db.collection("memories");

function openStore(options: Partial<MongoMemoryStoreOptions> = {}): MongoMemoryStore {
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

/** The second file of a page. So the page begins before it, and ends after its directory of that name. */
const fileOf = ({ files }: FoundPage): string => files[1] ?? "";

/** Without those that move versions in the background, which begin with a find. */
const withoutMoves = (sent: readonly string[]): readonly string[] =>
  sent.slice(0, sent.findLastIndex((name) => name !== "find" && name !== "aggregate") + 1);

describe.each([false, true])("the commands of a large memory, history: %s", (history) => {
  const store = openStore({ history });
  const ofOther = openStore({ client: useClient(new MongoClient(uri)), history });

  /** The commands of a call in a memory that another client has made, whose versions are moved in the background. */
  async function listCommands(run: PagedCall[1]): Promise<string[]> {
    const { memory: made } = await createMemory(ofOther);
    const memory = store.memory(made.address);
    await memory.read("/d03/f3");
    return names(await commandsOf(client, () => run(memory)));
  }

  it.each(pagedReads)("%s is one, however many pages there are", async (_title, run) => {
    expect(await listCommands(run)).toHaveLength(1);
  });

  it.each(pagedChanges)("%s is one, however many pages there are", async (_title, run) => {
    expect(withoutMoves(await listCommands(run))).toHaveLength(1);
  });

  it.each(loadingChanges)("%s is two", async (_title, run) => {
    expect(withoutMoves(await listCommands(run))).toEqual(["find", history ? "findAndModify" : "update"]);
  });

  it.each(largeChanges)("%s is a load and a transaction, with its versions", async (_title, run) => {
    const sent = withoutMoves(await listCommands(run));
    expect([sent[0], sent.at(-1)]).toEqual(["find", "commitTransaction"]);
    expect(sent.length).toBeLessThanOrEqual(history ? 7 : 5);
  });
});

it.each([...pagedReads, ...pagedChanges])(
  "a process that does not know the pages learns them once by a %s, with few commands more",
  async (_title, run) => {
    const { memory } = await createMemory(openStore());
    const other = openStore();
    await other.start();
    const cold = other.memory(memory.address);
    expect((await commandsOf(client, () => run(cold))).length).toBeLessThanOrEqual(7);
    expect(await commandsOf(client, () => cold.read("/d00/f0"))).toHaveLength(1);
  },
);

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
