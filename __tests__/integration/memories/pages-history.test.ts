import { randomUUID } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { MongoClient } from "mongodb";
import {
  type MemoryHistory,
  type MemoryVersion,
  type Memory,
  MongoMemoryStore,
  type MongoMemoryStoreOptions,
} from "../../../src/index.js";
import type { PagedHistory } from "../../../src/core/backend-history.js";
import { withPageBytes } from "../../helpers/page-sizes.js";
import { freshAddress, refuses } from "../../helpers/memory-case.js";
import { createFiles, findPages, putFiles } from "../../helpers/paged-memories.js";
import { findPageFaults, type MemoryDocument, readStoredPages } from "../../helpers/stored-pages.js";
import { getOrderKey } from "../../../src/mongodb/memories/documents/page-order.js";
import { findStored } from "../../helpers/find-stored.js";
import { createAskingNode, propose } from "../../helpers/proposals.js";
import { getHistory, getProposals } from "../../helpers/store-calls.js";
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
  const history = getHistory(memory);
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

it("the versions of a memory that has become one page again stay in their order", async () => {
  const memory = small.memory(freshAddress());
  await putFiles(small, memory, createFiles(60));
  await memory.delete("/");
  expect(await findPages(memories, memory)).toHaveLength(1);
  await memory.write("/a", "first");
  await memory.append("/a", "second");
  const versions = await readAll(getHistory(memory).list());
  expect(versions.slice(0, 3).map(({ path, operation }) => [path, operation])).toEqual([
    ["/a", "modified"],
    ["/a", "created"],
    [expect.stringMatching(/^\/d/), "deleted"],
  ]);
});

describe("the history of a large memory", () => {
  it("answers as that of a small one does, before and after its versions are moved", async () => {
    const { paged, alone } = await createPair();
    const expected = await describeHistory(alone);
    expect(await describeHistory(paged)).toEqual(expected);
    // A redaction first moves all versions.
    for (const memory of [paged, alone]) await getHistory(memory).redact({ text: "no such text" });
    expect(await describeHistory(paged)).toEqual(expected);
    const cold = openStore(withPageBytes(2000)).memory(paged.address);
    expect(await describeHistory(cold)).toEqual(expected);
  });

  it("leaves the page in time, and makes no other page larger", async () => {
    const memory = small.memory(freshAddress());
    await putFiles(small, memory, createFiles(60));
    for (let index = 0; index < 150; index += 1) await memory.append("/d05/f9", `line ${index}`);
    const countRecorded = async (): Promise<number[]> =>
      (await findPages(memories, memory)).map(({ document }) => document.outbox?.length ?? 0);
    await until(async () => (await countRecorded()).every((count) => count < 60));
    const versions = await readAll(getHistory(memory).list({ path: "/d05/f9" }));
    expect(versions).toHaveLength(151);
    const { content } = await getHistory(memory).read(versions[140]?.id ?? "");
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
    const versions = (await readAll(getHistory(memory).list())).slice(0, paths.length + 2).toReversed();
    expect(versions.map(({ path }) => path)).toEqual([...paths, "/d05/from d03", "/d02/f2"]);
    const [third] = versions.slice(2);
    const { files } = await getHistory(memory).at(third?.id ?? "");
    const changed = files.flatMap(({ path, content }) => (content.includes("a line") ? [path] : []));
    expect(changed).toEqual(["/d00/f0", "/d03/f3", "/d05/f9"]);
  });

  it("gives a program that goes on from the last version every version, once others cannot come before it", async () => {
    const memory = small.memory(freshAddress());
    await putFiles(small, memory, createFiles(60));
    for (const path of ["/d05/f9", "/d00/f0", "/d03/f3"]) await memory.append(path, "a line");
    const history = getHistory(memory) as PagedHistory;
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
    const versions = await readAll(getHistory(memory).list());
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
      const versions = await readAll(getHistory(memory).list({ path }));
      const texts = await Promise.all(versions.map(async ({ id }) => (await getHistory(memory).read(id)).content));
      const lines = (await memory.read(path)).split("\n");
      expect(texts).toEqual(versions.map((_, index) => lines.slice(0, count - index).join("\n")));
      expect(versions).toHaveLength(count);
    }
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
    const versions = await readAll(getHistory(memory).list({ operation: "modified" }));
    expect(versions.map(({ path }) => path)).toEqual(paths.toReversed());
    expect(paths.length).toBeGreaterThan(5);
  });
});

/** By every kind of target, one after the other. */
const reverts: ((
  history: MemoryHistory,
  versionOf: (path: string, operation: string) => string,
) => Promise<MemoryVersion[]>)[] = [
  (history, versionOf) => history.revert({ path: "/d05/f9", to: versionOf("/d05/f9", "created") }),
  (history, versionOf) => history.revert({ path: "/d04", to: versionOf("/d05/from d03", "renamed") }),
  (history) => history.revert({ runId: "fifth" }),
  (history) => history.revert({ runId: "third" }, { force: true }),
  (history, versionOf) => history.revert({ path: "/", to: versionOf("/d05/f9", "modified") }),
];

