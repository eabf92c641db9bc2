import { describe, expect, it } from "@jest/globals";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import { openDirectoryMemory } from "../../../src/backends/directory/index.js";
import { toYaml } from "../../../src/dialects/records/yaml.js";
import { createRecordTools } from "../../../src/langchain/records/index.js";
import { freshMemory, pathsIn } from "../../helpers/fresh-memory.js";
import { anyCharacter } from "../../helpers/any-character.js";
import fc, { assertProperty } from "../../helpers/fast-check.js";
import { RecordBench, recordError } from "../../helpers/record-bench.js";
import { folderWith, testFolder } from "../../helpers/test-folder.js";

const folder = testFolder();
const content = "x";

describe("the record tools", () => {
  it("use the system's clock where none is given", async () => {
    const before = new Date().toISOString();
    const [add] = createRecordTools(freshMemory());
    const time = /created_at: (\S+)\n$/.exec(String(await add?.invoke({ path: "a", content })))?.[1] ?? "";
    expect([before, time, new Date().toISOString()].toSorted()[1]).toBe(time);
  });

  it.each([() => new Date(Number.NaN), () => 5 as never])(
    "change nothing where the clock fails (%#)",
    async (clock) => {
      const { memory } = new RecordBench();
      await memory.write("/kept", "x");
      for (const tool of createRecordTools(memory, { clock })) {
        const args = { path: tool.name === "add_memory" ? "a" : "kept", content };
        const own = Object.keys((tool.schema as { properties: object }).properties);
        const given = Object.fromEntries(Object.entries(args).filter(([name]) => own.includes(name)));
        expect(await tool.invoke(given)).toBe(recordError("MEMORY_STORAGE_ERROR", "The memory could not be opened"));
      }
      expect(await pathsIn(memory)).toEqual(["/kept"]);
    },
  );

  it("tell the model these names, arguments and limits", () => {
    const tools = new RecordBench().tools.map(({ name, schema, description }) => ({ name, schema, description }));
    const description = expect.any(String);
    const text = { type: "string", description };
    const getSchema = (properties: object): object => ({
      type: "object",
      properties,
      required: Object.keys(properties),
      additionalProperties: false,
    });
    expect(tools).toEqual([
      { name: "add_memory", schema: getSchema({ path: text, content: text }), description },
      { name: "replace_memory", schema: getSchema({ path: text, content: text }), description },
      { name: "drop_memory", schema: getSchema({ path: text }), description },
      { name: "clear_memory", schema: getSchema({ reason: { anyOf: [text, { type: "null" }] } }), description },
    ]);
    expect(JSON.stringify(tools)).toMatch(/255 characters.*1 MB/);
  });

  it("have a prefix before their names, in their descriptions too", () => {
    const tools = createRecordTools(freshMemory(), { prefix: "team_" });
    expect(tools.map(({ name, description }) => [name, description.match(/\w+_memory/g)?.join()])).toEqual([
      ["team_add_memory", "team_replace_memory"],
      ["team_replace_memory", "team_add_memory"],
      ["team_drop_memory", undefined],
      ["team_clear_memory", undefined],
    ]);
  });

  it("take contents of 1,000,000 bytes, and refuse larger ones with their size", async () => {
    const bench = new RecordBench();
    const half = "é".repeat(500_000);
    expect(await bench.call("add_memory", { path: "a", content: half })).toMatchObject({ content_size: 1_000_000 });
    const tooLarge = (size: string): string =>
      recordError("MEMORY_CONTENT_TOO_LARGE", `Content size ${size} exceeds 1MB limit`);
    expect(await bench.text("replace_memory", { path: "a", content: `${half}é` })).toBe(tooLarge("1.1MB"));
    expect(await bench.text("add_memory", { path: "b", content: "x".repeat(1_200_000) })).toBe(tooLarge("1.2MB"));
    expect(Object.keys(await bench.files())).toEqual(["/a"]);
  });

  it("refuse in a folder the paths that some file system takes for something else, and those behind a link", async () => {
    const dir = folderWith(folder, { "project/todo": "x" });
    await symlink(folder, join(dir, "out"));
    const bench = new RecordBench(openDirectoryMemory({ dir }));
    for (const [path, reason] of [
      ["con", "path segment"],
      ["a/NUL", "path segment"],
      ["Project/plan", "path segment"],
      ["out/x", "path: it leads through a link"],
    ])
      expect(await bench.call("add_memory", { path, content })).toEqual({
        status: "error",
        error_code: "MEMORY_PATH_INVALID",
        message: expect.stringMatching(`^Path "${path}" is not allowed \\(invalid ${reason}`),
      });
    expect(await bench.files()).toEqual({ "/project/todo": "x" });
  });

  it.each([{ clock: "now" }, { root: "/x" }, 5, { prefix: "a b" }, { prefix: "é" }, { prefix: "x".repeat(51) }])(
    "refuse the options %j as a mistake",
    (options) => {
      const memory = freshMemory();
      expect(() => createRecordTools(memory, options as object)).toThrow(TypeError);
    },
  );

  it.each([undefined, null, {}, "memory"])("refuse %j for a memory as a mistake", (none) => {
    expect(() => createRecordTools(none as never)).toThrow(TypeError);
  });
});

