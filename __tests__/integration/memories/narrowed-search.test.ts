import { describe, expect, it } from "@jest/globals";
import { type Document, MongoClient, Timestamp } from "mongodb";
import type { MemoryAddress } from "../../../src/core/values/address.js";
import { openMemoryOver } from "../../../src/core/open-memory-over.js";
import type { Memory } from "../../../src/core/memory.js";
import { mountMemories } from "../../../src/core/mounts/mounted-memory.js";
import { MemoryNode } from "../../../src/graph/memory-node.js";
import type { MemoryOptions } from "../../../src/core/memory-options.js";
import type { SearchHit, SearchOptions } from "../../../src/core/search/search-options.js";
import { openLayout } from "../../../src/mongodb/memories/layouts.js";
import { MongoMemoryStore } from "../../../src/mongodb/store/mongo-memory-store.js";
import { freshAddress } from "../../../src/testing/memory-case.js";
import { findingCases } from "../../../src/testing/memory-cases/finding.js";
import { commandsOf } from "../../helpers/commands-of.js";
import { examined } from "../../helpers/examined.js";
import { testDatabase } from "../../helpers/test-database.js";
import { useClient } from "../../helpers/use-client.js";

const { db, name: dbName, uri } = testDatabase("replicaSet");
const client = useClient(new MongoClient(uri, { monitorCommands: true }));
const documents = db.collection<Document & { _id: string }>("memories_files");
const store = new MongoMemoryStore({ client, dbName, layout: "files" });

type Opened = (address: MemoryAddress, options?: MemoryOptions) => Memory;

/** Memories whose searches are narrowed from two documents on. A store does so above 10,000. */
function narrowing({ history = false, narrowsAbove = 1 } = {}): Opened {
  const layout = openLayout("files", {
    db: client.db(dbName),
    client,
    collectionName: "memories",
    writeConcern: { w: "majority", journal: true },
    connect: () => undefined,
    clock: () => new Date(),
    expireMs: {},
    history: history ? { begins: true } : null,
    embeddings: null,
    narrowsAbove,
    makesIndexes: true,
  });
  return (address, options) => openMemoryOver((checked, limits) => layout.backend(checked, limits), address, options);
}

const narrowed = narrowing();

/** The same memory, as a search reads it that is not narrowed. */
const whole: Opened = (address, options) =>
  new MongoMemoryStore({ client, dbName, layout: "files" }).memory(address, options);

async function memoryOf(texts: Record<string, string>): Promise<Memory> {
  const memory = narrowed(freshAddress(), { paths: "posix" });
  await Promise.all(Object.entries(texts).map(([path, text]) => memory.write(path, text)));
  return memory;
}

async function pathsWith(memory: Memory, query: string, options?: SearchOptions): Promise<string[]> {
  return (await memory.search(query, { per: "file", ...options })).map(({ path }) => path).toSorted();
}

async function all<T>(stream: AsyncIterable<T> | Iterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const each of stream) found.push(each);
  return found;
}

const placesOf = (hits: readonly SearchHit[]): string[] =>
  hits.map(({ path, startLine, endLine, text }) => `${path} ${startLine}-${endLine} ${text}`);

/** Adds files in a hurry, as the layout makes them. */
async function fill({ address }: Memory, texts: readonly string[], sizeBytes = 10): Promise<void> {
  const memory = `g\u0001${address.nodeId}`;
  const at = new Date();
  await documents.insertMany(
    texts.map((text, index) => ({
      _id: `${memory}\0/f\0${index}`,
      kind: "file",
      memory,
      pathText: `/f/${index}`,
      text,
      textId: `${index}`,
      sizeBytes,
      createdAt: at,
      updatedAt: at,
    })),
  );
}

/** Whether the server was asked for words, and for nothing else of the texts. */
async function asksForWords(memory: Memory, query: string): Promise<boolean> {
  const sent = await commandsOf(client, () => memory.search(query));
  return (
    sent.some(({ command }) => "$text" in ((command["filter"] ?? {}) as object)) &&
    sent.every(({ commandName }) => commandName === "find")
  );
}

