import { randomUUID } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { MongoClient } from "mongodb";
import {
  type MemoryHistory,
  type MemoryVersion,
  type Memory,
  MemoryNode,
  MongoMemoryStore,
  type MongoMemoryStoreOptions,
} from "../../../src/index.js";
import type { PagedHistory } from "../../../src/core/backend-history.js";
import { withPageBytes } from "../../helpers/page-sizes.js";
import { freshAddress, refuses } from "../../helpers/memory-case.js";
import { createFiles, findPages, putFiles } from "../../helpers/paged-memories.js";
import { findPageFaults, type MemoryDocument, readStoredPages } from "../../helpers/stored-pages.js";
import { getOrderKey } from "../../../src/mongodb/memories/documents/page-order.js";
import { readAll } from "../../helpers/read-all.js";
import { cli } from "../../helpers/run-cli.js";
import { testDatabase } from "../../helpers/test-database.js";
import { callTool, Task } from "../../helpers/call-in-task.js";
import { FakeEmbeddings } from "../../helpers/fake-embeddings.js";
import { MemoryTool } from "../../../src/langchain/memory-tool.js";
import { until } from "../../helpers/until-answers.js";
import { useClient } from "../../helpers/use-client.js";

const { uri, name: dbName, db } = testDatabase("replicaSet");
const client = useClient(new MongoClient(uri));
const memories = db.collection("memories");
const startMs = Date.UTC(2026, 0, 1);
let nowMs = startMs;
const clock = (): Date => new Date(nowMs);

function openStore(options: Omit<MongoMemoryStoreOptions, "client"> = {}): MongoMemoryStore {
  return new MongoMemoryStore({ client, dbName, history: true, clock, ...options });
}

const small = openStore(withPageBytes(2000));
const single = openStore();

function historyOf({ history }: Memory): MemoryHistory {
  if (history === null) throw new Error("the memory keeps no history");
  return history;
}

const by = (memory: Memory, runId: string): Memory => memory.with({ actor: { runId, userId: `user of ${runId}` } });

/** Changes in the head, in other pages, in several pages, and of what has no text. */
const changes: ((memory: Memory) => Promise<unknown>)[] = [
  (memory) => by(memory, "first").append("/d00/f0", "A line in the head."),
  (memory) => by(memory, "second").append("/d03/f3", "A line of another page."),
  (memory) => by(memory, "second").update("/d03/f3", "words", "texts"),
  (memory) => by(memory, "first").edit("/d05/f9", (text) => `A first line.\n${text}\nA last line.`),
  (memory) => by(memory, "third").rename("/d03/f3", "/d05/from d03"),
  (memory) => by(memory, "third").append("/d05/from d03", "A line after the move."),
  (memory) => by(memory, "third").rename("/d02", "/z02"),
  (memory) => by(memory, "third").write("/z02/f5", "A whole new text."),
  (memory) => by(memory, "fourth").delete("/d04"),
  (memory) => by(memory, "fourth").write("/d04/f1", "Made again."),
  (memory) => by(memory, "fourth").write("/d01/deep/er/new", "A file with new parents."),
  (memory) => by(memory, "fourth").delete("/d01/deep/er/new"),
  (memory) => by(memory, "fifth").rename("/z02/f5", "/d00/f5 moved"),
  (memory) => by(memory, "fifth").write("/large", "Some long text. ".repeat(300)),
  (memory) => by(memory, "fifth").append("/large", "An end."),
  (memory) => by(memory, "fifth").delete("/d00/f1"),
];

/** A memory of many pages, and one of a single page with the same changes at the same times. */
async function createPair(): Promise<{ paged: Memory; alone: Memory }> {
  nowMs = startMs;
  const pair = { paged: small.memory(freshAddress()), alone: single.memory(freshAddress()) };
  await Promise.all([putFiles(small, pair.paged, createFiles(60)), putFiles(single, pair.alone, createFiles(60))]);
  for (const change of changes) {
    nowMs += 1000;
    await Promise.all([change(pair.paged), change(pair.alone)]);
  }
  expect((await findPages(memories, pair.paged)).length).toBeGreaterThan(7);
  expect(await findPages(memories, pair.alone)).toHaveLength(1);
  return pair;
}

