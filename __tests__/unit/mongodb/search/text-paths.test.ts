import { describe, expect, it } from "@jest/globals";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { leafTexts, textsAt, textsAtPath } from "../../../../src/mongodb/search/text-paths.js";
import { FakeEmbeddings } from "../../../helpers/fake-embeddings.js";

const value = {
  title: "t",
  count: 5,
  done: false,
  nothing: null,
  deep: { er: { text: "deep" }, title: "inner" },
  tags: ["x", "y", 3],
  parts: [{ text: "one", list: ["a", "b"] }, { text: "two" }, { other: "three" }],
  "a b": "spaced",
  $: "dollar",
};

describe("textsAtPath", () => {
  it.each([
    "$",
    "title",
    "count",
    "done",
    "nothing",
    "missing",
    "deep",
    "deep.er.text",
    "deep.missing.text",
    "title.length",
    "tags",
    "tags[*]",
    "tags[0]",
    "tags[-1]",
    "tags[9]",
    "tags[-9]",
    "tags[x]",
    "title[0]",
    "parts[*].text",
    "parts[1].text",
    "parts[*].list[*]",
    "*",
    "deep.*",
    "parts.*.text",
    "{title,count}",
    "{title, deep.er.text}",
    "deep.{title}",
    "{missing}",
    "parts[*].{text,other}",
    "a b",
    "$.title",
    "[0]",
    "tags[*",
    "{title",
  ])("finds what InMemoryStore embeds: %s", async (path) => {
    const embeddings = new FakeEmbeddings();
    const reference = new InMemoryStore({ index: { dims: 4, embeddings, fields: [path] } });
    await reference.put(["a"], "k", value);
    expect(textsAt(value, [path]).toSorted()).toEqual(embeddings.documentCalls.flat().toSorted());
  });

  it("finds each object once, by however many ways a path leads to it", () => {
    const levels = 60;
    const deep = JSON.parse(`${'{"a":'.repeat(levels)}"x"${"}".repeat(levels)}`) as Record<string, unknown>;
    expect(textsAt(deep, ["{a,a}".repeat(levels)])).toEqual(["x"]);
  });

  it("finds nothing in what an object inherits, and writes a bigint as its digits", () => {
    expect(textsAtPath(value, "constructor.name")).toEqual([]);
    expect(textsAtPath({ n: 5n }, "n")).toEqual(["5"]);
    expect(textsAtPath({ n: 5n }, "$")).toEqual(['{\n  "n": "5"\n}']);
  });
});

describe("leafTexts", () => {
  it("takes texts and numbers at any depth, and no names", () => {
    const leaves = leafTexts({
      a: "x",
      b: [1, { c: "y", d: null }],
      e: true,
      f: new Date(0),
      g: Uint8Array.of(1),
      h: 5n,
      i: "",
    });
    expect(leaves).toEqual(["x", "1", "y", "5"]);
  });
});
