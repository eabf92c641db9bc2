import { beforeAll, describe, expect, it } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { type Db, type Document, MongoClient, ObjectId } from "mongodb";
import {
  type MemoryHistory,
  type MemoryVersion,
  type Memory,
  MemoryTool,
  MemoryNode,
  MongoMemoryStore,
} from "../../../src/index.js";
import { refuses } from "../../helpers/memory-case.js";
import { commandsOf } from "../../helpers/commands-of.js";
import { readAll } from "../../helpers/read-all.js";
import { getHistory } from "../../helpers/store-calls.js";
import { testDatabase } from "../../helpers/test-database.js";
import { useClient } from "../../helpers/use-client.js";

const clock = (): Date => new Date();

/** To redact moves all versions out of the memory's document, and lets go what need not be kept. */
async function flush(memory: Memory): Promise<void> {
  await getHistory(memory).redact({ text: "no such text" });
}

/** How the server finds what each command of a call looks for in a collection. */
async function getPlans(
  watched: MongoClient,
  db: Db,
  collection: string,
  run: () => Promise<unknown>,
): Promise<{ name: string; text: string; examined: number }[]> {
  const addedByDriver = new Set([
    "lsid",
    "txnNumber",
    "startTransaction",
    "autocommit",
    "readConcern",
    "$db",
    "$clusterTime",
    "$readPreference",
  ]);
  const looking = ["find", "aggregate", "update", "delete"];
  const sent = (await commandsOf(watched, run)).filter(
    ({ command, commandName }) => looking.includes(commandName) && command[commandName] === collection,
  );
  const commands = sent.flatMap(({ command, commandName: name }): [string, Document][] => {
    const explain = Object.fromEntries(Object.entries(command).filter(([field]) => !addedByDriver.has(field)));
    // The server explains one at a time.
    const field = `${name}s`;
    return Array.isArray(explain[field])
      ? (explain[field] as unknown[]).map((one) => [name, { ...explain, [field]: [one] }])
      : [[name, explain]];
  });
  return Promise.all(
    commands.map(async ([name, explain]) => {
      const text = JSON.stringify(await db.command({ explain, verbosity: "executionStats" }));
      const counts = [...text.matchAll(/"total(?:Keys|Docs)Examined":(\d+)/g)].map(([, count]) => Number(count));
      return { name, text, examined: Math.max(0, ...counts) };
    }),
  );
}

const summary = ({ id, operation, path }: MemoryVersion): string => `${id} ${operation} ${path}`;

describe("versions that are kept for a while", () => {
  const { client, name: dbName, db } = testDatabase("standalone");
  const keepMs = 1000;
  const startMs = Date.now();
  let nowMs = startMs;
  const store = new MongoMemoryStore({
    client,
    dbName,
    memoriesCollection: "kept",
    history: { keepMs },
    clock: () => new Date(nowMs),
  });
  const versions = db.collection("kept_versions");

  /** Two files, of which one is changed twice and one is deleted, a second apart. */
  async function changedMemory(): Promise<Memory> {
    nowMs = startMs;
    const memory = store.memory({ nodeId: randomUUID() });
    await memory.write("/a", "one");
    await memory.write("/b", "b");
    nowMs += keepMs / 2;
    await memory.write("/a", "two");
    await memory.delete("/b");
    nowMs += keepMs / 4;
    await memory.write("/a", "three");
    await flush(memory);
    return memory;
  }

  const listed = async (memory: Memory, path: string): Promise<string[]> =>
    (await readAll(getHistory(memory).list({ path }))).map(summary);

  it("are dropped so long after they were made, but for the last of each path", async () => {
    await changedMemory();
    const found = await versions
      .find({ path: { $in: ["/a", "/b"] } })
      .sort({ _id: 1 })
      .toArray();
    expect(found.map(({ path, dropAt }) => [path, (dropAt as Date | undefined)?.getTime()])).toEqual([
      ["/a", startMs + keepMs],
      ["/b", startMs + keepMs],
      ["/a", startMs + 1.5 * keepMs],
      ["/b", undefined],
      ["/a", undefined],
    ]);
    const indexes = await versions.indexes();
    expect(indexes.filter(({ key }) => "dropAt" in key)).toMatchObject([{ expireAfterSeconds: 0 }]);
  });

  it("are gone then, even where MongoDB has yet to delete them", async () => {
    const memory = await changedMemory();
    const history = getHistory(memory);
    nowMs = startMs + keepMs - 1;
    expect([await listed(memory, "/a"), await listed(memory, "/b")]).toEqual([
      ["5 modified /a", "3 modified /a", "1 created /a"],
      ["4 deleted /b", "2 created /b"],
    ]);
    expect((await history.read("1")).content).toBe("one");
    nowMs += 1;
    expect([await listed(memory, "/a"), await listed(memory, "/b")]).toEqual([
      ["5 modified /a", "3 modified /a"],
      ["4 deleted /b"],
    ]);
    await refuses(history.read("1"), "ENOENT");
    await refuses(history.at("2"), "ENOENT");
    await refuses(history.diff("1", "5"), "ENOENT");
    await refuses(history.revert({ path: "/b", to: "2" }), "ENOENT");
    expect((await history.read("3")).content).toBe("two");
    nowMs = startMs + 1.5 * keepMs;
    expect(
      (await readAll(history.list({ path: "/" }))).filter(({ path }) => path === "/a" || path === "/b").map(summary),
    ).toEqual(["5 modified /a", "4 deleted /b"]);
    expect((await history.read("5")).content).toBe("three");
    expect((await history.blame("/a")).map(({ version }) => version?.id)).toEqual(["5"]);
  });
});