/** What people see of a version. The ids of two memories differ. */
const seen = ({ id: _id, ...version }: MemoryVersion): object => version;

async function present(memory: Memory): Promise<object> {
  const { files, directories } = await memory.snapshot();
  return { files: files.map(({ path, content, updatedAt }) => [path, content, updatedAt]), directories };
}

/** What the history answers to every question about a memory. */
async function describeHistory(memory: Memory): Promise<object> {
  const history = historyOf(memory);
  const versions = await readAll(history.list());
  const recent = versions.slice(0, 40).filter((_, index) => index % 4 === 0);
  const files = ["/d00/f0", "/d05/f9", "/d05/from d03", "/d00/f5 moved", "/large"];
  const at = async (when: string | Date): Promise<object> => {
    const { files: former, directories } = await history.at(when);
    return { files: former.map(({ path, content }) => [path, content]), directories };
  };
  return {
    versions: versions.map(seen),
    ofFile: (await readAll(history.list({ path: "/d05/from d03" }))).map(seen),
    ofDirectory: (await readAll(history.list({ path: "/z02" }))).map(seen),
    ofRun: (await readAll(history.list({ actor: { runId: "third" } }))).map(seen),
    texts: await Promise.all(recent.map(async ({ id }) => (await history.read(id)).content)),
    diffs: await Promise.all(
      recent
        .slice(1)
        .map(async ({ id }, index) => (await history.diff(id, recent[index]?.id)).replaceAll(/version \S+/g, "")),
    ),
    blame: await Promise.all(
      files.map(async (path) =>
        (await history.blame(path)).map(({ version, ...line }) => [line, version && seen(version)]),
      ),
    ),
    trees: await Promise.all(recent.map(({ id }) => at(id))),
    treesAt: await Promise.all([0, 4, 9, 14].map((index) => at(new Date(startMs + 1000 * index + 500)))),
  };
}

