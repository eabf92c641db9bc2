import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { describe, expect, it } from "@jest/globals";
import { type Memory, openMemory } from "../../../../src/index.js";
import fc from "../../../helpers/fast-check.js";
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
    expect(await grepLines(memory, "one\n")).toEqual([]);
  });

  it("finds the lines that a naive search finds where they lie in blocks of many lines", async () => {
    const unit = fc.constantFrom("a", "b", "zz", "A", "é", "猫", "Σ", "ΑΣ", "İ", "🎂", "\r", " ");
    const line = fc.array(unit, { maxLength: 4 }).map((units) => units.join(""));
    const lines = fc.array(fc.tuple(line, fc.constantFrom("\n", "\r\n", "\r\r\n")), { minLength: 1, maxLength: 40 });
    const filler = fc.record({
      before: fc.integer({ min: 0, max: 5000 }),
      text: fc.constantFrom("\n", "\r\n", "b\n", "a line of some length\n"),
    });
    const patterns = ["zz", "σ", "i", "b", "A", "é", "猫", "a line", " a", "🎂"];
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
          const folded = (each: string) => (ignoreCase ? each.toLowerCase() : each);
          const naive = all.filter((each) => folded(each.text).includes(folded(pattern)));
          expect(await memory.grep(pattern, { ignoreCase, limit: 10_000 })).toEqual(naive.slice(0, 10_000));
        },
      ),
      { numRuns: repetitions({ usual: 40, long: 2000 }) },
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
  });

  it("finds at most 100 lines, or as many as it is asked for", async () => {
    const memory = await memoryWith("equal\n".repeat(10_000));
    expect(await grepLines(memory, "equal")).toHaveLength(100);
    expect(await grepLines(memory, "equal", { limit: 10_000 })).toEqual(
      Array.from({ length: 10_000 }, (_, index) => index + 1),
    );
  });

  it("ends with its time, in 7 MB", async () => {
    const memory = await memoryWith("a line of some length that holds nothing of interest\n".repeat(138_000));
    await expect(memory.with({ timeoutMs: 5 }).grep("missing", { ignoreCase: true })).rejects.toMatchObject({
      code: "EIO",
    });
  });

  it.each([
    ["", {}, "pattern must have 1 to 10000 characters (given 0)"],
    ["a".repeat(10_001), {}, "pattern must have 1 to 10000 characters (given 10001)"],
    [{ regex: "a" } as never, {}, expect.stringContaining("pattern must be a string")],
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
