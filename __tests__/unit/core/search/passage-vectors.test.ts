import { expect, it } from "@jest/globals";
import type { Embeddings } from "../../../../src/core/contract/backend.js";
import type { MemoryBackend } from "../../../../src/custom-backend/index.js";
import { createUnlimitedCall } from "../../../../src/core/runtime/call.js";
import { getVectors } from "../../../../src/core/search/passage-vectors.js";

it("a search keeps the vectors of as many texts as it may have itself, and those of others as long as their text is there", async () => {
  const kept: string[][] = [];
  const meaning: Embeddings = {
    maxTexts: 2,
    stored: async () => new Map(),
    embed: async (texts) => new Map(texts.map((text) => [text, new Uint8Array()])),
    store: async () => undefined,
    keepOnly: async (texts, all) => {
      kept.push([...texts], [...(await all())]);
    },
    createSimilarity: async () => () => 0,
  };
  const files = [
    { path: "/a", content: "one\n\ntwo" },
    { path: "/b", content: "three\n\none" },
  ];
  const features = { embeddings: () => meaning, version: async () => "1" };
  const opened = { features } as Partial<MemoryBackend> as MemoryBackend;
  const texts = { files, version: "1", previous: null };
  const { byText } = await getVectors(meaning, opened, texts, createUnlimitedCall());
  expect([...byText.keys()]).toEqual(["one", "two"]);
  expect(kept).toEqual([
    ["one", "two"],
    ["one", "two", "three"],
  ]);
});
