import { createUnlimitedCall } from "../../../src/core/runtime/call.js";
import { describe, expect, it } from "@jest/globals";
import { MongoClient } from "mongodb";
import { checkAddress } from "../../../src/core/values/address.js";
import type { Memory } from "../../../src/core/memory.js";
import { memoryDefaults } from "../../../src/core/memory-options.js";
import { MemoryNode } from "../../../src/graph/memory-node.js";
import { openLayout } from "../../../src/mongodb/memories/layouts.js";
import { MongoMemoryStore } from "../../../src/mongodb/store/mongo-memory-store.js";
import type { MongoMemoryStoreOptions } from "../../../src/mongodb/store/store-options.js";
import { freshAddress, refuses } from "../../../src/testing/memory-case.js";
import { commandsOf } from "../../helpers/commands-of.js";
import { examined } from "../../helpers/examined.js";
import { testDatabase } from "../../helpers/test-database.js";
import { useClient } from "../../helpers/use-client.js";

const { db, name: dbName, uri } = testDatabase("replicaSet");
const client = useClient(new MongoClient(uri, { monitorCommands: true }));
const maxMemoryBytes = 1000;
const open = (options: Partial<MongoMemoryStoreOptions> = {}): MongoMemoryStore =>
  new MongoMemoryStore({ client, dbName, layout: "files", ...options });
const plain = open();
const recording = open({ memoriesCollection: "recorded", history: true });

const bytes = (count: number): string => "x".repeat(count);
const full = (sizeBytes: number, limitBytes = maxMemoryBytes): string =>
  `ENOSPC: the memory would be ${sizeBytes} bytes, over its limit of ${limitBytes} bytes; delete files no longer needed`;

async function getSize(memory: Memory): Promise<number> {
  return (await memory.stat("/"))?.sizeBytes ?? 0;
}

/** @returns the id of the proposal */
async function proposedAppend(
  store: MongoMemoryStore,
  { nodeId }: { nodeId: string },
  path: string,
  content: string,
): Promise<string> {
  const node = new MemoryNode({ store, nodeId, rules: [{ path: "/**", access: "ask" }], onAsk: "propose" });
  const answer = JSON.parse(String(await node.memoryTools[0]?.invoke({ command: "append", path, content }))) as {
    result: { proposal: string };
  };
  return answer.result.proposal;
}

