import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { describe, expect, it, jest } from "@jest/globals";
import { type Document, MongoClient } from "mongodb";
import { splitPassages } from "../../../src/core/search/passages.js";
import {
  type MemoryAddress,
  MemoryNode,
  openMemory,
  MongoMemoryStore,
  type MongoMemoryStoreOptions,
  type SearchHit,
} from "../../../src/index.js";
import fc from "../../helpers/fast-check.js";
import { freshAddress, refuses } from "../../helpers/memory-case.js";
import { commandsOf } from "../../helpers/commands-of.js";
import { FakeEmbeddings } from "../../helpers/fake-embeddings.js";
import { repetitions } from "../../helpers/repetitions.js";
import { testDatabase } from "../../helpers/test-database.js";
import { auto, writeManyNotes } from "../../helpers/turns.js";
import { useClient } from "../../helpers/use-client.js";

const { uri, name, db } = testDatabase();
const client = useClient(new MongoClient(uri, { monitorCommands: true }));

const readTexts = (hits: readonly SearchHit[]) => hits.map(({ text }) => text);
const findVectors = (filter: Document, collection = "memories_vectors") =>
  db.collection(collection).find(filter).toArray();
const embedded = ({ documentCalls }: FakeEmbeddings) => documentCalls.flat();

/** Texts are near each other that have the letters a to d equally often, whatever their words. */
function storeWith(embeddings: FakeEmbeddings, options: Partial<MongoMemoryStoreOptions> = {}): MongoMemoryStore {
  return new MongoMemoryStore({
    client,
    dbName: name,
    index: { dims: embeddings.dims, embeddings },
    ...options,
  });
}

describe("a client that never answers one call", () => {
  it("ends that search by its time limit, and then answers the next one", async () => {
    const embeddings = new FakeEmbeddings();
    const memory = storeWith(embeddings).memory(freshAddress());
    await memory.write("/notes", "abc");
    embeddings.lostCalls = 1;
    await expect(memory.with({ timeoutMs: 500 }).search("a")).rejects.toMatchObject({ code: "EIO" });
    expect(readTexts(await memory.search("a"))).toEqual(["abc"]);
  });
});

describe("a search by words and meaning", () => {
  it("finds what shares no word with the query, and puts first what both rankings have high", async () => {
    const memory = storeWith(new FakeEmbeddings()).memory(freshAddress());
    await memory.write("/notes", "ccc xyz\n\nbbb bbb\n\naaa\n\nzebra bb");
    expect(readTexts(await memory.search("zebra b", { limit: 3 }))).toEqual(["zebra bb", "bbb bbb", "aaa"]);
    expect(readTexts(await memory.search("cc", { limit: 1 }))).toEqual(["ccc xyz"]);
  });

  it("is limited to a path, and gives the best passage of each file where that is asked for", async () => {
    const memory = storeWith(new FakeEmbeddings()).memory(freshAddress());
    await memory.write("/a/one", "aaa\n\nxa");
    await memory.write("/a/two", "bbb\n\nxaab");
    await memory.write("/b", "aaaaa");
    expect((await memory.search("a", { path: "/a", limit: 100 })).map(({ path }) => path)).toEqual([
      "/a/one",
      "/a/one",
      "/a/two",
      "/a/two",
    ]);
    const perFile = await memory.search("a", { per: "file" });
    expect(perFile.map(({ path, text }) => [path, text])).toEqual([
      ["/a/one", "aaa"],
      ["/b", "aaaaa"],
      ["/a/two", "xaab"],
    ]);
  });

  it("is the naive fusion of both rankings in any texts", async () => {
    const embeddings = new FakeEmbeddings();
    const store = storeWith(embeddings);
    const line = fc
      .array(fc.constantFrom("aa", "ab", "bcd", "zebra", "dd", "🎂"), { maxLength: 4 })
      .map((words) => words.join(" "));
    const text = fc.array(line, { maxLength: 5 }).map((lines) => lines.join("\r\n"));
    const texts = fc.dictionary(fc.constantFrom("/a", "/b", "/zebra"), text, { minKeys: 1, noNullPrototype: true });
    await fc.assert(
      fc.asyncProperty(texts, fc.constantFrom("zebra", "ab", "abc dd", "🎂 aa"), async (files, query) => {
        const [memory, byWords] = [
          store.memory(freshAddress()),
          openMemory(new InMemoryStore(), { nodeId: "by words" }),
        ];
        for (const each of [memory, byWords])
          for (const [path, content] of Object.entries(files)) await each.write(path, content);
        const vector = (of: string) => ["a", "b", "c", "d"].map((letter) => of.split(letter).length - 1);
        const dot = (one: number[], other: number[]) =>
          one.reduce((sum, each, index) => sum + each * (other[index] ?? 0), 0);
        const cosine = (one: number[], other: number[]) =>
          dot(one, other) / (Math.sqrt(dot(one, one)) * Math.sqrt(dot(other, other)) || 1);
        const passages = Object.keys(files)
          .toSorted()
          .flatMap((path) =>
            Array.from(splitPassages(files[path] ?? ""), (each) => ({
              place: `${path}:${each.firstLine}`,
              text: (files[path] ?? "").slice(each.start, each.end),
            })),
          );
        const near = passages
          .map((each) => ({ ...each, score: cosine(vector(each.text), vector(query)) }))
          .toSorted((a, b) => b.score - a.score);
        const words = (await byWords.search(query, { limit: 1000 })).map(
          ({ path, startLine }) => `${path}:${startLine}`,
        );
        const share = (rank: number) => (rank === -1 ? 0 : 1 / (4 + rank));
        const naive = near
          .map(({ place }, rank) => [place, share(rank) / 2 + share(words.indexOf(place))] as const)
          .toSorted((a, b) => b[1] - a[1]);
        const found = await memory.search(query, { limit: 1000 });
        expect(found.map(({ score }) => score / (found[0]?.score ?? 1))).toEqual(
          naive.map(([, score]) => expect.closeTo(score / (naive[0]?.[1] ?? 1), 9)),
        );
      }),
      { numRuns: repetitions({ usual: 6, long: 60 }) },
    );
  });
});