describe("the history of a large memory", () => {
  it("answers as that of a small one does, before and after its versions are moved", async () => {
    const { paged, alone } = await createPair();
    const expected = await describeHistory(alone);
    expect(await describeHistory(paged)).toEqual(expected);
    // A redaction first moves all versions.
    for (const memory of [paged, alone]) await historyOf(memory).redact({ text: "no such text" });
    expect(await describeHistory(paged)).toEqual(expected);
    const cold = openStore(withPageBytes(2000)).memory(paged.address);
    expect(await describeHistory(cold)).toEqual(expected);
  });

  it("has one order, in which every version is once", async () => {
    const memory = small.memory(freshAddress());
    await putFiles(small, memory, createFiles(60));
    const paths = ["/d00/f0", "/d02/f2", "/d04/f4", "/d05/f9"];
    await Promise.all(
      paths.map(async (path) => {
        for (let index = 0; index < 20; index += 1) await memory.append(path, `line ${index}`);
      }),
    );
    const versions = await readAll(historyOf(memory).list({ operation: "modified" }));
    expect(versions).toHaveLength(80);
    expect(new Set(versions.map(({ id }) => id)).size).toBe(80);
    for (const path of paths) {
      const own = versions.filter((version) => version.path === path).toReversed();
      const texts = await Promise.all(own.map(async ({ id }) => (await historyOf(memory).read(id)).content));
      expect(texts.map((text) => text?.split("\n").length)).toEqual(
        Array.from({ length: 20 }, (_, index) => index + 2),
      );
    }
  });

  it("leaves the page in time, and makes no other page larger", async () => {
    const memory = small.memory(freshAddress());
    await putFiles(small, memory, createFiles(60));
    for (let index = 0; index < 150; index += 1) await memory.append("/d05/f9", `line ${index}`);
    const countRecorded = async (): Promise<number[]> =>
      (await findPages(memories, memory)).map(({ document }) => document.outbox?.length ?? 0);
    await until(async () => (await countRecorded()).every((count) => count < 60));
    const versions = await readAll(historyOf(memory).list({ path: "/d05/f9" }));
    expect(versions).toHaveLength(151);
    const { content } = await historyOf(memory).read(versions[140]?.id ?? "");
    expect(content?.split("\n").slice(1)).toEqual(Array.from({ length: 10 }, (_, index) => `line ${index}`));
    expect((await countRecorded()).filter((count) => count > 0).length).toBeLessThanOrEqual(1);
  });

  it("has the versions of different pages in the order of their times", async () => {
    const memory = small.memory(freshAddress());
    await putFiles(small, memory, createFiles(60));
    const paths = ["/d05/f9", "/d00/f0", "/d03/f3", "/d05/f9", "/d01/f1", "/d00/f0"];
    for (const path of paths) await memory.append(path, "a line");
    // A change of several pages moves the outboxes of these pages, and of no other one.
    await memory.rename("/d03/f3", "/d05/from d03");
    await memory.append("/d02/f2", "a line");
    const versions = (await readAll(historyOf(memory).list())).slice(0, paths.length + 2).toReversed();
    expect(versions.map(({ path }) => path)).toEqual([...paths, "/d05/from d03", "/d02/f2"]);
    const [third] = versions.slice(2);
    const { files } = await historyOf(memory).at(third?.id ?? "");
    const changed = files.flatMap(({ path, content }) => (content.includes("a line") ? [path] : []));
    expect(changed).toEqual(["/d00/f0", "/d03/f3", "/d05/f9"]);
  });

  it("gives a program that goes on from the last version every version, once others cannot come before it", async () => {
    const memory = small.memory(freshAddress());
    await putFiles(small, memory, createFiles(60));
    for (const path of ["/d05/f9", "/d00/f0", "/d03/f3"]) await memory.append(path, "a line");
    const history = historyOf(memory) as PagedHistory;
    const found: MemoryVersion[] = [];
    await until(async () => {
      found.push(...(await history.after(found.at(-1)?.id ?? null, 25)));
      return found.length >= 63;
    });
    expect(found.map(({ id }) => id)).toEqual((await readAll(history.list())).map(({ id }) => id).toReversed());
  });

  it("goes on in every page when a store changes it that begins no history", async () => {
    const memory = small.memory(freshAddress());
    await putFiles(new MongoMemoryStore({ client, dbName, ...withPageBytes(2000) }), memory, createFiles(60));
    await memory.append("/d05/f9", "a line");
    const place = ["--uri", uri, "--db", dbName, "--node", memory.address.nodeId];
    expect(await cli(["append", "/d01/f1", "more", ...place])).toMatchObject({ exitCode: 0 });
    const versions = await readAll(historyOf(memory).list());
    expect(versions.map(({ path, operation }) => [path, operation])).toEqual([
      ["/d01/f1", "modified"],
      ["/d05/f9", "modified"],
    ]);
  });

  it("loses nothing when a store without a history splits a page", async () => {
    const memory = small.memory(freshAddress());
    await putFiles(small, memory, createFiles(60));
    for (const path of ["/d05/f8", "/d05/f9"]) await memory.append(path, "a line");
    const plain = new MongoMemoryStore({ client, dbName, ...withPageBytes(2000) }).memory(memory.address);
    const before = await findPages(memories, memory);
    await plain.write("/d05/f8 long", "text ".repeat(700));
    expect((await findPages(memories, memory)).length).toBeGreaterThan(before.length);
    await memory.append("/d05/f9", "another line");
    for (const [path, count] of [
      ["/d05/f8", 2],
      ["/d05/f9", 3],
    ] as const) {
      const versions = await readAll(historyOf(memory).list({ path }));
      const texts = await Promise.all(versions.map(async ({ id }) => (await historyOf(memory).read(id)).content));
      const lines = (await memory.read(path)).split("\n");
      expect(texts).toEqual(versions.map((_, index) => lines.slice(0, count - index).join("\n")));
      expect(versions).toHaveLength(count);
    }
  });

  it("goes on when a memory grows into pages and shrinks again", async () => {
    const memory = small.memory(freshAddress());
    await memory.write("/a", "one");
    for (const [path, text] of Object.entries(createFiles(40))) await memory.write(path, text);
    await memory.append("/a", "two");
    for (const path of ["/d00", "/d01", "/d02", "/d03"]) await memory.delete(path);
    expect(await findPages(memories, memory)).toHaveLength(1);
    await memory.append("/a", "three");
    const versions = await readAll(historyOf(memory).list({ path: "/a" }));
    const texts = await Promise.all(versions.map(async ({ id }) => (await historyOf(memory).read(id)).content));
    expect(texts).toEqual(["one\ntwo\nthree", "one\ntwo", "one"]);
    const [newestDelete] = await readAll(historyOf(memory).list({ operation: "deleted" }));
    expect((await historyOf(memory).at(newestDelete?.id ?? "")).files).toHaveLength(1);
    expect(await readAll(historyOf(memory).list())).toHaveLength(43 + 40);
  });
});