describe.each<[string, MongoMemoryStore]>([
  ["without history", plain],
  ["with history", recording],
])("a limited memory of the layout files, %s", (_name, store) => {
  const growing: [string, (memory: Memory) => Promise<unknown>, sizeBytes: number][] = [
    ["an append to a file", (memory) => memory.append("/d/a", bytes(100)), 1001],
    ["an append that makes a file", (memory) => memory.append("/new/b", bytes(101)), 1001],
    ["an update", (memory) => memory.update("/d/a", "start", bytes(106)), 1001],
    ["a write of a file", (memory) => memory.write("/d/a", bytes(1001)), 1001],
    ["a write that makes a file", (memory) => memory.write("/b", "é".repeat(51)), 1002],
    ["an edit", (memory) => memory.edit("/d/a", (text) => text + bytes(101)), 1001],
  ];

  // Requirement: files.limit, guarantees.limits-before-writing, tool.code-enospc
  it.each(growing)("refuses %s that would pass the limit, and changes nothing", async (_title, change, sizeBytes) => {
    const memory = store.memory(freshAddress(), { maxMemoryBytes });
    await memory.write("/d/a", `start${bytes(895)}`);
    const before = await memory.snapshot();
    await refuses(change(memory), "ENOSPC", full(sizeBytes));
    expect(await memory.snapshot()).toEqual(before);
    await change(store.memory(memory.address, { maxMemoryBytes: sizeBytes }));
    expect(await getSize(memory)).toBe(sizeBytes);
  });

  // Requirement: files.limit
  it("that is full takes whatever makes it no larger", async () => {
    const memory = store.memory(freshAddress(), { maxMemoryBytes });
    await memory.write("/d/a", bytes(600));
    await memory.write("/d/b", bytes(400));
    await memory.rename("/d", `/${bytes(200)}`);
    await memory.rename(`/${bytes(200)}`, "/d");
    await memory.write("/empty", "");
    await memory.update("/d/a", bytes(600), "y".repeat(600));
    await refuses(memory.append("/empty", "x"), "ENOSPC", full(1001));
    // Of a limit that was higher before.
    const lower = store.memory(memory.address, { maxMemoryBytes: 500 });
    await lower.edit("/d/a", (text) => text.slice(1));
    await refuses(lower.append("/empty", "x"), "ENOSPC", full(1000, 500));
    expect(await lower.delete("/d/b")).toEqual({ files: 1, dirs: 0 });
    await lower.delete("/d");
    await lower.write("/c", bytes(500));
    expect(await getSize(memory)).toBe(500);
  });

  // Requirement: files.limit-exact
  it("is never exceeded by writers in two processes together, and keeps what they were told is there", async () => {
    const other = new MongoMemoryStore({
      client: useClient(new MongoClient(uri)),
      dbName,
      layout: "files",
      ...(store === recording && { memoriesCollection: "recorded", history: true }),
    });
    const address = freshAddress();
    const [one, two] = [store, other].map((each) => each.memory(address, { maxMemoryBytes }));
    if (one === undefined || two === undefined) throw new Error("there are two stores");
    // A directory each, so that no two changes write the same document but the root.
    const paths = Array.from({ length: 60 }, (_, index) => `/${index}/a`);
    await Promise.all(paths.slice(0, 40).map((path) => one.write(path, "")));
    const line = bytes(50);
    const outcomes = await Promise.allSettled(
      paths.map((path, index) => (index % 2 === 0 ? one : two).append(path, line)),
    );
    for (const outcome of outcomes)
      if (outcome.status === "rejected") expect(outcome.reason).toMatchObject({ code: "ENOSPC", message: full(1050) });
    const made = paths.filter((_path, index) => outcomes[index]?.status === "fulfilled");
    const { files } = await two.snapshot();
    expect(
      files
        .filter(({ content }) => content === line)
        .map(({ path }) => path)
        .toSorted(),
    ).toEqual(made.toSorted());
    expect(await getSize(one)).toBe(maxMemoryBytes);
  });

  // Requirement: files.limit, approval.review
  it("makes no approved change that it has no room for, and the proposal stays open", async () => {
    const address = freshAddress();
    const memory = store.memory(address, { maxMemoryBytes });
    await memory.write("/a", bytes(900));
    const id = await proposedAppend(store, address, "/b", bytes(101));
    const approve = async (): Promise<unknown> => memory.proposals?.approve(id, { by: { userId: "ada" } });
    await refuses(approve(), "ENOSPC", full(1001));
    expect((await memory.proposals?.get(id))?.status).toBe("pending");
    await memory.delete("/a");
    await approve();
    expect(await memory.read("/b")).toBe(bytes(101));
  });
});

