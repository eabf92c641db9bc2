import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { describe, expect, it } from "@jest/globals";
import { type Memory, type MemoryOptions, type SearchHit, openMemory } from "../../../../src/index.js";
import fc from "../../../helpers/fast-check.js";
import { searchNaively } from "../../../helpers/naive-ranking.js";
import { repetitions } from "../../../helpers/repetitions.js";
import { openUnchanged } from "../../../helpers/unchanged-memory.js";

let opened = 0;

async function memoryWith(texts: Record<string, string>, options: MemoryOptions = {}): Promise<Memory> {
  opened += 1;
  const memory = openMemory(new InMemoryStore(), { nodeId: `ranking ${opened}` }, { paths: "posix", ...options });
  for (const [path, text] of Object.entries(texts)) await memory.write(path, text);
  return memory;
}

const rounded = (hits: readonly [string, number][]) =>
  hits.map(([place, score]) => [place, Number(score.toFixed(9))] as const);
const inOrder = (hits: readonly (readonly [string, number])[]) =>
  hits.toSorted((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
const places = (hits: readonly SearchHit[]) => hits.map(({ path, startLine }) => `${path}:${startLine}`);

describe("the ranking of a search", () => {
  it("is that of a naive search in any texts, also in each search of an unchanged memory", async () => {
    const word = fc.constantFrom(
      "fox",
      "foxes",
      "dog",
      "the",
      "bird",
      "a",
      "2024",
      "May",
      "tree",
      "café",
      "CAFE",
      "猫",
      "🎂",
      "I",
    );
    const line = fc
      .tuple(
        fc.constantFrom("", "# ", "## ", "- ", "Fox: ", "User Bird: "),
        fc.array(word, { maxLength: 5 }),
        fc.constantFrom(1, 1, 1, 90),
      )
      .map(([start, words, times]) => start + `${words.join(" ")} `.repeat(times));
    const text = fc
      .tuple(fc.array(line, { maxLength: 8 }), fc.constantFrom("\n", "\r\n"))
      .map(([lines, lineEnd]) => lines.join(lineEnd));
    const texts = fc.dictionary(fc.constantFrom("/fox", "/a/dog", "/a/b", "/c"), text, {
      minKeys: 1,
      noNullPrototype: true,
    });
    await fc.assert(
      fc.asyncProperty(texts, fc.array(word, { minLength: 1, maxLength: 4 }), async (files, query) => {
        const memory = await memoryWith(files);
        const found = await memory.search(query.join(" "), { limit: 1000 });
        const naive = searchNaively((await memory.snapshot()).files, query.join(" "));
        expect(inOrder(rounded(found.map(({ path, startLine, score }) => [`${path}:${startLine}`, score])))).toEqual(
          inOrder(rounded(naive.map(({ path, line: first, score }) => [`${path}:${first}`, score]))),
        );
        expect(found.every(({ score }, index) => score <= (found[index - 1]?.score ?? Infinity))).toBe(true);
        const unchanged = openUnchanged(await memory.snapshot());
        for (let search = 0; search < 3; search += 1)
          expect(await unchanged.search(query.join(" "), { limit: 1000 })).toEqual(found);
      }),
      { numRuns: repetitions({ usual: 30, long: 3000 }) },
    );
  });

  it("takes as pairs the words that stand side by side in the query, also if one of them comes twice", async () => {
    const memory = await memoryWith({ "/a": "a yorkshire jersey of new wool\nyork jersey new\nnew jersey york\n" });
    const [best] = await memory.search("new york new jersey");
    expect(best?.text).toBe("new jersey york");
  });

  it("puts passages of one score by path and line, and says no more than the limit", async () => {
    const equal = Array.from({ length: 10_000 }, () => "an equal line").join("\n");
    const memory = await memoryWith({ "/b": equal, "/a": equal });
    const found = await memory.search("equal", { limit: 1000 });
    expect(found).toHaveLength(1000);
    const inside = found.filter(({ startLine }) => startLine > 2);
    expect(inside.map(({ path, startLine }) => [path, startLine])).toEqual(inside.map((_, index) => ["/a", index + 3]));
    expect(await memory.search("equal", { limit: 1000 })).toEqual(found);
  });

  it("counts what lies around a passage: its neighbours, headings, dates and path", async () => {
    const memory = await memoryWith({
      "/trips/paris": "We saw a tower.\nNothing else.",
      "/plans.md": "# Garden\n\n2024-05-08\nPlant beans.\n\n# House\nPaint doors.",
      "/talk": "Which pet is it?\nA parrot.\nFine.\nGood.\nBye.",
    });
    expect(places(await memory.search("paris tower"))[0]).toBe("/trips/paris:1");
    expect(places(await memory.search("garden"))).toContain("/plans.md:4");
    expect(places(await memory.search("beans 2024"))[0]).toBe("/plans.md:4");
    expect(places(await memory.search("garden"))).not.toContain("/plans.md:7");
    expect(places(await memory.search("which pet"))).toContain("/talk:2");
  });

  it("finds the lines of a day whose path has a date, by the name of the month", async () => {
    const memory = await memoryWith({ "/log/2026-05-08.md": "Ada ate soup", "/log/2026-06-09.md": "Bob ate bread" });
    expect(places(await memory.search("eaten in May", { limit: 1 }))).toEqual(["/log/2026-05-08.md:1"]);
    expect(places(await memory.search("on 9 June 2026", { limit: 1 }))).toEqual(["/log/2026-06-09.md:1"]);
  });

  it("finds the lines below a heading or a line with a date, by the name of the month", async () => {
    const memory = await memoryWith({
      "/log": "# 2026-05-08\nAda ate soup\n# 2026-06-09\nBob ate bread",
      "/days": "2026-07-01\nAda ate fish",
    });
    expect(places(await memory.search("eaten in May", { limit: 1 }))).toEqual(["/log:2"]);
    expect(places(await memory.search("what Ada ate in July", { limit: 1 }))).toEqual(["/days:2"]);
    expect((await memory.search("July fish", { limit: 1 }))[0]?.text).toBe("Ada ate fish");
  });

  it("counts a line twice whose speaker the query names, and those of User where it names its asker", async () => {
    const said = "likes long walks by the sea";
    const memory = await memoryWith({ "/talk": `Ada: ${said}\n\n\nBob Day: ${said}\n\n\nUser: ${said}\n\n\n${said}` });
    expect(places(await memory.search("does Day like walks?"))[0]).toBe("/talk:4");
    expect(places(await memory.search("do I like walks?"))[0]).toBe("/talk:7");
    const scores = async (query: string): Promise<number[]> =>
      (await memory.search(query)).toSorted((a, b) => a.startLine - b.startLine).map(({ score }) => score);
    const [first = 0, ...others] = await scores("walks of users");
    expect((await scores("walks of users"))[2]).toBeGreaterThan(1.5 * Math.max(first, others[0] ?? 0));
  });

  it.each([
    ["my walks", 2],
    ["What did you tell me of walks?", 1.25],
    ["Can you give me a summary of my walks?", 1.25],
    ["walks", 1],
  ])("counts a line of User for %j %s times as much as an equal one of Assistant", async (query, times) => {
    const memory = await memoryWith({ "/talk": "User: likes walks\nAssistant: likes walks" });
    const scores = (await memory.search(query)).toSorted((a, b) => a.startLine - b.startLine);
    expect((scores[0]?.score ?? 0) / (scores[1]?.score ?? 0)).toBeCloseTo(times);
  });

  it("answers a word on one line by that line, and a word in a heading by that heading", async () => {
    const lines = Array.from(
      { length: 12 },
      (_, line) => `Line ${line} tells of word${line} ${"more ".repeat(line % 5)}`,
    );
    const memory = await memoryWith({
      "/a": `${lines.join("\n")}\n# Garden\n${lines.slice(0, 5).join("\n")}`,
      "/b": "A note.",
    });
    for (const line of [5, 7, 11]) expect(places(await memory.search(`word${line}`))[0]).toBe(`/a:${line + 1}`);
    expect(places(await memory.search("garden"))[0]).toBe("/a:13");
    expect(places(await memory.search("note"))[0]).toBe("/b:1");
  });

  it("gives the best passage of each file where that is asked for", async () => {
    const memory = await memoryWith({
      "/a": "fox\n\n\n\nfox fox\nfox",
      "/b": "a fox and a bird and a tree",
      "/c": "bird",
    });
    const perFile = await memory.search("fox", { per: "file" });
    expect(perFile.map(({ path }) => path)).toEqual(["/a", "/b"]);
    expect(perFile[0]).toEqual((await memory.search("fox", { limit: 1 }))[0]);
  });
});

describe("a search in much text", () => {
  it("lets others work while it ranks, and ends with the call", async () => {
    const memory = await memoryWith({ "/a": `# x\n${"x y z\n".repeat(100_000)}` });
    await memory.search("x");
    const abort = new AbortController();
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
      if (turns === 3) abort.abort(new Error("enough"));
    }, 1);
    await expect(memory.with({ signal: abort.signal }).search("x y z zx zy")).rejects.toThrow("enough");
    clearInterval(timer);
  });

  it("finds the last line of 7 MB, and counts 100 words of a query", async () => {
    const memory = await memoryWith(
      {
        "/a": `${"Nothing of interest is told in this line of a file that is very long indeed, as some are\n".repeat(78_000)}The zebra`,
      },
      { maxFileBytes: 7_500_000 },
    );
    expect(await memory.search("zebras")).toMatchObject([
      { startLine: 78_001, text: "The zebra" },
      { startLine: 78_000 },
      { startLine: 77_999 },
    ]);
    const words = Array.from({ length: 100 }, (_, index) => `word${index}`).join(" ");
    expect(await memory.search(`${words} zebra`)).toEqual([]);
  });
});