const letters = (letter: string, megabytes: number): string => letter.repeat(megabytes * 1_000_000);

describe("a memory near the size that MongoDB takes", () => {
  const { client, name: dbName } = testDatabase("standalone");
  const store = new MongoMemoryStore({ client, dbName, history: true });

  async function largeMemory(): Promise<Memory> {
    const memory = store.memory({ nodeId: randomUUID() }, { maxFileBytes: 7_500_000 });
    await memory.write("/large", letters("l", 7));
    await memory.write("/other", letters("o", 6));
    await memory.write("/a", letters("a", 1));
    return memory;
  }

  it("moves what it has recorded out and makes the change, also where several write at once", async () => {
    const memory = await largeMemory();
    await Promise.all(["b", "c", "d", "e"].map((letter) => memory.write("/a", letters(letter, 1))));
    const versions = await readAll(getHistory(memory).list({ path: "/a" }));
    expect(versions.map(({ id }) => id)).toEqual(["7", "6", "5", "4", "3"]);
    expect((await getHistory(memory).read("3")).content).toBe(letters("a", 1));
  });

  it("refuses what would not fit without that, and a change that does not fit beside the text that it replaces", async () => {
    const memory = await largeMemory();
    await expect(memory.write("/b", letters("b", 2))).rejects.toMatchObject({
      code: "ENOSPC",
      message: expect.stringContaining("over its limit of 15000000 bytes"),
    });
    await expect(memory.write("/large", letters("m", 7))).rejects.toMatchObject({
      code: "ENOSPC",
      message:
        "ENOSPC: the memory and the texts that the change replaces, which its history keeps, are larger together than " +
        "MongoDB takes a document; change fewer or smaller files at once, or use a replica set, which keeps a large " +
        "memory in several documents",
    });
    expect((await readAll(getHistory(memory).list())).map(summary)).toEqual([
      "3 created /a",
      "2 created /other",
      "1 created /large",
    ]);
    expect(await memory.read("/large")).toBe(letters("l", 7));
  });
});