describe("a limit of a memory of the layout files", () => {
  // Requirement: files.limit
  it("is kept by a revert", async () => {
    const memory = recording.memory(freshAddress(), { maxMemoryBytes });
    await memory.write("/a", bytes(600));
    await memory.delete("/a");
    await memory.write("/b", bytes(500));
    const revert = async (): Promise<unknown> => memory.history?.revert({ path: "/a", to: "1" });
    await refuses(revert(), "ENOSPC", full(1100));
    await memory.delete("/b");
    await revert();
    expect(await getSize(memory)).toBe(600);
  });

  // Requirement: files.limit
  it("is not kept by a program that opens the memory without it, and is kept again after what that has made", async () => {
    const memory = plain.memory(freshAddress(), { maxMemoryBytes });
    await memory.write("/a", bytes(900));
    await plain.memory(memory.address).write("/b", bytes(900));
    await refuses(memory.append("/c", "x"), "ENOSPC", full(1801));
    await memory.delete("/b");
    await memory.append("/c", "x");
    expect(await getSize(memory)).toBe(901);
  });

  // Requirement: files.limit
  it("can be larger than a document, where the memory is none", async () => {
    const memory = plain.memory(freshAddress(), { maxMemoryBytes: 40_000_000, maxFileBytes: 15_000_000 });
    await memory.write("/a", bytes(15_000_000));
    await memory.write("/b", bytes(15_000_000));
    await refuses(memory.write("/c", bytes(15_000_000)), "ENOSPC", full(45_000_000, 40_000_000));
    const documentStore = new MongoMemoryStore({ client, dbName });
    const words =
      'invalid MemoryOptions: maxMemoryBytes: must be at most 15000000 with layout: "document", which keeps a memory in one document (given 15000001)';
    expect(() => documentStore.memory(freshAddress(), { maxMemoryBytes: 15_000_001 })).toThrow(new TypeError(words));
  });

  // Requirement: files.limit
  it("is that of a document where the memory has moved to one", async () => {
    const address = freshAddress();
    const memory = plain.memory(address, { maxMemoryBytes: 40_000_000, maxFileBytes: 15_000_000 });
    await memory.write("/a", bytes(10_000_000));
    await plain.moveMemory(address, { layout: "document" });
    await expect(memory.write("/b", bytes(10_000_000))).rejects.toMatchObject({
      code: "ENOSPC",
      message: expect.stringContaining("over its limit of 15000000 bytes"),
    });
  });

  // Requirement: files.limit-exact
  it("is kept by a change whose transaction began before another one that fills the memory", async () => {
    const address = checkAddress(freshAddress());
    const memory = plain.memory(address, { maxMemoryBytes });
    for (const path of ["/one/a", "/two/a"]) await memory.write(path, "");
    const id = await proposedAppend(plain, address, "/one/a", bytes(600));
    const context = {
      db: client.db(dbName),
      client,
      collectionName: "memories",
      writeConcern: { w: "majority" as const },
      connect: () => undefined,
      clock: () => new Date(),
      expireMs: {},
      makesIndexes: false,
      history: null,
      embeddings: null,
    };
    const records = openLayout("files", context)
      .backend(address, { ...memoryDefaults, maxMemoryBytes, isLimited: true })
      .features?.approvals?.(createUnlimitedCall());
    const record = await records?.find(id);
    if (!records || !record) throw new Error("no proposal");
    let attempts = 0;
    // Asked in the transaction, which has read the memory.
    const isCurrent = async (): Promise<boolean> => {
      attempts += 1;
      if (attempts === 1) await memory.append("/two/a", bytes(600));
      return true;
    };
    await refuses(records.apply(record, isCurrent), "ENOSPC", full(1200));
    expect([attempts, await getSize(memory)]).toEqual([2, 600]);
  });

  // Requirement: files.limit, files.moved
  it("holds where the memory has moved to this layout, and only where it was asked for", async () => {
    const store = new MongoMemoryStore({ client, dbName });
    const address = freshAddress();
    const memory = store.memory(address, { maxMemoryBytes });
    await memory.write("/a", bytes(400));
    await store.moveMemory(address, { layout: "files" });
    await memory.write("/b", bytes(600));
    await refuses(memory.write("/c", "x"), "ENOSPC", full(1001));
    await store.memory(address).write("/c", bytes(1000));
  });

  const work: [string, (memory: Memory) => Promise<unknown>, expected: string[]][] = [
    ["append to a file", (memory) => memory.append("/d/a", "x"), ["find", "aggregate", "update", "commitTransaction"]],
    ["creation", (memory) => memory.write("/d/new", "x"), ["find", "aggregate", "update", "commitTransaction"]],
    ["write that makes a file smaller", (memory) => memory.write("/d/a", "x"), ["find", "update", "commitTransaction"]],
    ["delete of a file", (memory) => memory.delete("/d/a"), ["delete"]],
    ["read", (memory) => memory.read("/d/a"), ["find"]],
  ];

  // Requirement: files.limit-cost, files.one-command
  it.each(work)("%s is these commands", async (_title, run, expected) => {
    const memory = plain.memory(freshAddress(), { maxMemoryBytes });
    await memory.write("/d/a", "text");
    expect((await commandsOf(client, () => run(memory))).map(({ commandName }) => commandName)).toEqual(expected);
  });

  // Requirement: files.limit-cost
  it("is compared with the sizes of all files by the index of listings alone", async () => {
    const memory = plain.memory(freshAddress(), { maxMemoryBytes });
    await Promise.all(Array.from({ length: 50 }, (_, index) => memory.write(`/d/${index}`, "text")));
    const found = await examined(db, "memories_files", () => memory.append("/d/7", "x"));
    // The root, the directory and 50 files.
    expect(found.filter(({ command }) => command === "aggregate")).toEqual([
      { op: "command", command: "aggregate", keysExamined: 52, docsExamined: 0 },
    ]);
  });

  // Requirement: files.limit-cost, files.limit-exact
  it("gathers the changes of a process into few transactions, and refuses those alone that have no room", async () => {
    const memory = plain.memory(freshAddress(), { maxMemoryBytes });
    await memory.write("/a", bytes(500));
    const sizes = Array.from({ length: 60 }, (_, index) => (index % 2 === 0 ? 10 : 600));
    const outcomes = Promise.allSettled(sizes.map((size, index) => memory.write(`/d/${index}`, bytes(size))));
    const commands = (await commandsOf(client, () => outcomes)).map(({ commandName }) => commandName);
    expect((await outcomes).map(({ status }) => status)).toEqual(
      sizes.map((size) => (size === 10 ? "fulfilled" : "rejected")),
    );
    expect([
      commands.filter((name) => name === "commitTransaction").length <= 3,
      commands.filter((name) => name === "aggregate").length <= 3,
    ]).toEqual([true, true]);
    expect(await getSize(memory)).toBe(800);
  });
});