describe("a passage", () => {
  it.each([
    ["plain keys", "title: fox\nx-y: fox"],
    ["keys of several words", "date created: fox\nLast updated by: fox"],
    ["quoted keys", "\"my fox\": 1\n'a fox': 2"],
    ["keys of other scripts", "größe: fox\nназвание: fox"],
    ["keys with dots and slashes", "a.fox: 1\na/fox: 2"],
    ["lists and comments", "tags:\n- fox\n  - fox\n# fox"],
    ["a list over several lines", "tags: [\n  fox,\n]\nmap: {\n  a: fox\n}"],
    ["line ends of Windows", "title: fox\r\ndate created: fox\r"],
  ])("is no line of front matter with %s", async (_name, frontMatter) => {
    const memory = await memoryWith({ "/a.md": `---\n${frontMatter}\n---\nThe fox runs.` });
    expect((await memory.search("fox")).map(({ text }) => text)).toEqual(["The fox runs."]);
  });

  it("is a line of prose between two rules", async () => {
    const memory = await memoryWith({ "/a.md": "---\nThe fox runs at 10:30 again.\n---\nMore." });
    expect((await memory.search("fox"))[0]).toMatchObject({ startLine: 2 });
  });

  it("is a line, the lines of a wrapped paragraph, or a part of a long line, without white space around it", async () => {
    const wrapped =
      "This is a paragraph that an editor has wrapped at some column,\nso it goes on in the next line, and then it comes to its end with a\r\n  zebra.\nAnother line.";
    const long = `${"word ".repeat(500)}giraffe ${"word ".repeat(500)}`;
    const memory = await memoryWith({ "/wrapped": wrapped, "/long": `first\n${long}` });
    const [paragraph] = await memory.search("zebra");
    expect(paragraph).toMatchObject({ startLine: 1, endLine: 3, text: wrapped.slice(0, wrapped.indexOf("\nAnother")) });
    const [piece] = await memory.search("giraffe");
    expect(piece).toMatchObject({ path: "/long", startLine: 2, endLine: 2 });
    expect(piece?.text.length).toBeLessThanOrEqual(600);
    expect(piece?.text).toContain("giraffe");
  });

  it("never ends inside a character, and is found in a line without white space", async () => {
    const parts = Array.from({ length: 8 }, (_, part) => `${"😀".repeat(part * 100)}🎂${"😀".repeat(1000)}`);
    const memory = await memoryWith({ "/emoji": parts.map((part) => `x${part}`).join("\n") });
    const found = await memory.search("🎂", { limit: 100 });
    expect(found).toHaveLength(8);
    expect(found.every(({ text }) => text.isWellFormed() && text.length > 590)).toBe(true);
  });

  it("is the best piece alone of a long line", async () => {
    const line = `${"fox ".repeat(400)}bird ${"fox ".repeat(400)}`;
    const memory = await memoryWith({ "/a": `A fox.\n${line}` });
    const found = await memory.search("fox bird");
    expect(places(found)).toEqual(["/a:2", "/a:1"]);
    expect(found[0]?.text).toContain("bird");
  });
});

