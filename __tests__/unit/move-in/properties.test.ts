import { Readable } from "node:stream";
import { describe, expect, it } from "@jest/globals";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import { StoreBackend } from "deepagents";
import { type Memory, openMemory } from "../../../src/index.js";
import { moveIn, type MoveInEntry, readEntries, type MoveInOptions } from "../../../src/move-in/index.js";
import { freshMemory } from "../../helpers/fresh-memory.js";
import fc, { assertProperty } from "../../helpers/fast-check.js";
import { changesBetween, quote, readMarked, testTranscript, textsOf } from "../../helpers/transcripts.js";

const fact = fc.record({
  id: fc.uuid(),
  memory: fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 }),
  created_at: fc
    .date({ min: new Date(0), max: new Date("2099-01-01"), noInvalidDate: true })
    .map((date) => date.toJSON()),
});

const facts = fc.uniqueArray(fact, { maxLength: 12, selector: ({ id }) => id });

/** In chunks of a few bytes, so that characters begin anywhere in a chunk. */
function read(list: readonly object[]) {
  const bytes = Buffer.from(JSON.stringify(list));
  const pieces = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, at) => bytes.subarray(at * 7, at * 7 + 7));
  return readEntries({ from: "mem0", source: Readable.from(pieces) });
}

/** The items of each list in one order. */
async function treeOf(memory: Memory): Promise<[string, string[]][]> {
  return (await memory.snapshot()).files.map(({ path, content }) => [
    path,
    content
      .split(/\n(?=- )/)
      .map((item) => item.trim())
      .toSorted(),
  ]);
}

describe("moving in", () => {
  it("twice is moving in once, in any order", async () => {
    await assertProperty(
      fc.asyncProperty(facts, fc.infiniteStream(fc.nat()), async (list, numbers) => {
        const memory = freshMemory();
        await moveIn(memory, read(list));
        const tree = await treeOf(memory);
        const shuffled = list
          .map((each) => ({ each, order: Number(numbers.next().value) }))
          .toSorted((a, b) => a.order - b.order)
          .map(({ each }) => each);
        expect((await moveIn(memory, read(shuffled))).written).toBe(0);
        expect(await treeOf(memory)).toEqual(tree);
        const other = freshMemory();
        await moveIn(other, read(shuffled));
        expect(await treeOf(other)).toEqual(tree);
      }),
      { usual: 30, long: 1000 },
    );
  });

  it("says in a dry run what it then does", async () => {
    await assertProperty(
      fc.asyncProperty(facts, async (list) => {
        const memory = freshMemory();
        const { runId: _, ...planned } = await moveIn(memory, read(list), { dryRun: true });
        expect(await treeOf(memory)).toEqual([]);
        expect(await moveIn(memory, read(list))).toMatchObject(planned);
      }),
      { usual: 20, long: 500 },
    );
  });

  it("ends between two items when its signal aborts", async () => {
    const controller = new AbortController();
    const move = moveIn(freshMemory(), endless(controller), { signal: controller.signal });
    await expect(move).rejects.toThrow("enough");
  });
});

async function* endless(controller: AbortController): AsyncGenerator<MoveInEntry> {
  for (let number = 0; ; number += 1) {
    if (number === 50) controller.abort(new Error("enough"));
    yield { path: `/${number}`, content: "x" };
  }
}

const fixture = (name: string): string => fileURLToPath(new URL(`../../fixtures/move-in/${name}`, import.meta.url));

/** Moves a source into an empty memory twice, and returns the tree. The second time must change nothing. */
async function moved(
  parts: () => ReturnType<typeof readEntries>,
  options: MoveInOptions = {},
  memory = freshMemory(),
): Promise<{ tree: Record<string, string>; losses: object[] }> {
  const { written, losses } = await moveIn(memory, parts(), options);
  const tree = await textsOf(memory);
  expect(await moveIn(memory, parts(), options)).toMatchObject({ written: 0, unchanged: written });
  expect(await textsOf(memory)).toEqual(tree);
  return { tree, losses };
}

describe("moving in what other programs wrote, as the transcript says", () => {
  // `<`: a line of the file, unless `file` names one of __tests__/fixtures/move-in.
  testTranscript("move-in", async (given) => {
    const { from, file, userId, ...options } = readMarked(given, "options") as {
      from: "mem0";
      file?: string;
      userId?: string;
    };
    const own = { nodeId: "n", scope: "perUser", userId: userId ?? "" } as const;
    const text = given.flatMap((line) => (line.startsWith("< ") ? line.slice(2) : [])).join("\n");
    const { tree, losses } = await moved(
      () => readEntries({ from, source: file === undefined ? Readable.from([Buffer.from(text)]) : fixture(file) }),
      options,
      userId === undefined ? freshMemory() : openMemory(new InMemoryStore(), own),
    );
    return [...given, ...changesBetween({}, tree), ...losses.map((loss) => `! ${quote(loss)}`)];
  });
});