it("a revert makes of a large memory what it makes of a small one", async () => {
  const { paged, alone } = await createPair();
  const sort = (versions: MemoryVersion[]): object[] =>
    versions.toSorted((a, b) => (a.path < b.path ? -1 : 1)).map(seen);
  await refuses(getHistory(paged).revert({ runId: "third" }), "ECONFLICT");
  for (const revert of reverts) {
    nowMs += 1000;
    const [expected = [], made = []] = await Promise.all(
      [alone, paged].map(async (memory) => {
        const versions = await readAll(getHistory(memory).list());
        const versionOf = (path: string, operation: string): string =>
          versions.find((each) => each.path === path && each.operation === operation)?.id ?? "";
        return revert(getHistory(memory), versionOf);
      }),
    );
    expect([expected.length > 0, sort(made)]).toEqual([true, sort(expected)]);
    expect(await present(paged)).toEqual(await present(alone));
    expect(findPageFaults(await readStoredPages(memories, paged.address))).toEqual([]);
    expect(sort(await readAll(getHistory(paged).list()))).toEqual(sort(await readAll(getHistory(alone).list())));
  }
});

describe("the name of a file at which a page began", () => {
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
    expect(await findStored(db, name)).not.toEqual([]);
    await getHistory(memory).redact(what(`/${name}`));
    expect(await findStored(db, name)).toEqual([]);
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
    for (const path of inside) await getHistory(memory).redact(what(path));
    for (const { lo = "", hi = "" } of await stored(memory)) expect(lo + hi).not.toContain(name);
    await getHistory(memory).redact({ text: name });
    expect(await findStored(db, name)).toEqual([]);
    expect(findPageFaults(await stored(memory))).toEqual([]);
  });

  it("is found and goes, although no version has it any more", async () => {
    const name = createName();
    const plain = new MongoMemoryStore({ client, dbName });
    const { address } = await createThreePages(plain, `/${name}`);
    await plain.memory(address).delete(`/${name}`);
    const memory = single.memory(address);
    const found = await getHistory(memory).findText(name);
    expect(found).toEqual({ versions: [], proposals: [], files: [`/${name}`] });
    expect(await getHistory(memory).redact({ text: name })).toBe(0);
    expect(await getHistory(memory).findText(name)).toEqual({ versions: [], proposals: [], files: [] });
    expect(await findStored(db, name)).toEqual([]);
  });

  it("is found in versions alone while these have it", async () => {
    const name = createName();
    const memory = await createThreePages(single, `/${name}`);
    await memory.delete(`/${name}`);
    const { versions, files } = await getHistory(memory).findText(name);
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
    await getHistory(memory).redact({ path: `/d03/${name}` });
    await getHistory(memory).redact({ text: name });
    expect(await findStored(db, name)).toEqual([]);
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
    const node = createAskingNode(store, memory.address);
    const approved = await propose(node, { command: "append", path, content: "approved" });
    await propose(node, { command: "append", path, content: "pending" });
    await propose(node, { command: "delete", path: "/d" });
    await getProposals(memory).approve(approved, { by: { userId: "ada" } });
    await memory.search("approved");
    await memory.delete(path);
    await memory.search("text");
    expect(await findStored(db, name)).toEqual(expect.arrayContaining(["memories", "memories_proposals"]));
    expect((await stored(memory)).map(({ lo }) => lo)).toContain(getOrderKey(path));
    await getHistory(memory).redact(what(path));
    expect(await findStored(db, name)).toEqual([]);
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
    const redacted = names.map((name) => getHistory(memory).redact({ path: `/d03/${name}` }));
    const [paths] = await Promise.all([Promise.all(written), Promise.all(redacted)]);
    for (const path of paths) expect(await memory.read(path)).toMatch(/^\d$/);
    for (const { lo = "", hi = "" } of await stored(memory))
      for (const name of names) expect(lo.endsWith(name) || hi.endsWith(name)).toBe(false);
    expect(findPageFaults(await stored(memory))).toEqual([]);
  });
});

it("a proposal to delete a directory of several pages is carried out, in a store without a history too", async () => {
  for (const store of [small, openStore({ ...withPageBytes(2000), history: false })]) {
    const memory = store.memory(freshAddress());
    await putFiles(store, memory, createFiles(60));
    const id = await propose(createAskingNode(store, memory.address), { command: "delete", path: "/d03" });
    await memory.append("/d02/f2", "elsewhere");
    expect(await memory.list("/d03")).toHaveLength(10);
    await getProposals(memory).approve(id, { by: { userId: "ada" } });
    expect(await memory.stat("/d03")).toBeNull();
    expect((await findPages(memories, memory))[0]?.document).not.toHaveProperty("applied");
  }
});
