import { describe, expect, it } from "@jest/globals";
import { changed, hitsOf, notFound, read, refused } from "../../../helpers/journal-answers.js";
import { type Answer, JournalBench, replay } from "../../../helpers/journal-scenario.js";

const today = ".agent/memory/2026/01/15.md";

describe("contents, in recordings that the crate lost or let forge", () => {
  it("24 content-shapes: indentation, blank lines at the start and CRLF come back", async () => {
    expect(changed(await replay(24))).toEqual({
      5: read({ content: "\n\n    indented first line\n  second" }),
      11: read({ content: "l1\r\nl2" }),
      20: { success: true, data: { results: expect.any(Array) } },
    });
  });

  it("24 content-shapes: the file is the crate's all the same", async () => {
    const { bench, scenario } = await replay(24);
    expect(await bench.files()).toEqual(scenario.files);
  });

  it("25 content-h3-splits-block: a heading in a content splits nothing", async () => {
    const { bench, ...rest } = await replay(25);
    expect(changed({ bench, ...rest })).toEqual({
      1: read({ content: "intro\n### Sub heading\nrest", tags: ["t"], created_at: "2026-01-15T10:00:00.123+00:00" }),
      2: notFound("Sub heading"),
      3: { success: true, data: { results: [expect.objectContaining({ key: "note" })] } },
      4: read({ key: "Sub heading" }),
      6: read({ content: "new", tags: ["t"] }),
      7: read({ content: "refused" }),
      8: {
        success: true,
        data: { results: [expect.objectContaining({ key: "note" }), expect.objectContaining({ key: "Sub heading" })] },
      },
    });
    await bench.call("memory_update", { key: "note", content: "```\n### x\n```" });
    expect((await bench.files())[today]).toContain("\n```\n\\### x\n```\n");
  });

  it("26 content-h3-variants: only the lines that end a block are escaped", async () => {
    const { bench, ...rest } = await replay(26);
    expect(changed({ bench, ...rest })).toEqual({
      9: read({ content: "a\n### \nb", tags: ["t"] }),
      15: read({ content: "### top line\nx" }),
      16: notFound("top line"),
    });
    expect((await bench.files())[today]?.match(/^.*\\.*$/gm)).toEqual(["\\### ", "\\### top line"]);
  });

  it("28 content-html-comments: a content cannot forge metadata", async () => {
    const { bench, ...rest } = await replay(28);
    const forged = "<!-- agentool-memory: at=2099-01-01T00:00:00+00:00 tags=evil|admin -->";
    expect(changed({ bench, ...rest })).toEqual({
      3: read({ content: `x\n${forged}\ny`, tags: ["real"], created_at: "2026-01-15T10:00:02.123+00:00" }),
      5: read({ content: "x\n<!-- agentool-memory: nonsense\ny", tags: ["real"] }),
      9: read({ content: "x\n   <!-- agentool-memory: at=2098-01-01T00:00:00+00:00 -->\ny" }),
      10: {
        success: true,
        data: { results: ["indented", "inline", "broken", "forge"].map((key) => expect.objectContaining({ key })) },
      },
    });
    expect((await bench.files())[today]).toContain("\nx\n   \\<!-- agentool-memory: at=2098");
  });

  it("30 content-unicode-large: contents and the output of a search have limits", async () => {
    const { bench, ...rest } = await replay(30);
    const tooLarge = "`content` has 200000 characters, over its limit of 100000; split it into several keys";
    expect(changed({ bench, ...rest })).toEqual({
      2: refused("MEMORY_CONTENT_TOO_LARGE", tooLarge),
      3: { success: true, data: { results: [] } },
    });
    for (const key of ["a", "b", "c"]) await bench.call("memory_write", { key, content: "x".repeat(15_000) });
    await bench.put("/.agent/memory/MEMORY.md", `### long\n\n${"y".repeat(150_000)}\n`);
    const cut = await bench.call("memory_search", { query: "xxx" });
    expect(cut.data).toMatchObject({
      results: [{ key: expect.any(String) }, { key: expect.any(String) }],
      total: 3,
      truncated: true,
    });
    const long = await bench.call("memory_search", { query: "yyy" });
    expect(long.data).toEqual({
      more: "memory_read shows all of a text, in parts",
      results: [expect.objectContaining({ key: "long", truncated: true })],
    });
    expect(hitsOf(long)[0]?.content?.length).toBeGreaterThan(39_000);
  });
});