/** What some YAML reads as something else than a text, or as the end of one. */
const hostile = (
  "yes|no|on|off|y|n|true|null|~||1e3|1_000|017|0o17|0x1F|12:30:45|.inf|.nan|-.5|2024-01-15|2024-01-15T10:00:00Z|" +
  "- x|-|? x|a: b|a:|: a|#|a #b|# x|<<|=|---|...|--- a|{}|[a|!!str x|!x|&a|*a|%YAML 1.2|@x|`x`|'|\"|''|\\\"|>|" +
  "a\nb|\n|a\n---\nstatus: ok|status: ok|\ta|a\t| a |é|🧠|\u0085|\u2028|\uFEFF|\0"
)
  .split("|")
  .concat("|", "|-\n  x", "a".repeat(300), `${"word ".repeat(60)}: end`);

const text = fc.oneof(
  fc.constantFrom(...hostile),
  fc.string({ unit: "grapheme" }),
  fc.string({ unit: anyCharacter }).map((each) => each.toWellFormed()),
);

describe("an answer in YAML", () => {
  it.each(["1.2", "1.1"] as const)("reads as what was said, by YAML %s", (version) => {
    const fields = fc.record({ status: text, path: text, size: fc.nat(), message: text });
    assertProperty(
      fc.property(fields, (given) => expect(parse(toYaml(given), { version })).toEqual(given)),
      { usual: 80, long: 2_000 },
    );
  });

  it.each(hostile)("is one line for each field, never folded: %j", (value) => {
    const lines = toYaml({ status: "ok", path: value, size: 1 }).split("\n");
    expect([lines.length, lines[0], lines[2], lines[3]]).toEqual([4, "status: ok", "size: 1", ""]);
    expect(lines[1]).toMatch(/^path: /);
    for (const version of ["1.2", "1.1"] as const) expect(parse(lines[1] ?? "", { version })).toEqual({ path: value });
  });

  it("has times in UTC with milliseconds, as YAML's own and not as texts", () => {
    const at = new Date("2026-01-15T00:00:00.000Z");
    expect(toYaml({ at })).toBe("at: 2026-01-15T00:00:00.000Z\n");
    expect(parse(toYaml({ at }), { version: "1.1" })).toEqual({ at });
  });

  it("repeats any legal path, and the tools store any text as it is", async () => {
    const segment = fc.stringMatching(/^[aZ019_e-]{1,6}$/);
    const paths = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join("/"));
    const property = fc.asyncProperty(paths, text, text, async (path, first, second) => {
      const bench = new RecordBench();
      for (const [name, given] of [
        ["add_memory", first],
        ["replace_memory", second],
      ] as const) {
        const content_size = Buffer.byteLength(given);
        expect(await bench.call(name, { path, content: given })).toMatchObject({ path, content_size });
        expect(await bench.memory.read(path)).toBe(given);
      }
      expect(await bench.call("drop_memory", { path })).toMatchObject({ status: "ok", path });
    });
    await assertProperty(property, { usual: 20, long: 200 });
  });
});
