import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { parse } from "yaml";
import { toYaml } from "../../../../src/dialects/records/yaml.js";
import { anyCharacter } from "../../../helpers/any-character.js";
import { RecordBench } from "../../../helpers/record-bench.js";
import { repetitions } from "../../../helpers/repetitions.js";

/** What some YAML reads as something else than a text, or as the end of one. */
const hostile = [
  "yes",
  "no",
  "on",
  "off",
  "y",
  "n",
  "true",
  "null",
  "~",
  "",
  "1e3",
  "1_000",
  "017",
  "0o17",
  "0x1F",
  "12:30:45",
  ".inf",
  ".nan",
  "-.5",
  "2024-01-15",
  "2024-01-15T10:00:00Z",
  "- x",
  "-",
  "? x",
  "a: b",
  "a:",
  ": a",
  "#",
  "a #b",
  "# x",
  "<<",
  "=",
  "---",
  "...",
  "--- a",
  "{}",
  "[a",
  "!!str x",
  "!x",
  "&a",
  "*a",
  "%YAML 1.2",
  "@x",
  "`x`",
  "'",
  '"',
  "''",
  '\\"',
  "|",
  ">",
  "|-\n  x",
  "a\nb",
  "\n",
  "a\n---\nstatus: ok",
  "status: ok",
  "\ta",
  "a\t",
  " a ",
  "é",
  "🧠",
  "\u0085",
  "\u2028",
  "\uFEFF",
  "\0",
  "a".repeat(300),
  `${"word ".repeat(60)}: end`,
];

const text = fc.oneof(
  fc.constantFrom(...hostile),
  fc.string({ unit: "grapheme" }),
  fc.string({ unit: anyCharacter }).map((each) => each.toWellFormed()),
);

describe("an answer in YAML", () => {
  it.each(["1.2", "1.1"] as const)("reads as what was said, by YAML %s", (version) => {
    const fields = fc.record({ status: text, path: text, size: fc.nat(), message: text });
    fc.assert(
      fc.property(fields, (given) => expect(parse(toYaml(given), { version })).toEqual(given)),
      { numRuns: repetitions({ usual: 400, long: 2_000 }) },
    );
  });

  it.each(hostile)("is one line for each field, never folded: %j", (value) => {
    const lines = toYaml({ status: "ok", path: value, size: 1 }).split("\n");
    expect([lines.length, lines[0], lines[2], lines[3]]).toEqual([4, "status: ok", "size: 1", ""]);
    expect(lines[1]).toMatch(/^path: /);
  });

  it("has times in UTC with milliseconds, as YAML's own and not as texts", () => {
    const at = new Date("2026-01-15T00:00:00.000Z");
    expect(toYaml({ at })).toBe("at: 2026-01-15T00:00:00.000Z\n");
    expect(parse(toYaml({ at }), { version: "1.1" })).toEqual({ at });
  });

  it.each([["yes"], ["1e3"], ["null"], ["2024-01-15"], ["0x1F"], ["017"], ["-"], ["1_000"]])(
    "quotes the path %p",
    async (path) => {
      expect(await new RecordBench().text("add_memory", { path, content: "x" })).toBe(
        `status: ok\npath: "${path}"\ncontent_size: 1\ncreated_at: 2026-01-15T10:00:00.120Z\n`,
      );
    },
  );

  it("repeats any legal path, and stores any text as it is", async () => {
    const segment = fc.string({
      unit: fc.constantFrom("a", "Z", "0", "1", "9", "_", "-", "e"),
      minLength: 1,
      maxLength: 6,
    });
    const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join("/"));
    const property = fc.asyncProperty(path, text, text, async (name, first, second) => {
      const bench = new RecordBench();
      const getSize = (content: string): number => Buffer.byteLength(content);
      expect(await bench.call("add_memory", { path: name, content: first })).toMatchObject({
        path: name,
        content_size: getSize(first),
      });
      expect(await bench.memory.read(name)).toBe(first);
      expect(await bench.call("replace_memory", { path: name, content: second })).toMatchObject({
        path: name,
        content_size: getSize(second),
      });
      expect(await bench.memory.read(name)).toBe(second);
      expect(await bench.call("drop_memory", { path: name })).toMatchObject({ status: "ok", path: name });
    });
    await fc.assert(property, { numRuns: repetitions({ usual: 60, long: 200 }) });
  });
});