describe("search and order, in recordings of the crate's text order", () => {
  it("34 search-limits: a bad limit is refused, a number in words and null are read, and what was cut is said", async () => {
    const bad = refused("MEMORY_INVALID_ARGUMENT", "invalid `limit`: expected integer from 1 to 100");
    const {
      105: byDefault,
      107: one,
      108: most,
      112: text,
      113: none,
      115: three,
      ...others
    } = changed(await replay(34));
    expect(others).toEqual({ 106: bad, 109: bad, 110: bad, 111: bad, 114: bad });
    const told = [byDefault, one, most, text, none, three].map((answer) => {
      const { results: _, ...rest } = answer?.data ?? {};
      return { shown: hitsOf(answer).length, ...rest };
    });
    const cut = { total: 105, truncated: true };
    expect(told).toEqual([
      { shown: 10, ...cut },
      { shown: 1, ...cut },
      { shown: 100, ...cut },
      { shown: 3, ...cut },
      { shown: 10, ...cut },
      { shown: 3, ...cut },
    ]);
  });

  it("37 search-does-not-see: tags are searched; text that belongs to no key is no result, as recording 50 has it", async () => {
    expect(changed(await replay(37))).toEqual({
      2: { success: true, data: { results: [expect.objectContaining({ key: "k", tags: ["tagword"] })] } },
    });
  });

  it("39 order-is-string-compare: times are compared as instants, and what is none counts as 1970", async () => {
    const { 0: search, ...others } = changed(await replay(39));
    const keys = hitsOf(search).map(({ key }) => key);
    expect(keys).toEqual(["frac", "dateonly", "offset-later-text", "plus", "z", "plain1970", "empty-at", "garbage"]);
    expect(others).toEqual({});
  });

  it("65 same-instant-ties: the later of equals comes first", async () => {
    const results = Object.values(changed(await replay(65)));
    const getKeys = (answer: Answer): string[] => hitsOf(answer).map(({ key }) => key);
    expect(results.map(getKeys)).toEqual([["a", "c", "b"], ["s2", "s1", "a", "c", "b"], ["s2"]]);
  });
});

