import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { describe, expect, it } from "@jest/globals";
import type { SearchWords } from "../../../../src/core/search/words.js";
import { type Memory, openMemory } from "../../../../src/index.js";
import type { Embeddings } from "../../../../src/core/contract/backend.js";
import { type MemoryBackend, openMemoryOver } from "../../../../src/custom-backend/index.js";
import { createUnlimitedCall } from "../../../../src/core/runtime/call.js";
import { measureCachedIndexes } from "../../../../src/core/search/index-cache.js";
import { Embedder } from "../../../../src/mongodb/embeddings/embedder.js";
import { MemoryEmbeddings } from "../../../../src/mongodb/embeddings/memory-embeddings.js";
import { FakeEmbeddings } from "../../../helpers/fake-embeddings.js";

let opened = 0;

/** A memory whose texts tell when they are indexed. */
function counted(): { memory: Memory; indexed: string[]; open: () => Memory } {
  const indexed: string[] = [];
  const searchWords: SearchWords = (text) => {
    indexed.push(text);
    return text.split(" ");
  };
  const store = new InMemoryStore();
  opened += 1;
  const address = { nodeId: `counted ${opened}` };
  const open = (): Memory => openMemory(store, address, { searchWords, maxFileBytes: 7_500_000 });
  return { memory: open(), indexed, open };
}

describe("the index of a memory", () => {
  it("is kept for all who open the memory, and only texts that have changed are indexed again", async () => {
    const { memory, indexed, open } = counted();
    await memory.write("/a", "one");
    await memory.write("/b", "two");
    await memory.search("one");
    expect(indexed).toEqual(["/a", "one", "/b", "two", "one"]);
    indexed.length = 0;
    await memory.write("/b", "three");
    await open().search("three");
    expect(indexed).toEqual(["/b", "three", "three"]);
  });

  it("is made of the texts alone that have changed, where the storage tells their versions", async () => {
    const stored = new Map([
      ["/a", "one"],
      ["/b", "two"],
    ]);
    const backend: Partial<MemoryBackend> = {
      features: {
        snapshotSince: async (known) => ({
          files: Array.from(stored, ([path, content]) => ({
            path,
            version: `of ${content}`,
            content: known.get(path) === `of ${content}` ? null : content,
          })),
          directories: [],
        }),
      },
    };
    const indexed: string[] = [];
    const searchWords: SearchWords = (text) => {
      indexed.push(text);
      return text.split(" ");
    };
    const memory = openMemoryOver(() => backend as MemoryBackend, { nodeId: "versions" }, { searchWords });
    const found = async (query: string): Promise<string[]> =>
      (await memory.search(query)).map(({ path, text }) => `${path} ${text}`);
    expect(await found("one")).toEqual(["/a one"]);
    expect(indexed.splice(0)).toEqual(["/a", "one", "/b", "two", "one"]);
    expect(await found("two")).toEqual(["/b two"]);
    expect(indexed.splice(0)).toEqual(["two"]);
    stored.set("/b", "one");
    stored.set("/c", "two");
    expect(await found("one")).toEqual(["/a one", "/b one"]);
    expect(indexed.splice(0)).toEqual(["/b", "one", "/c", "two", "one"]);
    stored.delete("/a");
    expect([await found("one"), await found("two")]).toEqual([["/b one"], ["/c two"]]);
    stored.clear();
    expect(await found("one")).toEqual([]);
  });

  it("takes a kilobyte at least, so that at most a hundred thousand empty memories are kept", async () => {
    const backend: Partial<MemoryBackend> = {
      features: { version: async () => "1", snapshotSince: async () => ({ files: [], directories: [] }) },
    };
    const before = measureCachedIndexes();
    const count = 1000;
    for (let index = 0; index < count; index += 1)
      await openMemoryOver(() => backend as MemoryBackend, { nodeId: `empty ${index}` }).search("zebra");
    const { bytes, count: kept } = measureCachedIndexes();
    expect(kept - before.count).toBe(count);
    expect(bytes - before.bytes).toBeGreaterThanOrEqual(count * 1000);
  });

  it("is small enough that 100 MB hold 30,000 files of 600 bytes", async () => {
    const count = 1000;
    const files = Array.from({ length: count }, (_, file) => ({
      path: `/notes/${Math.floor(file / 100)}/${file}`,
      version: `page ${Math.floor(file / 100)}`,
      content: Array.from({ length: 5 }, (_line, line) => {
        const words = Array.from({ length: 16 }, (_word, word) => `word${(file * (line + 1) * (word + 1)) % 500}`);
        return `- ${words.join(" ")}`;
      }).join("\n"),
    }));
    const backend: Partial<MemoryBackend> = {
      features: { version: async () => "1", snapshotSince: async () => ({ files, directories: [] }) },
    };
    const before = measureCachedIndexes().bytes;
    const memory = openMemoryOver(() => backend as MemoryBackend, { nodeId: "small files" });
    await memory.search("zebra");
    expect((30_000 / count) * (measureCachedIndexes().bytes - before)).toBeLessThan(100_000_000);
  });

  it("is given up for those of thousands of other memories, which take as little as a memory takes", async () => {
    let reads = 0;
    const backend: Partial<MemoryBackend> = {
      features: {
        version: async () => "1",
        snapshotSince: async () => {
          reads += 1;
          return { files: [{ path: "/a", version: "1", content: text }], directories: [] };
        },
      },
    };
    const text = `zebra${" ".repeat(10_000)}`;
    const search = async (index: number): Promise<number> => {
      const before = reads;
      await openMemoryOver(() => backend as MemoryBackend, { nodeId: `many ${index}` }).search("zebra");
      return reads - before;
    };
    const count = 9500;
    for (let index = 0; index < count; index += 1) expect(await search(index)).toBe(1);
    expect(measureCachedIndexes().bytes).toBeLessThanOrEqual(100_000_000);
    expect(measureCachedIndexes().count).toBeLessThan(count);
    // The last ones are kept, and the first ones are read again.
    expect([await search(count - 1), await search(0)]).toEqual([0, 1]);
  });

  it("is right for searches that begin at the same time as changes", async () => {
    const { memory } = counted();
    const searches = Array.from({ length: 20 }, async (_, index) => {
      await memory.append("/a", `word${index}`);
      return memory.search(`word${index}`);
    });
    expect((await Promise.all(searches)).every(({ length }) => length > 0)).toBe(true);
  });

  it("is made without keeping others from their work, and not further than somebody waits for it", async () => {
    const { memory, indexed } = counted();
    const lines = Array.from({ length: 150_000 }, (_, index) => `line ${index}`);
    await memory.write("/a", lines.join("\n"));
    const abort = new AbortController();
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
      if (indexed.length > 0) abort.abort(new Error("enough"));
    }, 1);
    await expect(memory.with({ signal: abort.signal }).search("line")).rejects.toThrow("enough");
    clearInterval(timer);
    expect(turns).toBeGreaterThan(0);
    const reached = indexed.length;
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(indexed.length - reached).toBeLessThan(lines.length - reached);
  });
});