describe("a transaction that a dead process has left", () => {
  it("on some pages stops no change of another one", async () => {
    const memory = small.memory(freshAddress());
    await putFiles(small, memory, createFiles(60));
    const pages = await findPages(memories, memory);
    // As a split of the second page does.
    const left = pages.slice(0, 2).map(({ id }) => id as never);
    const session = client.startSession();
    session.startTransaction();
    const own = client.db(dbName).collection("memories");
    await own.updateMany({ _id: { $in: left } }, { $set: { left: true } }, { session });
    const paths = pages.slice(2).flatMap(({ files }) => files.slice(0, 1));
    for (const path of paths) await memory.append(path, "a line");
    await session.abortTransaction();
    await session.endSession();
    const versions = await readAll(historyOf(memory).list({ operation: "modified" }));
    expect(versions.map(({ path }) => path)).toEqual(paths.toReversed());
    expect(paths.length).toBeGreaterThan(5);
  });
});

describe("a revert in a large memory", () => {
  const versionIn = async (memory: Memory, path: string, operation: MemoryVersion["operation"]): Promise<string> => {
    const versions = await readAll(historyOf(memory).list({ operation }));
    return versions.find((version) => version.path === path)?.id ?? "";
  };

  const reverts: [string, (memory: Memory) => Promise<MemoryVersion[]>][] = [
    [
      "of a file of another page",
      async (memory) =>
        historyOf(memory).revert({ path: "/d05/f9", to: await versionIn(memory, "/d05/f9", "created") }),
    ],
    [
      "of a deleted directory",
      async (memory) =>
        historyOf(memory).revert({ path: "/d04", to: await versionIn(memory, "/d05/from d03", "renamed") }),
    ],
    [
      "of everything",
      async (memory) => historyOf(memory).revert({ path: "/", to: await versionIn(memory, "/d05/f9", "modified") }),
    ],
    ["of a run in several pages", (memory) => historyOf(memory).revert({ runId: "fifth" })],
    ["of a run with later changes", (memory) => historyOf(memory).revert({ runId: "third" }, { force: true })],
  ];

  it.each(reverts)("%s makes of it what it makes of a small one", async (_title, revert) => {
    const { paged, alone } = await createPair();
    nowMs += 1000;
    const expected = await revert(alone);
    expect(expected).not.toEqual([]);
    const sort = (versions: MemoryVersion[]): object[] =>
      versions.toSorted((a, b) => (a.path < b.path ? -1 : 1)).map(seen);
    expect(sort(await revert(paged))).toEqual(sort(expected));
    expect(await present(paged)).toEqual(await present(alone));
    expect(findPageFaults(await readStoredPages(memories, paged.address))).toEqual([]);
    expect(sort(await readAll(historyOf(paged).list()))).toEqual(sort(await readAll(historyOf(alone).list())));
    expect(await revert(paged)).toEqual([]);
  });

  it("of a run with later changes is refused", async () => {
    const { paged } = await createPair();
    await refuses(historyOf(paged).revert({ runId: "third" }), "ECONFLICT");
  });
});