describe("moving in the items of a store", () => {
  it("puts the text of an item into a file, by its namespace and key", async () => {
    const store = new InMemoryStore();
    await store.put(["memories", "ada"], "seat", { kind: "Memory", content: { content: "Likes the window." } });
    await store.put(["memories", "ada"], "tea.txt", { text: "Green." });
    const { tree } = await moved(() => readEntries({ from: "store", source: store, namespace: ["memories"] }), {
      into: "/old",
    });
    expect(Object.keys(tree)).toEqual(["/old/ada/seat.md", "/old/ada/tea.txt"]);
    expect(tree["/old/ada/tea.txt"]).toMatch(
      /^---\nsources: \[\{"resource":"store:\[\\"memories\\",\\"ada\\",\\"tea.txt\\"\]"\}\]\ncreated: .*Z\n(updated: .*\n)?---\nGreen\.$/,
    );
    expect(tree["/old/ada/seat.md"]).toMatch(/---\nLikes the window\.$/);
  });

  it("puts the texts with random keys of a namespace and a month into one file, without front matter", async () => {
    const store = new InMemoryStore();
    for (const text of ["Likes tea.", "Lives in Graz.\nSince May."])
      await store.put(["memories", "ada"], randomUUID(), { kind: "Memory", content: { content: text } });
    const keys = [
      randomUUID(),
      randomUUID().replaceAll("-", ""),
      "507f1f77bcf86cd799439011",
      "01J8ZQ4Y7K3M5N6P7Q8R9S0T1V",
    ];
    for (const key of keys) await store.put(["memories"], key, { text: "Closed on Monday." });
    await store.put(["memories"], randomUUID(), { name: "Ada", likes: "tea" });
    const { tree } = await moved(() => readEntries({ from: "store", source: store, namespace: ["memories"] }));
    const month = new Date().toISOString().slice(0, 7);
    const { [`/ada/${month}.md`]: ofAda = "", [`/store/${month}.md`]: others = "", ...whole } = tree;
    const item = (text: string): unknown =>
      expect.stringMatching(new RegExp(`^- ${month}-\\d\\d: ${text} \\^\\w{12}$`));
    expect(
      ofAda
        .trimEnd()
        .split("\n")
        .filter((line) => line !== "  Since May.")
        .toSorted(),
    ).toEqual([item("Likes tea\\."), item("Lives in Graz\\.")]);
    expect(others.trimEnd().split("\n")).toEqual(keys.map(() => item("Closed on Monday\\.")));
    expect(Object.values(whole)).toEqual([expect.stringMatching(/---\nname: Ada\nlikes: tea$/)]);
  });

  it("writes a line for each field of a value with several, also inside its content", async () => {
    const store = new InMemoryStore();
    await store.put(["facts"], "ada", { name: "Ada", likes: ["tea"] });
    await store.put(["facts"], "tea", { kind: "Memory", content: { content: "Likes tea", context: "at work" } });
    const { tree } = await moved(() => readEntries({ from: "store", source: store }));
    expect(tree["/facts/ada.md"]).toMatch(/---\nname: Ada\nlikes: \["tea"\]$/);
    expect(tree["/facts/tea.md"]).toMatch(/\nkind: Memory\ncontent: \{"content":"Likes tea","context":"at work"\}$/);
  });

  it("leaves out memories of this package, and says so", async () => {
    const store = new InMemoryStore();
    await openMemory(store, { nodeId: "other" }).write("/secret", "x");
    const { tree, losses } = await moved(() => readEntries({ from: "store", source: store }));
    expect(tree).toEqual({});
    expect(losses).toHaveLength(1);
  });

  it("gives a memory of one user nothing of a store whose namespace nobody named", async () => {
    const memory = openMemory(new InMemoryStore(), { nodeId: "n", scope: "perUser", userId: "ada" });
    const store = new InMemoryStore();
    await store.put(["notes", "bob"], "1", { text: "of Bob" });
    for (const from of ["store", "deepagents"] as const) {
      const { written, losses } = await moveIn(memory, readEntries({ from, source: store }));
      expect([written, losses.length]).toEqual([0, 1]);
    }
    expect(await textsOf(memory)).toEqual({});
  });
});

describe("moving in deepagents' files", () => {
  it.each(["v1", "v2"] as const)("takes what its StoreBackend wrote in %s", async (fileFormat) => {
    const store = new InMemoryStore();
    const backend = new StoreBackend({ store, namespace: ["files"], fileFormat });
    await backend.write("/notes/today.md", "one\ntwo\n");
    const { tree } = await moved(() => readEntries({ from: "deepagents", source: store, namespace: ["files"] }));
    expect(tree).toEqual({ "/notes/today.md": "one\ntwo\n" });
  });
});

describe("moving in texts that share a file", () => {
  it("leaves what a person edited before the next run", async () => {
    const memory = freshMemory();
    const edited = ["tea", "coffee"].map((content, index) => ({ path: "/facts.md", id: `${index}`, content }));
    await moveIn(memory, edited);
    await memory.edit("/facts.md", (text) => text.replace("coffee", "cocoa"));
    expect(await moveIn(memory, edited)).toMatchObject({ written: 0, unchanged: 2 });
    expect(await memory.read("/facts.md")).toContain("cocoa");
  });

  it("goes on in another file when one is full, and leaves out a text that is too long for any", async () => {
    const memory = freshMemory({ maxFileBytes: 100 });
    const entries = ["a".repeat(50), "b".repeat(50), "c".repeat(101)].map((content, index) => ({
      path: "/facts.md",
      id: `${index}`,
      content,
    }));
    expect(await moveIn(memory, entries)).toMatchObject({ written: 2, skipped: 1 });
    expect(Object.keys(await textsOf(memory))).toEqual(["/facts-2.md", "/facts.md"]);
    expect(await moveIn(memory, entries)).toMatchObject({ written: 0, unchanged: 2, skipped: 1 });
  });
});
