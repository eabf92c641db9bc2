import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { describe, expect, it } from "@jest/globals";
import * as fc from "fast-check";
import { RE2JS } from "re2js";
import { type Memory, openMemory } from "../../../../src/index.js";
import { repetitions } from "../../../helpers/repetitions.js";

let opened = 0;

async function memoryWith(text: string): Promise<Memory> {
  opened += 1;
  const memory = openMemory(
    new InMemoryStore(),
    { nodeId: `grep ${opened}` },
    { maxFileBytes: 7_500_000, timeoutMs: Infinity },
  );
  await memory.write("/a", text);
  return memory;
}

const grepLines = async (memory: Memory, ...args: Parameters<Memory["grep"]>): Promise<number[]> =>
  (await memory.grep(...args)).map(({ line }) => line);

describe("grep", () => {
  it("counts lines from 1, and takes no line end for text", async () => {
    const memory = await memoryWith("one\r\n\r\ntwo\rthree\r\none");
    expect(await memory.grep("one")).toEqual([
      { path: "/a", line: 1, text: "one" },
      { path: "/a", line: 4, text: "one" },
    ]);
    expect(await memory.grep({ regex: "^$" })).toEqual([{ path: "/a", line: 2, text: "" }]);
    expect(await grepLines(memory, { regex: "^one$" })).toEqual([1, 4]);
    expect(await grepLines(memory, "one\n")).toEqual([]);
  });

  it("finds the lines that a naive search finds, as a text and as an expression", async () => {
    const text = fc.string({
      unit: fc.constantFrom("a", "b", "A", "é", "猫", "🎂", "\r\n", "\n", "\r"),
      maxLength: 30,
    });
    const sought = fc.string({ unit: fc.constantFrom("a", "b", "A", "é", "猫", "🎂"), minLength: 1, maxLength: 2 });
    await fc.assert(
      fc.asyncProperty(text, sought, fc.boolean(), async (content, pattern, ignoreCase) => {
        const memory = await memoryWith(content);
        const folded = (each: string) => (ignoreCase ? each.toLowerCase() : each);
        const lines = content
          .split("\n")
          .map((line, index) => ({ path: "/a", line: index + 1, text: line.replace(/\r$/, "") }));
        const naive = lines.filter((each) => folded(each.text).includes(folded(pattern)));
        expect(await memory.grep(pattern, { ignoreCase })).toEqual(naive);
        expect(await memory.grep({ regex: pattern }, { ignoreCase })).toEqual(naive);
      }),
      { numRuns: repetitions({ usual: 100, long: 3000 }) },
    );
  });

  it("finds the lines that a naive search finds where they lie in blocks of many lines", async () => {
    const unit = fc.constantFrom("a", "b", "zz", "Σ", "ΑΣ", "İ", "🎂", " ");
    const line = fc.array(unit, { maxLength: 4 }).map((units) => units.join(""));
    const lines = fc.array(fc.tuple(line, fc.constantFrom("\n", "\r\n", "\r\r\n")), { minLength: 1, maxLength: 40 });
    const filler = fc.record({
      before: fc.integer({ min: 0, max: 5000 }),
      text: fc.constantFrom("\n", "\r\n", "b\n", "a line of some length\n"),
    });
    const patterns = [
      "zz",
      "σ",
      "i",
      "^$",
      "^a",
      "b$",
      "\\Aa",
      "b\\z",
      "(?-m:a$)",
      "(?m)^b$",
      "\\s",
      "\\s\\s",
      "[^a]",
      "a\\B",
      "\\bb",
      "(?s)b.+a",
      "b\\s+a",
      "[^a]{3}",
      "\\x{3a3}",
    ];
    await fc.assert(
      fc.asyncProperty(
        lines,
        filler,
        fc.constantFrom(...patterns),
        fc.boolean(),
        async (some, { before, text }, pattern, ignoreCase) => {
          const content = `${text.repeat(before)}${some.map((parts) => parts.join("")).join("")}${text.repeat(2000)}last\r`;
          const memory = await memoryWith(content);
          const all = content
            .split("\n")
            .map((each, index) => ({ path: "/a", line: index + 1, text: each.replace(/\r$/, "") }));
          const expression = RE2JS.compile(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
          expect(await memory.grep({ regex: pattern }, { ignoreCase, limit: 10_000 })).toEqual(
            all.filter((each) => expression.test(each.text)).slice(0, 10_000),
          );
          const folded = (each: string) => (ignoreCase ? each.toLowerCase() : each);
          const naive = all.filter((each) => folded(each.text).includes(folded(pattern)));
          expect(await memory.grep(pattern, { ignoreCase, limit: 10_000 })).toEqual(naive.slice(0, 10_000));
        },
      ),
      { numRuns: repetitions({ usual: 60, long: 2000 }) },
    );
  });

  it("takes a text as it is, whatever it holds", async () => {
    const memory = await memoryWith("a.*(b)[c]\\d$^|?+{2}\nother");
    expect(await grepLines(memory, ".*(b)[c]\\d$^|?+{2}")).toEqual([1]);
    expect(await grepLines(memory, ".*(B)[C]\\D$^|?+{2}", { ignoreCase: true })).toEqual([1]);
  });

  it("ignores case in any script", async () => {
    const memory = await memoryWith("ÄRGER\nΣίσυφος\nnothing");
    expect(await grepLines(memory, "ärger", { ignoreCase: true })).toEqual([1]);
    expect(await grepLines(memory, { regex: "σίσυφοσ|ärger" }, { ignoreCase: true })).toEqual([1, 2]);
  });

  it("finds at most 100 lines, or as many as it is asked for", async () => {
    const memory = await memoryWith("equal\n".repeat(10_000));
    expect(await grepLines(memory, "equal")).toHaveLength(100);
    expect(await grepLines(memory, "equal", { limit: 10_000 })).toEqual(
      Array.from({ length: 10_000 }, (_, index) => index + 1),
    );
  });

  it.each([
    "x|(a+)+$",
    "(a|a)*$",
    "(a*)*b",
    "([a-z]+)*9",
    "(.*)*(.*)*(.*)*9",
    "^(([a-z])+.)+[A-Z]([a-z])+$",
    "(x+x+)+y",
    "(?:a?){500}a{500}b",
  ])("ends on the expression %s, for which others need years", async (regex) => {
    const memory = await memoryWith(`${"a".repeat(100_000)}!\n${`${"a".repeat(200)}!\n`.repeat(100)}`);
    await expect(memory.grep({ regex })).resolves.toBeInstanceOf(Array);
  });

  it("refuses an expression that is too large for a line", async () => {
    const memory = await memoryWith("a".repeat(1_000_000));
    await expect(memory.grep({ regex: "(a|b)*a(a|b){300}c" })).rejects.toMatchObject({
      code: "EINVAL",
      message: expect.stringContaining("too large for line 1 of /a, which has 1000000 characters"),
    });
  });

  it("lets others work meanwhile, and ends with its time, in 7 MB", async () => {
    const memory = await memoryWith("a line of some length that holds nothing of interest\n".repeat(138_000));
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 1);
    await expect(memory.grep({ regex: "[a-z]+ (zebra|lion)$" })).resolves.toEqual([]);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(2);
    await expect(memory.with({ timeoutMs: 5 }).grep("missing", { ignoreCase: true })).rejects.toMatchObject({
      code: "EIO",
    });
  });

  it.each([
    ["\n", repetitions({ usual: 1_500_000, long: 7_400_000 })],
    ["\r\n", repetitions({ usual: 700_000, long: 3_700_000 })],
  ])("lets others work meanwhile in megabytes of the line end %j alone", async (lineEnd, count) => {
    const memory = await memoryWith(lineEnd.repeat(count));
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 1);
    await expect(memory.grep({ regex: "\\s\\s" })).resolves.toEqual([]);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(2);
    await expect(memory.grep("a", { ignoreCase: true })).resolves.toEqual([]);
    await expect(memory.grep({ regex: "^$" }, { limit: 1 })).resolves.toEqual([{ path: "/a", line: 1, text: "" }]);
  });

  it.each([
    ["", {}, "pattern must have 1 to 10000 characters (given 0)"],
    [
      { regex: "(" },
      {},
      "the pattern is not a regular expression of RE2 (error parsing regexp: missing closing ): `(`); it has no look-around and no back-references",
    ],
    [{ regex: "a(?=b)" }, {}, expect.stringContaining("it has no look-around")],
    [{ regex: "a".repeat(1001) }, {}, "regex must have 1 to 1000 characters (given 1001)"],
    [undefined as never, {}, "pattern must be a string (given undefined)"],
  ])("refuses %p with %p", async (pattern, options, message) => {
    await expect((await memoryWith("a")).grep(pattern, options)).rejects.toMatchObject({ code: "EINVAL", message });
  });

  it.each([[{ limit: 0 }], [{ ignorecase: true }], [{ path: 7 }]])(
    "refuses the options %p by a TypeError",
    async (options) => {
      await expect((await memoryWith("a")).grep("a", options as never)).rejects.toThrow(TypeError);
    },
  );
});