describe("a redaction in a large memory", () => {
  const storedBytes = async (): Promise<string> => {
    const collections = await db.listCollections({}, { nameOnly: true }).toArray();
    return JSON.stringify(await Promise.all(collections.map(({ name }) => db.collection(name).find().toArray())));
  };

  it.each(["/d00/f0", "/d05/f9"])("takes a text of %s out of every document", async (path) => {
    const secret = `secret ${randomUUID()}`;
    const memory = small.memory(freshAddress());
    await putFiles(small, memory, createFiles(60));
    await memory.append(path, secret);
    await memory.write(path, "harmless");
    const [, leaked] = await readAll(historyOf(memory).list({ path }));
    expect(await storedBytes()).toContain(secret);
    expect(await historyOf(memory).redact({ path })).toBe(2);
    expect(await storedBytes()).not.toContain(secret);
    expect((await historyOf(memory).read(leaked?.id ?? "")).content).toBeNull();
  });

  it("by text cuts it out of present files of several pages, too", async () => {
    const secret = `secret ${randomUUID()}`;
    const memory = small.memory(freshAddress());
    await putFiles(small, memory, createFiles(60));
    for (const path of ["/d00/f0", "/d03/f3", "/d05/f9"]) await memory.append(path, `${secret} and more`);
    await memory.rename("/d03", "/moved");
    const found = await historyOf(memory).findText(secret);
    expect(found.files).toEqual(["/d00/f0", "/d05/f9", "/moved/f3"]);
    await refuses(historyOf(memory).redact({ text: secret }), "EINVAL");
    expect(await historyOf(memory).redact({ text: secret, cut: true })).toBeGreaterThanOrEqual(4);
    expect(await storedBytes()).not.toContain(secret);
    expect(await memory.read("/moved/f3")).toContain(" and more");
    expect(await readAll(historyOf(memory).list())).not.toHaveLength(0);
  });
});