describe("beside 1,000 versions of other memories, that have the same paths and actors,", () => {
  const { uri, name: dbName, db } = testDatabase("standalone");
  const watched = useClient(new MongoClient(uri, { monitorCommands: true }));
  const store = new MongoMemoryStore({
    client: watched,
    dbName,
    memoriesCollection: "many",
    history: true,
    clock,
  });
  const versions = db.collection<{ _id: string }>("many_versions");
  const address = { nodeId: randomUUID(), scope: "perUser", userId: "ada" } as const;
  const memory = store.memory(address);
  /** Keys or documents: five changes, and some are looked at twice. */
  const maxOwn = 12;
  const actor = { userId: "ada", threadId: "t", runId: "r", toolCallId: "call" };

  beforeAll(async () => {
    const changed = memory.with({ actor });
    await changed.write("/notes/a", "one");
    await changed.rename("/notes/a", "/notes/b");
    await changed.append("/notes/b", "two");
    await flush(memory);
    const own = await versions.find().toArray();
    const others = Array.from({ length: 1000 / own.length }, () => new ObjectId().toHexString());
    const [memoryId = ""] = own.map(({ _id }) => _id).filter((id) => !id.includes("."));
    await versions.insertMany(
      others.flatMap((other) => own.map((version) => ({ ...version, _id: version._id.replace(memoryId, other) }))),
    );
    // Also in directories of the same name, below which each has another file.
    const created = own.find(({ _id }) => _id.includes("."));
    await versions.insertMany(
      Array.from({ length: 1000 }, (_, index) => {
        const other = new ObjectId().toHexString();
        return { ...created, _id: (created?._id ?? "").replace(memoryId, other), path: `/notes/${index}` };
      }),
    );
  });

  const call = (run: (history: MemoryHistory) => Promise<unknown> | AsyncIterable<unknown>) => async () => {
    const answer = run(getHistory(memory));
    return Symbol.asyncIterator in answer ? readAll(answer) : answer;
  };

  it.each<[string, () => Promise<unknown>]>([
    ["a page of them", call((history) => history.list())],
    ["a page after an id", call((history) => history.list({ limit: 2 }))],
    ["by the path of a file", call((history) => history.list({ path: "/notes/b" }))],
    ["by the path of a directory", call((history) => history.list({ path: "/notes" }))],
    ...Object.entries(actor).map(([field, id]): [string, () => Promise<unknown>] => [
      `by actor.${field}`,
      call((history) => history.list({ actor: { [field]: id } })),
    ]),
    ["by operation and time", call((history) => history.list({ operation: "renamed", after: new Date(0) }))],
    ["by redaction", call((history) => history.list({ redacted: true }))],
    ["the text of one", call((history) => history.read("1"))],
    ["the tree of one", call((history) => history.at("1"))],
    ["blame", call((history) => history.blame("/notes/b"))],
    ["revert of a run", call((history) => history.revert({ runId: "r" }, { force: true }))],
    ["redact", call((history) => history.redact({ path: "/notes/b" }))],
  ])("%s examines those of one memory only", async (_, run) => {
    const plans = await getPlans(watched, db, "many_versions", run);
    expect(plans).not.toEqual([]);
    for (const { text, examined } of plans) {
      expect(text).not.toContain("COLLSCAN");
      expect(examined).toBeLessThanOrEqual(maxOwn);
    }
  });

  it("the path of a file that was a directory, or of a directory that was a file, examines those of one memory only", async () => {
    const changing = store.memory({ nodeId: randomUUID() });
    await changing.write("/now a directory", "a file");
    await changing.delete("/now a directory");
    await changing.write("/now a directory/a", "a file");
    await changing.write("/now a file/a", "a file");
    await changing.delete("/now a file");
    await changing.write("/now a file", "a file");
    await changing.write("/gone", "a file");
    await changing.delete("/gone");
    await changing.write("/gone/a", "a file");
    await changing.delete("/gone");
    await flush(changing);
    const paths = ["/now a directory", "/now a file", "/gone"];
    const [created] = await versions.find({ path: "/gone" }).toArray();
    await versions.insertMany(
      Array.from({ length: 1000 }, (_, index) => {
        const _id = (created?._id ?? "").replace(/^[^.]+/, new ObjectId().toHexString());
        return { ...created, _id, path: `${paths[index % paths.length]}/${index}` };
      }),
    );
    const found: string[][] = [];
    for (const path of paths) {
      const plans = await getPlans(watched, db, "many_versions", async () => {
        found.push((await readAll(getHistory(changing).list({ path }))).map(summary));
      });
      for (const { examined } of plans) expect(examined).toBeLessThanOrEqual(maxOwn);
    }
    expect(found).toEqual([
      ["3 created /now a directory/a", "2 deleted /now a directory", "1 created /now a directory"],
      ["6 created /now a file"],
      ["10 deleted /gone/a", "9 created /gone/a", "8 deleted /gone", "7 created /gone"],
    ]);
  });

  it("forget finds those of a user, and who acted or decided, by an index", async () => {
    const node = new MemoryNode({
      store,
      nodeId: "assistant",
      rules: [{ path: "/**", access: "ask" }],
      onAsk: "propose",
    });
    await new MemoryTool({ memory: node.memory() }).invoke({ command: "append", path: "/a", content: "x" });
    for (const range of [{ userId: "nobody" }, { threadId: "none" }, { nodeId: "nowhere", scope: "global" } as const]) {
      const plans = await Promise.all(
        ["many", "many_versions", "many_proposals"].map((collection) =>
          getPlans(watched, db, collection, () => store.forget(range, { mentions: false })),
        ),
      );
      expect(plans.map(({ length }) => length > 0)).toEqual([true, true, true]);
      for (const { text, examined } of plans.flat())
        expect({ text, examined }).toEqual({ text: expect.not.stringContaining("COLLSCAN"), examined: 0 });
    }
  });
});