describe("the vectors of passages", () => {
  it("are made once for each text, by any process, and kept without the text", async () => {
    const address = freshAddress();
    const [first, second] = [new FakeEmbeddings(), new FakeEmbeddings()];
    const memory = storeWith(first).memory(address);
    await memory.write("/a", `${"the same line: a\n\n".repeat(10_000)}another: b`);
    await memory.search("b");
    await memory.search("a");
    expect(first.documentCalls).toEqual([["the same line: a", "another: b"]]);
    await storeWith(second).memory(address).search("a");
    expect(second.documentCalls).toEqual([]);
    const stored = await findVectors(address);
    expect(stored).toHaveLength(2);
    expect(Object.keys(stored[0] ?? {}).toSorted()).toEqual([
      "_id",
      "model",
      "nodeId",
      "scope",
      "text",
      "updatedAt",
      "vector",
    ]);
    expect(JSON.stringify(stored)).not.toContain("the same line");
  });

  it("are read and made for changed texts alone, and a search of an unchanged memory reads none", async () => {
    const embeddings = new FakeEmbeddings();
    const memory = storeWith(embeddings).memory(freshAddress());
    await memory.write("/a", "aaa\n\nbbb");
    await memory.search("a");
    const warm = await commandsOf(client, () => memory.search("b"));
    expect(warm.map(({ command }) => command["projection"] as unknown)).toEqual([
      { key: 1, hi: 1, revision: 1, updatedAt: 1, recorded: 1 },
    ]);
    await memory.append("/a", "\nccc");
    expect(readTexts(await memory.search("cc", { limit: 1 }))).toEqual(["ccc"]);
    expect(embeddings.documentCalls).toEqual([["aaa", "bbb"], ["ccc"]]);
  });

  it("are made a hundred in a call and a thousand in a search; the rest is found by words until the next", async () => {
    const embeddings = new FakeEmbeddings();
    const memory = storeWith(embeddings).memory(freshAddress());
    await memory.write(
      "/a",
      Array.from({ length: 1250 }, (_, line) => `- ${"a".repeat(line % 5)} zebra${line}`).join("\n"),
    );
    expect(readTexts(await memory.search("zebra1249", { limit: 2 }))).toContainEqual(
      expect.stringContaining("zebra1249"),
    );
    expect(embeddings.documentCalls.map(({ length }) => length)).toEqual(Array.from({ length: 10 }, () => 100));
    await memory.search("zebra7");
    await memory.search("zebra8");
    expect(embedded(embeddings)).toHaveLength(1250);
    expect(new Set(embedded(embeddings)).size).toBe(1250);
  });

  it("go with the next search after their text, with the memory, and with all memories of a user", async () => {
    const [embeddings, { nodeId }] = [new FakeEmbeddings(), freshAddress()];
    const store = storeWith(embeddings);
    const users = [`ann of ${nodeId}`, `bob of ${nodeId}`];
    for (const userId of users) {
      const memory = store.memory({ nodeId, scope: "perUser", userId });
      await memory.write("/a", "aaa");
      await memory.write("/b", "bbb");
      await memory.search("a");
      await memory.delete("/b");
      await memory.search("a");
    }
    const global = store.memory({ nodeId });
    await global.write("/a", "aaa");
    await global.search("a");
    expect((await findVectors({ nodeId })).map(({ scope, userId }: Document) => [scope, userId])).toEqual(
      expect.arrayContaining([
        ["perUser", users[0]],
        ["perUser", users[1]],
        ["global", undefined],
      ]),
    );
    expect(await findVectors({ nodeId })).toHaveLength(3);
    // By a store that has no embeddings itself.
    const another = new MongoMemoryStore({ client, dbName: name });
    await another.forget({ userId: users[0] ?? "" });
    await another.forget({ nodeId });
    expect((await findVectors({ nodeId })).map(({ userId }: Document) => userId)).toEqual([users[1]]);
  });

  it.each([
    ["vectors_by_user", { userId: "ann" }],
    ["vectors_by_thread", { threadId: "first" }],
    ["vectors_of_memory", { nodeId: "assistant", scope: "global" } as const],
  ])("are found by the index %s where they are to go", async (index, who) => {
    const store = storeWith(new FakeEmbeddings());
    const memory = store.memory(freshAddress());
    await memory.write("/a", "aaa");
    await memory.search("a");
    const sent = await commandsOf(client, () => store.forget(who));
    const { deletes } = sent.find(({ command }) => command["delete"] === "memories_vectors")?.command ?? {};
    const { queryPlanner } = await db.command({
      explain: { delete: "memories_vectors", deletes: deletes as Document },
      verbosity: "queryPlanner",
    });
    expect(JSON.stringify(queryPlanner.winningPlan)).toContain(`"indexName":"${index}"`);
  });

  it("of a redacted text are nowhere, although no version has the text any more", async () => {
    const address = freshAddress();
    const memory = storeWith(new FakeEmbeddings()).memory(address);
    await memory.write("/a", "aaa");
    await memory.search("a");
    await memory.write("/a", "bbb");
    const withHistory = new MongoMemoryStore({ client, dbName: name, history: true }).memory(address);
    expect(await withHistory.history?.redact({ text: "aaa" })).toBe(0);
    expect(await findVectors(address)).toEqual([]);
  });

  it.each([
    ["by path", { path: "/a" }],
    ["by text", { text: "the secret" }],
  ])("of texts that are redacted %s are nowhere", async (_, what) => {
    const address = freshAddress();
    const store = storeWith(new FakeEmbeddings(), { history: true });
    const memory = store.memory(address);
    await memory.write("/a", "the secret: aaa");
    await memory.search("a");
    await memory.write("/a", "harmless: bbb");
    await memory.history?.redact(what);
    expect(await findVectors(address)).toEqual([]);
    expect(readTexts(await memory.search("aaa"))).toEqual(["harmless: bbb"]);
    expect(await findVectors(address)).toHaveLength(1);
  });

  it.each(["a search", "a search that was given up"])(
    "do not outlive a memory that is erased during %s",
    async (what) => {
      const address = freshAddress();
      const embeddings = new FakeEmbeddings();
      const store = storeWith(embeddings);
      const givenUp = new AbortController();
      const memory = store.memory(address).with({ signal: givenUp.signal });
      await memory.write("/a", Array.from({ length: 150 }, (_, line) => `line ${line}`).join("\n"));
      const embed = embeddings.embedDocuments.bind(embeddings);
      embeddings.embedDocuments = async (texts) => {
        const isFirst = embeddings.documentCalls.length === 0;
        if (isFirst) await store.forget(address);
        else expect(await findVectors(address)).toHaveLength(100);
        if (!isFirst && what === "a search that was given up") givenUp.abort();
        return embed(texts);
      };
      await memory.search("a").catch(() => undefined);
      while ((await findVectors(address)).length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
      expect(embeddings.documentCalls).toHaveLength(2);
      expect(await findVectors(address)).toEqual([]);
    },
  );

  it("expire as the memories do", async () => {
    const now = { ms: Date.now() };
    const embeddings = new FakeEmbeddings();
    const store = storeWith(embeddings, {
      memoriesCollection: "expiring",
      expireMs: { perUser: 60_000 },
      clock: () => new Date(now.ms),
    });
    const memory = store.memory({ ...freshAddress(), scope: "perUser", userId: "ann" });
    await memory.write("/a", "aaa");
    await memory.search("a");
    const indexes = await db.collection("expiring_vectors").indexes();
    expect(indexes).toContainEqual(expect.objectContaining({ key: { updatedAt: 1 }, expireAfterSeconds: 60 }));
    const [before] = await findVectors({}, "expiring_vectors");
    now.ms += 40_000;
    await memory.write("/a", "aaa\n\nbbb");
    await memory.write("/a", "aaa");
    await storeWith(embeddings, {
      memoriesCollection: "expiring",
      expireMs: { perUser: 60_000 },
      clock: () => new Date(now.ms),
    })
      .memory(memory.address)
      .search("a");
    const [after] = await findVectors({}, "expiring_vectors");
    expect(Number(after?.["updatedAt"]) - Number(before?.["updatedAt"])).toBe(40_000);
    expect(embedded(embeddings)).toEqual(["aaa"]);
  });

  it("are not found by another memory, which has the same text", async () => {
    const embeddings = new FakeEmbeddings();
    const store = storeWith(embeddings);
    const [mine, other] = [freshAddress(), freshAddress()];
    for (const address of [mine, other]) {
      await store.memory(address).write("/a", "aaa");
      await store.memory(address).search("a");
    }
    const [[ofMine], [ofOther]] = [await findVectors(mine), await findVectors(other)];
    expect(ofMine?._id).not.toEqual(ofOther?._id);
    await store.memory(other).write("/secret", "only here: aaaa");
    expect(readTexts(await store.memory(mine).search("a"))).toEqual(["aaa"]);
  });
});

describe("embeddings that fail", () => {
  it("are told with what is wrong, and nothing of them is stored", async () => {
    const address = freshAddress();
    const embeddings = new FakeEmbeddings();
    const memory = storeWith(embeddings).memory(address);
    await memory.write("/a", "aaa");
    embeddings.missingDims = 1;
    await expect(memory.search("a")).rejects.toThrow(
      "embedDocuments returned a vector of 3 dimensions; it must have 4 (index.dims)",
    );
    await refuses(memory.search("a"), "EINVAL");
    expect(await findVectors(address)).toEqual([]);
    embeddings.missingDims = 0;
    expect(readTexts(await memory.search("a"))).toEqual(["aaa"]);
    embeddings.missingDims = 1;
    await expect(memory.search("b")).rejects.toThrow(
      "embedQuery returned a vector of 3 dimensions; it must have 4 (index.dims)",
    );
    embeddings.failure = new Error("429 Too Many Requests");
    await expect(memory.search("b")).rejects.toBe(embeddings.failure);
  });

  it("are not asked where there is no text", async () => {
    const embeddings = new FakeEmbeddings();
    expect(await storeWith(embeddings).memory(freshAddress()).search("a")).toEqual([]);
    expect([embeddings.queries, embeddings.documentCalls]).toEqual([[], []]);
  });
});

describe("two models in one memory", () => {
  const models = () =>
    [new FakeEmbeddings(4, "old"), new FakeEmbeddings(2, "new"), new FakeEmbeddings(4, "as large as the old")] as const;

  it("keep their vectors side by side, and embed each text once", async () => {
    const address = freshAddress();
    const each = models();
    const memories = each.map((embeddings) => () => storeWith(embeddings).memory(address));
    await memories[0]?.().write("/a", "aaa\n\nbbb");
    // Each time by a process that knows nothing yet.
    for (let round = 0; round < 2; round += 1) {
      for (const open of memories) expect(readTexts(await open().search("a", { limit: 1 }))).toEqual(["aaa"]);
    }
    expect(each.map(embedded)).toEqual([
      ["aaa", "bbb"],
      ["aaa", "bbb"],
      ["aaa", "bbb"],
    ]);
    expect((await findVectors(address)).map(({ model }: Document) => String(model)).toSorted()).toEqual([
      "as large as the old, 4",
      "as large as the old, 4",
      "new, 2",
      "new, 2",
      "old, 4",
      "old, 4",
    ]);
  });

  it("lose the vectors of a text that is gone by the next search of either, and all by forget", async () => {
    const address = freshAddress();
    const [old, newer] = models();
    const [one, other] = [storeWith(old).memory(address), storeWith(newer).memory(address)];
    await one.write("/a", "aaa\n\nbbb");
    for (const memory of [one, other]) await memory.search("a");
    await one.write("/a", "aaa");
    await other.search("a");
    expect((await findVectors(address)).map(({ model }: Document) => String(model)).toSorted()).toEqual([
      "new, 2",
      "old, 4",
    ]);
    expect(embedded(newer)).toEqual(["aaa", "bbb"]);
    await storeWith(old).forget(address);
    expect(await findVectors(address)).toEqual([]);
  });

  it("are told apart by an index, without reading a vector", async () => {
    const address = freshAddress();
    const [old, newer] = models();
    await storeWith(old).memory(address).write("/a", "aaa");
    await storeWith(old).memory(address).search("a");
    const sent = await commandsOf(client, () => storeWith(newer).memory(address).search("a"));
    const { filter, projection } =
      sent.find(({ command }) => JSON.stringify(command["filter"])?.includes("$ne"))?.command ?? {};
    const { executionStats } = await db
      .collection("memories_vectors")
      .find(filter as Document, { projection: projection as Document })
      .explain("executionStats");
    expect(executionStats).toMatchObject({ nReturned: 1, totalDocsExamined: 0 });
  });
});

describe("a storage that fails with the vectors", () => {
  /** Opens a node whose vectors are a view. It refuses every write, and every read if its pipeline fails. */
  async function openRefused(what: string, pipeline: Document[] = []): Promise<MemoryNode> {
    const memoriesCollection = `refused_${what}`;
    await db.collection(`${memoriesCollection}_source`).insertOne({});
    await db.createCollection(`${memoriesCollection}_vectors`, { viewOn: `${memoriesCollection}_source`, pipeline });
    const node = new MemoryNode({ ...freshAddress(), store: storeWith(new FakeEmbeddings(), { memoriesCollection }) });
    await writeManyNotes(node.globalMemory());
    return node;
  }
  const failing = [{ $project: { x: { $divide: [1, 0] } } }];

  it.each([
    ["reads", failing],
    ["writes", []],
  ])("at %s is EIO for a search", async (what, pipeline) => {
    const memory = (await openRefused(what, pipeline)).globalMemory();
    await expect(memory.search("word5")).rejects.toMatchObject({ code: "EIO" });
  });

  it("is what the warning of a prompt names, which has the passages that words find", async () => {
    const node = await openRefused("prompt", failing);
    const warn = jest.spyOn(process, "emitWarning").mockImplementation(() => undefined);
    const text = (await node.createConnector(auto).renderMessage({ question: "word5" }))?.text;
    const warnings = warn.mock.calls.map(([warning]) => String(warning));
    warn.mockRestore();
    expect(text).toContain("word5 is what a note says");
    expect(warnings).toEqual([expect.stringMatching(/^the storage failed.* by words alone: EIO: MongoDB refused/)]);
  });
});

describe("index.model", () => {
  class Nameless extends FakeEmbeddings {
    constructor() {
      super(4, null);
    }
  }
  const search = async (address: MemoryAddress, embeddings: FakeEmbeddings, model?: string) => {
    const index = { dims: 4, embeddings, ...(model !== undefined && { model }) };
    await storeWith(embeddings, { index }).memory(address).search("a");
  };

  it("names the model of the vectors, whatever the client says", async () => {
    const address = freshAddress();
    await storeWith(new FakeEmbeddings()).memory(address).write("/a", "aaa");
    const clients = [new Nameless(), new Nameless(), new FakeEmbeddings()];
    for (const [index, model] of ["one", "two", "two"].entries())
      await search(address, clients[index] ?? new Nameless(), model);
    expect(clients.map(embedded)).toEqual([["aaa"], ["aaa"], []]);
    expect((await findVectors(address)).map(({ model }: Document) => String(model)).toSorted()).toEqual([
      "one, 4",
      "two, 4",
    ]);
  });

  it("is missed in one warning where the client names no model", async () => {
    const warn = jest.spyOn(process, "emitWarning").mockImplementation(() => undefined);
    for (const embeddings of [new Nameless(), new Nameless(), new FakeEmbeddings()])
      await search(freshAddress(), embeddings);
    await search(freshAddress(), new Nameless(), "named");
    expect(warn.mock.calls).toEqual([
      [expect.stringMatching(/class Nameless .*set index\.model/), { type: "MemoryWarning" }],
    ]);
    warn.mockRestore();
  });
});