describe("a narrowed search", () => {
  // Requirement: search.narrowed
  it("finds what a search of the whole memory finds, best first", async () => {
    const words = ["cook", "cooks", "pasta", "Anna", "boris", "the", "garden", "roses", "train"];
    const wordAt = (file: number, place: number): string =>
      words[(file * 7 + place * place * 3 + Math.floor(file / 5)) % words.length] ?? "";
    const texts = Array.from({ length: 40 }, (_, file) =>
      Array.from({ length: 8 }, (_each, place) => wordAt(file, place) + (place % 3 === 2 ? "\n" : "")).join(" "),
    );
    const memory = await memoryOf(
      Object.fromEntries(texts.map((text, file) => [`/${wordAt(file, 9)}/${file}`, `# ${wordAt(file, 11)}\n${text}`])),
    );
    for (const query of ["who cooks pasta?", "Anna", "roses", "zebra", "garden train boris"]) {
      for (const options of [{ limit: 1000 }, { limit: 1000, path: "/garden" }, { limit: 40, per: "file" as const }]) {
        // The best passage of a file depends on how rare the words are, and they are less rare among the chosen files.
        const show = (hits: SearchHit[]): string[] => ("per" in options ? hits.map((hit) => hit.path) : placesOf(hits));
        const [some, every] = [
          show(await memory.search(query, options)),
          show(await whole(memory.address).search(query, options)),
        ];
        expect({ query, options, found: some.toSorted() }).toEqual({ query, options, found: every.toSorted() });
        expect(every.slice(0, 10)).toEqual(expect.arrayContaining(some.slice(0, 1)));
      }
      expect(await asksForWords(memory, query)).toBe(true);
    }
  });

  // Requirement: search.narrowed
  it("finds words in any case, with any accents, in any form, and in the names of files", async () => {
    const memory = await memoryOf({
      "/a": "Crème brûlée",
      "/b": "He was cooking.",
      "/c": "Die Straße, Привет",
      "/d": "O'Neil's file_name",
      "/rose_garden/e": "x",
      "/f": "well-known",
    });
    const found = Object.fromEntries(
      await Promise.all(
        [
          "CREME",
          "crème",
          "cooks",
          "straße",
          "привет",
          "o'neil",
          "O'Neil's",
          "file_name",
          "roses",
          "known",
          "-known",
          '"brulee"',
        ].map(async (query) => [query, await pathsWith(memory, query)] as const),
      ),
    );
    expect(found).toEqual({
      CREME: ["/a"],
      crème: ["/a"],
      cooks: ["/b"],
      straße: ["/c"],
      привет: ["/c"],
      "o'neil": ["/d"],
      "O'Neil's": ["/d"],
      file_name: ["/d"],
      roses: ["/rose_garden/e"],
      known: ["/f"],
      "-known": ["/f"],
      '"brulee"': ["/a"],
    });
  });

  // Requirement: search.narrowed-words
  it("reads the whole memory for words that the server's index does not tell", async () => {
    const memory = await memoryOf({ "/a": "東京タワー", "/b": "supper🍕", "/c": "above and below", "/d": "x_東京" });
    for (const [query, paths] of [
      ["東京", ["/a", "/d"]],
      ["🍕", ["/b"]],
      ["above", ["/c"]],
    ] as const) {
      expect(await pathsWith(memory, query)).toEqual(paths);
      expect(await asksForWords(memory, query)).toBe(false);
    }
    const byBeginnings = narrowed(memory.address, {
      searchWords: (text) => text.split(/\W+/).map((word) => word.slice(0, 4)),
    });
    expect(await pathsWith(byBeginnings, "supplies")).toEqual(["/b"]);
  });

  // Requirement: search.narrowed-words
  it("reads no text for a query of stop words alone", async () => {
    const memory = await memoryOf({ "/a": "the one who was there", "/b": "x" });
    const sent = await commandsOf(client, async () => expect(await memory.search("who was there?")).toEqual([]));
    expect(sent.map(({ command }) => command["projection"] as object | undefined)).toEqual([{ _id: 1 }]);
  });

  // Requirement: search.narrowed
  it("reads the whole of a memory that has not so many files", async () => {
    const open = narrowing({ narrowsAbove: 3 });
    const memory = open(freshAddress());
    for (const path of ["/a", "/b"]) await memory.write(path, "fox");
    expect(await asksForWords(memory, "fox")).toBe(false);
    await memory.write("/c", "fox");
    expect(await asksForWords(memory, "fox")).toBe(true);
    expect(await pathsWith(memory, "fox")).toEqual(["/a", "/b", "/c"]);
  });

  // Requirement: search.one-moment
  it("reads all at one moment, by ids that begin with the memory", async () => {
    const memory = await memoryOf({ "/a": "fox", "/d/b": "fox" });
    const atClusterTime = expect.any(Timestamp);
    for (const path of ["/", "/d", "/a"]) {
      const sent = await commandsOf(client, () => memory.search("fox", { path }));
      expect(sent.map(({ command }) => command["readConcern"] as unknown)).toEqual([
        { level: "snapshot" },
        ...[1, 2].map(() => ({ level: "snapshot", atClusterTime })),
      ]);
      for (const { command } of sent)
        expect(JSON.stringify(command["filter"])).toMatch(/"_id":(?:"g|\{"\$(?:gte|in)":\[?"g)/);
    }
  });

  // Requirement: search.others-are-not-found
  it("finds nothing of another memory, of another mount, or of what nobody has approved or was erased", async () => {
    const nodeId = freshAddress().nodeId;
    const open = narrowing({ history: true });
    const memories = [
      open({ nodeId }),
      open({ nodeId, scope: "perUser", userId: "u" }),
      open({ nodeId: `${nodeId}2` }),
    ];
    for (const [index, memory] of memories.entries())
      for (const path of ["/x/a", "/b"]) await memory.write(path, `fox ${index}`);
    for (const [index, memory] of memories.entries())
      expect((await memory.search("fox")).map(({ text }) => text)).toEqual([`fox ${index}`, `fox ${index}`]);
    const [first, second] = memories;
    if (first === undefined || second === undefined) throw new Error("there are three");
    expect(await pathsWith(mountMemories({ "/": first, "/x": second }), "fox")).toEqual(["/b", "/x/b", "/x/x/a"]);
    const asking = new MemoryNode({ store, nodeId, rules: [{ path: "/**", access: "ask" }], onAsk: "propose" });
    await asking.memoryTools[0]?.invoke({ command: "append", path: "/b", content: "badger" });
    expect([(await all(first.proposals?.list() ?? [])).length, await first.search("badger")]).toEqual([1, []]);
    await first.write("/b", "hen");
    await first.delete("/x");
    await first.history?.redact((await all(first.history.list())).slice(-2).map(({ id }) => id));
    expect(await first.search("fox")).toEqual([]);
    await store.forget({ nodeId });
    expect([await first.search("hen"), await pathsWith(second, "fox")]).toEqual([[], ["/b", "/x/a"]]);
  });

  // Requirement: files.moved
  it("follows a memory that moves to the other layout and back", async () => {
    const memory = await memoryOf({ "/a": "fox", "/d/b": "fox" });
    for (const layout of ["document", "files"] as const) {
      await store.moveMemory(memory.address, { layout });
      expect(await pathsWith(memory, "fox")).toEqual(["/a", "/d/b"]);
      expect(await asksForWords(memory, "fox")).toBe(layout === "files");
    }
  });
});