describe("the words of a search", () => {
  it.each([
    ["case and accents", "Crème brûlée", "CREME BRULEE"],
    ["English forms", "She was cooking for parties", "cook party"],
    ["ligatures and full width", "ﬁle Ｎａｍｅ", "file name"],
    ["Chinese", "我昨天去了北京大学", "北京"],
    ["Thai", "ฉันชอบกินข้าวผัด", "ข้าวผัด"],
    ["a single character", "黒猫がいる", "猫"],
    ["Arabic", "السلام عليكم", "السلام"],
    ["irregular forms", "She went home and bought two knives", "go buy knife"],
    ["hamza of Arabic", "أحمد يأكل", "احمد ياكل"],
    ["alef madda and vowel signs of Arabic", "قُرْآن", "قران"],
    ["alef maksura of Arabic", "مستشفى", "مستشفي"],
    ["tatweel of Arabic", "مرحبـــا", "مرحبا"],
    ["points of Hebrew", "שָׁלוֹם", "שלום"],
    ["Hindi", "हिन्दी भाषा", "हिन्दी"],
    ["emoji", "the cake 🎂 was good", "🎂"],
  ])("fold %s", async (_what, text, query) => {
    const memory = await memoryWith({ "/other": "Nothing of that.", "/it": text });
    expect((await memory.search(query)).map((hit) => hit.path)).toEqual(["/it"]);
  });

  it("tell signs apart that are letters of their script", async () => {
    const memory = await memoryWith({ "/a": "कि" });
    expect(await memory.search("का")).toEqual([]);
    expect((await memory.search("が")).length).toBe(0);
    const tones = await memoryWith({ "/near": "ใกล้", "/far": "ไกล" });
    expect((await tones.search("ไกล"))[0]?.path).toBe("/far");
  });

  it("leave out words that are everywhere", async () => {
    const memory = await memoryWith({ "/a": "the one that is there" });
    expect(await memory.search("what is the")).toEqual([]);
  });

  it("are those of the option searchWords", async () => {
    const memory = await memoryWith({ "/a": "the fox", "/b": "foxes" }, { searchWords: (text) => text.split(" ") });
    expect((await memory.search("the")).map(({ path }) => path)).toEqual(["/a"]);
    expect((await memory.search("foxes")).map(({ path }) => path)).toEqual(["/b"]);
    const bad = await memoryWith({ "/a": "x" }, { searchWords: (() => "x") as never });
    await expect(bad.search("x")).rejects.toThrow(new TypeError("searchWords must return a list of texts"));
  });
});

describe("bad arguments of a search", () => {
  it.each([
    ["", {}, "query must have 1 to 10000 characters (given 0)"],
    [7 as never, {}, "query must be a string (given number)"],
    ["\ud800", {}, "query is not well-formed Unicode (it holds a lone surrogate)"],
    ["x", { path: "/a/../b" }, 'invalid path: ".." not allowed'],
  ])("%p with %p are EINVAL", async (query, options, message) => {
    await expect((await memoryWith({})).search(query, options)).rejects.toMatchObject({ code: "EINVAL", message });
  });

  it.each([
    [{ limit: 0 }, /limit/],
    [{ per: "line" }, /per/],
    [{ limits: 1 }, /"limit" was probably meant/],
  ])("the options %p are a TypeError", async (options, message) => {
    await expect((await memoryWith({})).search("x", options as never)).rejects.toThrow(message);
    await expect((await memoryWith({})).search("x", options as never)).rejects.toThrow(TypeError);
  });
});