describe("the name of a file at which a page began", () => {
  /** The collections with a document that contains a text, as bytes. */
  async function findNaming(text: string): Promise<string[]> {
    const collections = await db.listCollections({}, { nameOnly: true }).toArray();
    const naming = await Promise.all(
      collections.map(async ({ name }) => {
        const documents = await db.collection(name).find({}, { raw: true }).toArray();
        return documents.some((bytes) => Buffer.from(bytes as unknown as Uint8Array).includes(text)) ? [name] : [];
      }),
    );
    return naming.flat();
  }

  const createName = (): string => `m ${randomUUID()}`;
  const stored = ({ address }: Memory): Promise<MemoryDocument[]> => readStoredPages(memories, address);

  /** A memory with three pages of the usual size. The second begins at the file. */
  async function createThreePages(store: MongoMemoryStore, path: string): Promise<Memory> {
    const memory = store.memory(freshAddress());
    await memory.write("/n", "in the second page, too");
    for (const file of ["/a", path, "/z"]) await memory.write(file, "text ".repeat(20_000));
    expect((await stored(memory)).map(({ lo }) => lo)).toContain(getOrderKey(path));
    return memory;
  }

  const removals = [
    ["renamed away", (memory: Memory, path: string) => memory.rename(path, "/zz")],
    [
      "renamed and deleted",
      (memory: Memory, path: string) => memory.rename(path, "/zz").then(() => memory.delete("/zz")),
    ],
    ["deleted", (memory: Memory, path: string) => memory.delete(path)],
  ] as const;
  const targets = [
    ["path", (path: string) => ({ path })],
    ["text", (path: string) => ({ text: path.slice(-12) })],
  ] as const;

  it.each(
    removals.flatMap(([removal, remove]) => targets.map(([target, what]) => ({ removal, remove, target, what }))),
  )("goes when the file was $removal and is redacted by its $target", async ({ remove, what }) => {
    const name = createName();
    const memory = await createThreePages(single, `/${name}`);
    await remove(memory, `/${name}`);
    expect(await findNaming(name)).not.toEqual([]);
    await historyOf(memory).redact(what(`/${name}`));
    expect(await findNaming(name)).toEqual([]);
    expect(findPageFaults(await stored(memory))).toEqual([]);
    expect(await memory.read("/z")).toHaveLength(100_000);
  });

  it.each(targets)("goes with a directory at which a page began, by %s of its files", async (_by, what) => {
    const name = createName();
    const memory = small.memory(freshAddress());
    const inside = Array.from({ length: 4 }, (_, index) => `/d/${name}/f${index}`);
    for (const path of ["/c", "/d/a", ...inside, "/z"]) await memory.write(path, "text ".repeat(300));
    expect((await stored(memory)).map(({ lo }) => lo)).toContain(getOrderKey(`/d/${name}`));
    await memory.delete(`/d/${name}`);
    expect((await stored(memory)).map(({ lo }) => lo)).toContain(getOrderKey(`/d/${name}`));
    for (const path of inside) await historyOf(memory).redact(what(path));
    for (const { lo = "", hi = "" } of await stored(memory)) expect(lo + hi).not.toContain(name);
    await historyOf(memory).redact({ text: name });
    expect(await findNaming(name)).toEqual([]);
    expect(findPageFaults(await stored(memory))).toEqual([]);
  });

  it("is found and goes, although no version has it any more", async () => {
    const name = createName();
    const plain = new MongoMemoryStore({ client, dbName });
    const { address } = await createThreePages(plain, `/${name}`);
    await plain.memory(address).delete(`/${name}`);
    const memory = single.memory(address);
    const found = await historyOf(memory).findText(name);
    expect(found).toEqual({ versions: [], proposals: [], files: [`/${name}`] });
    expect(await historyOf(memory).redact({ text: name })).toBe(0);
    expect(await historyOf(memory).findText(name)).toEqual({ versions: [], proposals: [], files: [] });
    expect(await findNaming(name)).toEqual([]);
  });

  it("is found in versions alone while these have it", async () => {
    const name = createName();
    const memory = await createThreePages(single, `/${name}`);
    await memory.delete(`/${name}`);
    const { versions, files } = await historyOf(memory).findText(name);
    expect([versions.map(({ operation }) => operation), files]).toEqual([["deleted", "created"], []]);
  });

  it("goes where pages are missing", async () => {
    const name = createName();
    const memory = small.memory(freshAddress());
    await putFiles(small, memory, createFiles(60));
    await memory.write(`/d03/${name}`, "text ".repeat(350));
    await memory.write(`/d03/${name} too`, "text ".repeat(350));
    const pages = await findPages(memories, memory);
    const gone = pages.filter(({ lo }) => lo.includes(name));
    expect(gone.length).toBeGreaterThan(0);
    await memories.deleteMany({ _id: { $in: gone.map(({ document }) => document._id as never) } });
    await historyOf(memory).redact({ path: `/d03/${name}` });
    await historyOf(memory).redact({ text: name });
    expect(await findNaming(name)).toEqual([]);
    expect(findPageFaults(await stored(memory))).toEqual([]);
  });

  it.each(targets)("goes from every collection, by %s", async (_by, what) => {
    const name = createName();
    const path = `/d/${name}`;
    const embeddings = new FakeEmbeddings();
    const store = openStore({ ...withPageBytes(2000), index: { dims: embeddings.dims, embeddings } });
    const memory = store.memory(freshAddress());
    const words = "text ".repeat(300);
    const write = { name: "memory", args: { command: "append", path, content: words } };
    await memory.write("/d/a", words);
    await callTool([new MemoryTool({ memory })], write, new Task().attempt());
    await memory.write("/d/z", words);
    await memory.search("text");
    const node = new MemoryNode({
      store,
      nodeId: memory.address.nodeId,
      rules: [{ path: "/**", access: "ask" }],
      onAsk: "propose",
    });
    for (const args of [
      { command: "append", path, content: "approved" },
      { command: "append", path, content: "pending" },
      { command: "delete", path: "/d" },
    ] as const)
      await node.memoryTools[0]?.invoke(args);
    const wanted = (await readAll(memory.proposals?.list() ?? [])).find(({ content }) => content === "approved");
    await memory.proposals?.approve(wanted?.id ?? "", { by: { userId: "ada" } });
    await memory.search("approved");
    await memory.delete(path);
    await memory.search("text");
    expect(await findNaming(name)).toEqual(expect.arrayContaining(["memories", "memories_proposals"]));
    expect((await stored(memory)).map(({ lo }) => lo)).toContain(getOrderKey(path));
    await historyOf(memory).redact(what(path));
    expect(await findNaming(name)).toEqual([]);
    expect(findPageFaults(await stored(memory))).toEqual([]);
  });

  it("goes while others change the memory, who lose nothing", async () => {
    const names = Array.from({ length: 8 }, createName);
    const memory = small.memory(freshAddress());
    await putFiles(small, memory, createFiles(60));
    for (const name of names) await memory.write(`/d03/${name}`, "text ".repeat(300));
    const others = Array.from({ length: 3 }, () => openStore(withPageBytes(2000)).memory(memory.address));
    // Each knows the pages as they are now.
    await Promise.all(others.map((other) => other.read("/d00/f0")));
    for (const name of names) await memory.delete(`/d03/${name}`);
    const written = others.flatMap((other, index) =>
      names.map(async (name, at) => {
        const path = `/d03/m new ${name.slice(2)} ${index}`;
        await other.write(path, `${at}`);
        return path;
      }),
    );
    const redacted = names.map((name) => historyOf(memory).redact({ path: `/d03/${name}` }));
    const [paths] = await Promise.all([Promise.all(written), Promise.all(redacted)]);
    for (const path of paths) expect(await memory.read(path)).toMatch(/^\d$/);
    for (const { lo = "", hi = "" } of await stored(memory))
      for (const name of names) expect(lo.endsWith(name) || hi.endsWith(name)).toBe(false);
    expect(findPageFaults(await stored(memory))).toEqual([]);
  });
});