describe.each([{ history: false }, { history: true }])("a narrowed search, with history $history, finds", (kept) => {
  // Requirement: search.fresh
  it("what another process has just changed, hit for hit", async () => {
    const open = narrowing(kept);
    const address = freshAddress();
    const [memory, other] = [
      open(address),
      new MongoMemoryStore({ client, dbName, layout: "files", history: kept.history }).memory(address),
    ];
    const changes: [() => Promise<unknown>, string, string[]][] = [
      [() => other.write("/d/a", "zebra"), "zebra", ["/d/a"]],
      [() => other.append("/d/a", "tiger"), "tiger", ["/d/a"]],
      [() => other.update("/d/a", "zebra", "hyena"), "zebra", []],
      [() => other.append("/d/new", "hyena"), "hyena", ["/d/a", "/d/new"]],
      [() => other.edit("/d/a", () => "lynx"), "hyena", ["/d/new"]],
      [() => other.rename("/d/a", "/otter/b"), "otter lynx", ["/otter/b"]],
      [() => other.rename("/otter", "/badger_den"), "badger", ["/badger_den/b"]],
      [() => other.rename("/badger_den", "/e"), "otter badger", []],
      [() => other.delete("/d"), "hyena", []],
      [() => Promise.all(["/f/1", "/f/2"].map((path) => other.write(path, "hyena"))), "hyena", ["/f/1", "/f/2"]],
    ];
    for (const [change, query, paths] of changes) {
      await change();
      expect({ query, paths: await pathsWith(memory, query) }).toEqual({ query, paths });
    }
  });
});