describe("hand-written Markdown, in recordings that the crate damaged or overlooked", () => {
  it("12 update-blank-line-growth: updates add no blank lines", async () => {
    const { bench, ...rest } = await replay(12);
    expect(changed({ bench, ...rest })).toEqual({});
    expect((await bench.files())[today]).toBe(
      "### z\n\nz\n\n<!-- agentool-memory: at=2026-01-15T10:00:01.123+00:00 -->\n\n" +
        "### a\n\nv4\n\n<!-- agentool-memory: at=2026-01-15T10:00:06.123+00:00 -->\n\n",
    );
  });

  it("42 duplicates-same-file: other blocks of the key are reported", async () => {
    const withDuplicate = read({ duplicates: ["MEMORY.md"] });
    const { 6: search, ...answers } = changed(await replay(42));
    expect(answers).toEqual({
      0: withDuplicate,
      1: withDuplicate,
      2: withDuplicate,
      3: withDuplicate,
      4: withDuplicate,
    });
    const contents = hitsOf(search).map(({ content }) => content);
    expect(contents).toEqual(["c3", "a1", "b2", "b1", "a2", "c1"]);
  });

  it("43 duplicates-no-at-files: so are those in other files", async () => {
    const withDuplicate = read({ duplicates: ["2025/01/01.md"] });
    expect(changed(await replay(43))).toEqual({ 0: withDuplicate, 1: withDuplicate, 2: withDuplicate });
  });

  it("46 hand-crlf: a file keeps its line ending", async () => {
    const { bench, ...rest } = await replay(46);
    const tagged = { tags: ["x", "y"] };
    expect(changed({ bench, ...rest })).toEqual({
      3: read(tagged),
      5: { success: true, data: { results: expect.any(Array) } },
    });
    expect((await bench.files())[".agent/memory/MEMORY.md"]).toBe(
      "### b\r\n\r\nB\r\n### a\r\n\r\nnew\r\n\r\n<!-- agentool-memory: at=2026-01-15T10:00:02.123+00:00 tags=x|y -->\r\n\r\n" +
        "### c\r\n\r\nC\r\n\r\n<!-- agentool-memory: at=2026-01-15T10:00:04.123+00:00 -->\r\n\r\n",
    );
  });

  it("47 hand-bom: a byte order mark hides no heading", async () => {
    const { bench, ...rest } = await replay(47);
    expect(changed({ bench, ...rest })).toEqual({
      0: read({ content: "A" }),
      2: refused("MEMORY_KEY_EXISTS"),
      3: read({ content: "A" }),
    });
    await bench.call("memory_update", { key: "a", content: "A2" });
    expect((await bench.files())[".agent/memory/MEMORY.md"]).toMatch(/^\uFEFF### b\n\nB\n### a\n\nA2\n\n<!--/);
  });

  it("49 hand-metadata-variants: what stands after the metadata stays", async () => {
    const { bench, ...rest } = await replay(49);
    const { 7: behind, 11: search, ...others } = changed({ bench, ...rest });
    expect(behind).toEqual(read({ key: "m8", created_at: "2025-01-08T00:00:00+00:00" }));
    expect(search?.success).toBe(true);
    expect(others).toEqual({});
    for (const key of ["m5", "m6", "m8"]) await bench.call("memory_update", { key, content: "new" });
    const text = (await bench.files())[".agent/memory/MEMORY.md"] ?? "";
    expect(text.match(/^(?:after|lost tail|trailing)$/gm)).toEqual(["after", "lost tail", "trailing"]);
  });

  it("51 hand-which-files: hidden files and other spellings of .md are none of the journal's, and only MEMORY.md is the summary", async () => {
    const { 0: lower, 10: search, ...others } = changed(await replay(51));
    expect(lower).toEqual(read({ file: "memory.md", kind: "daily" }));
    const files = hitsOf(search).map(({ file }) => file);
    expect(files).toEqual(["sub/MEMORY.md", "memory.md", "a/b/c/d.md"]);
    expect(others).toEqual({ 2: notFound("upper-ext"), 3: notFound("hidden") });
  });

  it("54 storage-memory-dir-is-file: every tool says so, without a path", async () => {
    const parentIsFile = refused("MEMORY_STORAGE_ERROR", "ENOTDIR: a parent of the path is a file");
    const isFile = refused("MEMORY_STORAGE_ERROR", "the journal's root is a file");
    expect(changed(await replay(54))).toEqual({
      0: isFile,
      1: isFile,
      2: parentIsFile,
      3: parentIsFile,
      4: parentIsFile,
      5: refused("MEMORY_STORAGE_ERROR", "EISDIR: path is a directory"),
    });
  });

  it("61 context-dir-dot: packages are not searched", async () => {
    const { 2: search, ...others } = changed(await replay(61));
    expect(hitsOf(search).map(({ key }) => key)).toEqual(["a", "Install"]);
    expect(others).toEqual({});
  });

  it("45 (not recorded): an update of a block without metadata leaves the sections after it", async () => {
    const bench = new JournalBench();
    const fence = "```sh\n# no heading\n```";
    await bench.put("/MEMORY.md", `### a\n\nhand\n${fence}\n\n## Section\n\nmore\n\n### b\n\nB\n`);
    expect(await bench.call("memory_read", { key: "a" })).toEqual(read({ content: `hand\n${fence}` }));
    await bench.call("memory_update", { key: "a", content: "new" });
    expect((await bench.files())["MEMORY.md"]).toMatch(/^## Section\n\nmore\n\n### b\n\nB\n### a\n\nnew\n\n<!--/);
  });
});