describe("a change that replaces more text than a document takes", () => {
  it("is made whole, with a version of each file", async () => {
    const memory = single.memory(freshAddress());
    const texts = Array.from({ length: 24 }, (_, index) => `${index} `.repeat(300_000));
    for (const [index, text] of texts.entries()) await memory.write(`/notes/${index % 2}/${index}`, text);
    expect(await memory.delete("/notes")).toEqual({ files: 24, dirs: 3 });
    const [version] = await readAll(historyOf(memory).list({ path: "/notes/1/7", operation: "created" }));
    expect((await historyOf(memory).read(version?.id ?? "")).content).toBe(texts[7]);
  });
});

describe("forgetting a user", () => {
  it("takes the name out of the outbox of every page", async () => {
    const memory = small.memory(freshAddress());
    await putFiles(small, memory, createFiles(60));
    const userId = randomUUID();
    for (const path of ["/d00/f0", "/d03/f3", "/d05/f9"]) await memory.with({ actor: { userId } }).append(path, "x");
    const isNamed = async (): Promise<boolean> => {
      const pages = await findPages(memories, memory);
      return pages.some(({ document }) => JSON.stringify(document).includes(userId));
    };
    expect(await isNamed()).toBe(true);
    await small.forget({ userId });
    expect(await isNamed()).toBe(false);
    const versions = await readAll(historyOf(memory).list({ operation: "modified" }));
    expect(versions.map(({ actor }) => actor)).toEqual([{}, {}, {}]);
  });
});

describe("forgetting a large memory", () => {
  it("removes its versions, moved or not, and counts them", async () => {
    const address = { ...freshAddress(), scope: "perUser", userId: "ada" } as const;
    const memory = small.memory(address);
    await putFiles(small, memory, createFiles(60));
    for (let index = 0; index < 70; index += 1) await memory.append("/d05/f9", `line ${index}`);
    expect(await small.forget(address)).toEqual({ memories: 1, files: 60, versions: 130, proposals: 0 });
    const left = await db.collection("memories_versions").countDocuments({ userId: "ada" });
    expect(left).toBe(0);
    await memory.write("/d05/f9", "new");
    expect((await readAll(historyOf(memory).list())).map(({ operation }) => operation)).toEqual(["created"]);
    await memory.append("/d05/f9", "more");
    expect(await historyOf(memory).blame("/d05/f9")).toHaveLength(2);
  });
});