describe("of more than it ranks a narrowed search", () => {
  // Requirement: search.narrowed-bounded
  it("chooses the texts with the rarest words, then those in which the common ones are most frequent", async () => {
    const memory = await memoryOf({
      "/d/rare": "a walrus among many other things in a very long line of nothing at all",
      "/d/both": "fox hen one two three four",
    });
    // Each of them is the better one for its word.
    await fill(
      memory,
      Array.from({ length: 2100 }, (_, index) => `${index % 2 === 0 ? "fox" : "hen"} one two`),
    );
    expect((await memory.search("fox walrus"))[0]?.path).toBe("/d/rare");
    expect((await memory.search("fox hen"))[0]?.path).toBe("/d/both");
    expect(await pathsWith(memory, "fox", { path: "/d" })).toEqual(["/d/both"]);
    const sent = await commandsOf(client, () => memory.search("fox hen walrus"));
    const [{ _id: read } = {}] = sent.slice(-1).map(({ command }) => command["filter"] as { _id?: { $in: string[] } });
    expect([read?.$in.length, read?.$in[0]]).toEqual([1000, `g\u0001${memory.address.nodeId}\0/d\0rare`]);
  });

  // Requirement: search.narrowed-bounded
  it("chooses the same texts each time, whichever of those that are equally good, also with words of two forms", async () => {
    const memory = await memoryOf({ "/d/rare": "a walrus" });
    const texts = ["fox hen one", "fox one two", "crepes fox", "hen crêpes one"];
    await fill(
      memory,
      Array.from({ length: 4200 }, (_, index) => texts[index % texts.length] ?? ""),
    );
    for (const query of ["fox hen", "fox", "crêpes", "crepe hen", "fox walrus"]) {
      const find = async (): Promise<string[]> =>
        placesOf(await narrowing()(memory.address).search(query, { limit: 1000 }));
      const first = await find();
      expect(first.length).toBe(1000);
      for (let time = 0; time < 3; time += 1) expect(await find()).toEqual(first);
    }
  });

  // Requirement: search.narrowed-bounded
  it("reads 16 MB of texts, and one text at least", async () => {
    const memory = await memoryOf({ "/a": "x", "/b": "x" });
    await fill(memory, ["fox", "fox", "fox"], 7_000_000);
    expect((await memory.search("fox")).length).toBe(2);
    await documents.updateMany({ memory: `g\u0001${memory.address.nodeId}` }, { $set: { sizeBytes: 17_000_000 } });
    expect((await memory.search("fox")).length).toBe(1);
  });

  // Requirement: search.narrowed-bounded
  it("examines what it finds, whatever the size of the memory", async () => {
    const figures: unknown[] = [];
    for (const size of [10, 1000]) {
      const memory = await memoryOf({ "/a": "one walrus", "/d/b": "two walruses" });
      await fill(
        memory,
        Array.from({ length: size }, () => "fox"),
      );
      figures.push(await examined(db, "memories_files", () => memory.search("walrus tusks")));
    }
    expect(figures).toEqual([figures[0], figures[0]]);
    const [counted, chosen, read] = figures[0] as { keysExamined: number; docsExamined: number }[];
    expect(counted).toMatchObject({ keysExamined: 2, docsExamined: 0 });
    expect([chosen?.keysExamined, read?.docsExamined]).toEqual([2, 2]);
    expect(chosen?.docsExamined).toBeLessThanOrEqual(4);
  });
});

describe("the option memoryTextIndex", () => {
  // Requirement: search.narrowed-index
  it("makes the index when the store starts, with the words of documents that are there", async () => {
    const own = testDatabase("replicaSet");
    const files = own.db.collection<Document & { _id: string }>("memories_files");
    const plain = new MongoMemoryStore({ client: own.client, dbName: own.name, layout: "files" });
    await plain.memory({ nodeId: "n" }).write("/my_notes/a", "fox");
    const [made] = await files.find({ kind: "file" }).toArray();
    expect(made).toMatchObject({ memory: "g\u0001n", pathText: "/my notes/a" });
    expect(await files.indexExists("files_by_words")).toBe(false);
    await files.updateOne({ kind: "file" }, { $unset: { memory: 1, pathText: 1 } });
    const indexed = new MongoMemoryStore({
      client: own.client,
      dbName: own.name,
      layout: "files",
      memoryTextIndex: true,
    });
    await indexed.start();
    expect(await files.indexExists("files_by_words")).toBe(true);
    expect(await files.find({ kind: "file" }).toArray()).toEqual([made]);
    expect((await indexed.memory({ nodeId: "n" }).search("fox")).length).toBe(1);
  });

  // Requirement: search.narrowed-index
  it.each<[string, object, string]>([
    ["without a layout", {}, 'memoryTextIndex needs layout: "files"'],
    ["with the layout document", { layout: "document" }, 'memoryTextIndex needs layout: "files"'],
    [
      "on a client of the strict Stable API",
      {
        layout: "files",
        client: new MongoClient("mongodb://localhost", { serverApi: { version: "1", strict: true } }),
      },
      "the client's strict Stable API refuses",
    ],
    ["if it is neither true nor false", { layout: "files", memoryTextIndex: "yes" }, "memoryTextIndex"],
  ])("is refused %s", (_where, options, words) => {
    const make = (): MongoMemoryStore => new MongoMemoryStore({ client, memoryTextIndex: true, ...options });
    expect(make).toThrow(TypeError);
    expect(make).toThrow(words);
  });
});

describe("each narrowed search, as every backend's:", () => {
  it.each(findingCases)("$title", async ({ run }) => run(narrowed, { keepsCreatedAt: true, createsAnyName: true }));
});
