import { describe, expect, it } from "@jest/globals";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { type Memory, type MemoryOptions, openMemory } from "../../../../src/index.js";
import { findMarks } from "../../../../src/core/search/held-words.js";

async function memoryWith(text: string, options: MemoryOptions = {}): Promise<Memory> {
  const memory = openMemory(new InMemoryStore(), { nodeId: "words" }, options);
  await memory.write("/notes", text);
  return memory;
}

async function wordsByLine(memory: Memory, query: string): Promise<Record<number, string[]>> {
  const hits = await memory.search(query);
  return Object.fromEntries(hits.map(({ startLine, words }) => [startLine, words]));
}

describe("the words of a hit", () => {
  it("are those of the query as the passage spells them, and none where only a neighbour holds one", async () => {
    const memory = await memoryWith("before\nShe cooked Crêpes, and cooks crepes: CRÊPES!\nafter");
    expect(await wordsByLine(memory, "who was cooking a crepe?")).toEqual({
      1: [],
      2: ["cooked", "Crêpes", "cooks", "crepes", "CRÊPES"],
      3: [],
    });
  });

  it("are characters and pairs in scripts without spaces", async () => {
    const memory = await memoryWith("今日は寿司を食べた 🍣\nplain");
    expect(await wordsByLine(memory, "寿司 🍣")).toEqual({ 1: ["寿", "司", "寿司", "🍣"], 2: [] });
  });

  it("are found by the words of a function of the user", async () => {
    const searchWords = (text: string): string[] => text.toLowerCase().split(/[^a-z]+/);
    const memory = await memoryWith("Alpha beta\nGamma", { searchWords });
    expect(await wordsByLine(memory, "ALPHA")).toEqual({ 1: ["Alpha"], 2: [] });
  });

  it("are those of the index where a function of the user joins what is written apart", async () => {
    const searchWords = (text: string): string[] => [text.replaceAll(/\W/g, "").toLowerCase()];
    const memory = await memoryWith("New York", { searchWords });
    expect(await wordsByLine(memory, "new york")).toEqual({ 1: ["newyork"] });
  });

  it("can be marked in the passage, as whole words, and inside of scripts without spaces", () => {
    const marked = (text: string, words: string[]): string[] =>
      Array.from(findMarks(text, words), ([start, end]) => text.slice(start, end));
    expect(marked("a cat, concatenate, cats and a cat", ["cat"])).toEqual(["cat", "cat"]);
    expect(marked("今日は寿司を司る", ["寿", "寿司", "司"])).toEqual(["寿司", "司"]);
  });
});