describe("a proposal for a large memory", () => {
  const proposes = {
    rules: [{ path: "/**", access: "ask" as const }],
    onAsk: "propose" as const,
  };
  const reviewer = { by: { userId: "grace" } };

  async function propose(
    { nodeId }: { nodeId: string },
    args: Record<string, string>,
    store = small,
  ): Promise<{ id: string; node: MemoryNode }> {
    const node = new MemoryNode({ store, nodeId, ...proposes });
    const [tool] = node.memoryTools;
    const answer = String(await tool?.invoke(args as never));
    const { result } = JSON.parse(answer) as { result?: { proposal?: string } };
    return { id: result?.proposal ?? "", node };
  }

  const proposalsOf = ({ proposals }: Memory): NonNullable<Memory["proposals"]> => {
    if (!proposals) throw new Error("there are no proposals");
    return proposals;
  };

  it.each(["/d00/f0", "/d05/f9", "/d03/new"])("of %s is carried out once, however many approve it", async (path) => {
    const memory = small.memory(freshAddress());
    await putFiles(small, memory, createFiles(60));
    const { id } = await propose(memory.address, { command: "append", path, content: "a line" });
    expect(await memory.grep("a line")).toEqual([]);
    const approvals = Array.from({ length: 4 }, () =>
      proposalsOf(openStore(withPageBytes(2000)).memory(memory.address)).approve(id, reviewer),
    );
    await Promise.allSettled(approvals);
    expect((await proposalsOf(memory).get(id))?.status).toBe("approved");
    expect((await memory.read(path)).split("a line")).toHaveLength(2);
    expect(await readAll(historyOf(memory).list({ path }))).toHaveLength(path === "/d03/new" ? 1 : 2);
    const [head] = await findPages(memories, memory);
    expect(head?.document).not.toHaveProperty("applied");
  });

  it.each(["/d00/f0", "/d05/f9"])("of %s is refused when the file has changed, and only then", async (path) => {
    const memory = small.memory(freshAddress());
    await putFiles(small, memory, createFiles(60));
    const first = await propose(memory.address, { command: "append", path, content: "a line" });
    const second = await propose(memory.address, { command: "delete", path: path.slice(0, 4) });
    await memory.append("/d02/f2", "elsewhere");
    await memory.append(path, "meanwhile");
    await refuses(proposalsOf(memory).approve(second.id, reviewer), "ECONFLICT");
    await refuses(proposalsOf(memory).approve(first.id, reviewer), "ECONFLICT");
    expect(await memory.read(path)).not.toContain("a line");
    const third = await propose(memory.address, { command: "append", path, content: "a line" });
    await memory.append("/d02/f2", "elsewhere");
    await proposalsOf(memory).approve(third.id, reviewer);
    expect(await memory.read(path)).toMatch(/meanwhile\na line$/);
  });

  it("of a directory of several pages is carried out, in a store without a history too", async () => {
    const store = new MongoMemoryStore({ client, dbName, ...withPageBytes(2000) });
    const memory = store.memory(freshAddress());
    await putFiles(store, memory, createFiles(60));
    const { id } = await propose(memory.address, { command: "delete", path: "/d03" }, store);
    expect(await memory.list("/d03")).toHaveLength(10);
    await proposalsOf(memory).approve(id, reviewer);
    expect(await memory.stat("/d03")).toBeNull();
    const other = await propose(memory.address, { command: "append", path: "/d05/f9", content: "text" }, store);
    await proposalsOf(memory).approve(other.id, reviewer);
    expect(await memory.read("/d05/f9")).toMatch(/text$/);
    const [head] = await findPages(memories, memory);
    expect(head?.document).not.toHaveProperty("applied");
  });
});