describe("the vectors of a memory", () => {
  it("are made of the texts that are left without reading an unchanged memory again", async () => {
    let [version, snapshots] = ["1", 0];
    const embedded: number[] = [];
    const meaning: Embeddings = {
      maxTexts: 10_000,
      stored: async () => new Map(),
      embed: async (texts) => {
        embedded.push(texts.length);
        return new Map(texts.map((text) => [text, new Uint8Array(4)]));
      },
      store: async () => undefined,
      keepOnly: async () => undefined,
      createSimilarity: async () => () => 0,
    };
    const lines = Array.from({ length: 2150 }, (_, line) => `- line ${line}`);
    const backend: Partial<MemoryBackend> = {
      features: {
        version: async () => version,
        snapshotSince: async () => {
          snapshots += 1;
          return { files: [{ path: "/a", version, content: lines.join("\n") }], directories: [] };
        },
        embeddings: () => meaning,
      },
    };
    const memory = openMemoryOver(() => backend as MemoryBackend, { nodeId: "left to embed" });
    const search = async (): Promise<number[]> => {
      await memory.search("line");
      return [snapshots, embedded.splice(0).reduce((sum, count) => sum + count, 0)];
    };
    expect([await search(), await search()]).toEqual([
      [1, 1000],
      [1, 1000],
    ]);
    lines.push("- another");
    version = "2";
    expect([await search(), await search()]).toEqual([
      [2, 151],
      [2, 0],
    ]);
  });

  it("take at most 50 MB", () => {
    const embedder = new Embedder({ dims: 1536, embeddings: new FakeEmbeddings() });
    const context = { embedder } as ConstructorParameters<typeof MemoryEmbeddings>[0];
    const { maxTexts } = new MemoryEmbeddings(context, createUnlimitedCall());
    expect(maxTexts).toBe(8135);
  });
});
