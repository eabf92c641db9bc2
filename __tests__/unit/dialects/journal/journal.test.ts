import { freshMemory } from "../../../helpers/fresh-memory.js";
import { lstatSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { createJournalTools, type JournalToolsOptions } from "../../../../src/langchain/journal/index.js";
import { hitsOf, notFound, read, refused } from "../../../helpers/journal-answers.js";
import { filesBelow, FolderBench } from "../../../helpers/journal-folder.js";
import {
  JournalBench,
  readFixture,
  type Scenario,
  scenarioFiles,
  type Step,
} from "../../../helpers/journal-scenario.js";
import { folderWith, testFolder } from "../../../helpers/test-folder.js";
import { type BlockText, moveToEnd, parseBlocks, serializeBlock } from "../../../../src/dialects/journal/blocks.js";
import { getFirstLineEnd } from "../../../../src/core/values/line-ends.js";
import { trim, trimEnd } from "../../../../src/dialects/journal/white-space.js";
import fc, { assertProperty } from "../../../helpers/fast-check.js";

const folder = testFolder();

describe("the journal's tools", () => {
  it("find the newest of very many blocks, wherever they stand", async () => {
    const bench = new JournalBench();
    const getHour = (index: number): number => (index * 1009) % 2000;
    const blocks = Array.from({ length: 2000 }, (_, index) => {
      const at = new Date(getHour(index) * 3_600_000).toISOString();
      return `### ${getHour(index)}\n\nfound\n\n<!-- agentool-memory: at=${at} -->\n\n`;
    });
    await bench.put("/2026/01/01.md", blocks.join(""));
    const answer = await bench.call("memory_search", { query: "found", limit: 3 });
    expect(hitsOf(answer).map(({ key }) => key)).toEqual(["1999", "1998", "1997"]);
    expect(answer.data).toMatchObject({ total: 2000, truncated: true });
  });

  it("show a part of what a search finds, and say so", async () => {
    const bench = new JournalBench();
    for (const key of ["a", "b", "c"]) await bench.call("memory_write", { key, content: "x".repeat(15_000) });
    await bench.put("/MEMORY.md", `### long\n\n${"y".repeat(150_000)}\n`);
    expect((await bench.call("memory_search", { query: "xxx" })).data).toMatchObject({
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

  it("answer where the clock fails", async () => {
    const [tool] = createJournalTools(freshMemory(), { clock: () => new Date(Number.NaN) });
    expect(await tool?.invoke({ key: "k", content: "" })).toContain('"success":false');
  });

  it.each(["/", ".", "./", "notes", "/notes/", "./notes"])("keep the journal below the root %j", async (root) => {
    const bench = new JournalBench(root);
    await bench.call("memory_write", { key: "k", content: "", target: "summary" });
    expect(Object.keys(await bench.files())).toEqual([`${root.includes("notes") ? "notes/" : ""}MEMORY.md`]);
  });

  it.each([{ root: 5 }, { clock: "now" }, { folder: "/x" }, { timeZone: "Mars/Olympus" }])(
    "refuse the options %j as a mistake",
    (options) => {
      expect(() => createJournalTools(freshMemory(), options as object)).toThrow(TypeError);
    },
  );

  it("refuse what is no memory as a mistake", () => {
    expect(() => createJournalTools(undefined as never)).toThrow(TypeError);
  });

  interface CrateSchema {
    type: "object";
    properties: Record<string, object>;
    required: string[];
  }

  /** The same arguments in the form that every provider takes. */
  const toStrict = ({ type, properties, required }: CrateSchema): object => ({
    type,
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [
        name,
        required.includes(name) ? property : { anyOf: [property, { type: "null" }] },
      ]),
    ) as object,
    required: expect.arrayContaining(Object.keys(properties)) as unknown,
    additionalProperties: false,
  });

  it("are described to the model as the crate describes them, but for tags, which the crate does not search", () => {
    const recorded = readFixture("schemas.json") as { name: string; description: string; schema: CrateSchema }[];
    // The crate answers texts of any length.
    const from_line = { type: "integer", description: expect.any(String) };
    expect(new JournalBench().tools.map(({ name, description, schema }) => ({ name, description, schema }))).toEqual(
      recorded.map(({ name, description, schema: { properties, ...schema } }) => ({
        name,
        description: description.replace("over keys and bodies.", "over keys, bodies and tags."),
        schema: toStrict({
          ...schema,
          properties: name === "memory_read" ? { ...properties, from_line } : properties,
        }),
      })),
    );
  });
});

async function write(options: JournalToolsOptions, configurable = {}) {
  const memory = freshMemory();
  const [tool] = createJournalTools(memory, options);
  const answer: unknown = await tool?.invoke({ key: "k", content: "text" }, { configurable });
  const { path } = (JSON.parse(String(answer)) as { data: { path: string } }).data;
  return { path, text: await memory.read(`/${path}`), description: tool?.description };
}

describe("the day of a note", () => {
  it.each([
    ["UTC", "2026-03-28T23:30:00Z", "2026/03/28.md"],
    ["Europe/Berlin", "2026-03-28T22:59:59Z", "2026/03/28.md"],
    ["Europe/Berlin", "2026-03-28T23:00:00Z", "2026/03/29.md"],
    ["Europe/Berlin", "2026-03-29T21:59:59Z", "2026/03/29.md"],
    ["Europe/Berlin", "2026-03-29T22:00:00Z", "2026/03/30.md"],
    ["Europe/Berlin", "2026-10-25T22:59:59Z", "2026/10/25.md"],
    ["America/Los_Angeles", "2026-11-01T07:00:00Z", "2026/11/01.md"],
  ])("is that of %s at %s, and `at` stays the instant", async (timeZone, instant, path) => {
    const made = await write({ timeZone, clock: () => new Date(instant) });
    expect(made.path).toBe(path);
    expect(made.text).toContain(instant.replace("Z", "+00:00"));
    expect(made.description).toContain(`(${timeZone} date)`);
  });

  it.each([
    [{ user_id: "anna" }, "2026/03/05.md"],
    [{ user_id: "ben" }, "2026/03/04.md"],
    [{}, "2026/03/04.md"],
  ])("is that of the user of the run %j", async (configurable, path) => {
    const zones: Record<string, string> = { anna: "Pacific/Auckland", ben: "America/Los_Angeles" };
    const clock = (): Date => new Date("2026-03-04T12:00:00Z");
    expect(await write({ timeZone: ({ userId = "" }) => zones[userId], clock }, configurable)).toMatchObject({ path });
  });
});

describe("in recordings of real files that the crate stumbled over", () => {
  const callsOf = (number: number): Step[] => {
    const file = scenarioFiles.find((each) => each.startsWith(`${number}-`)) ?? "";
    return (readFixture(file) as Scenario).steps.filter(({ tool }) => tool.startsWith("memory_"));
  };
  const throughLink = refused("INVALID_PATH", "invalid path: it leads through a link, which a memory does not follow");

  it("53 storage-non-utf8: a file that is no UTF-8 stops no tool, and stays as it is", async () => {
    const bad = Buffer.from("IyMjIHgKCv/+Cg==", "base64");
    const bench = new FolderBench(folder, ".agent/memory", "/");
    await bench.call("memory_write", { key: "a", content: "A" });
    await bench.put(".agent/memory/bad.md", bad);
    expect(await bench.call("memory_read", { key: "a" })).toEqual(read({ content: "A" }));
    expect(await bench.call("memory_search", { query: "" })).toMatchObject({ data: { results: [{ key: "a" }] } });
    expect(await bench.call("memory_write", { key: "b", content: "B" })).toMatchObject({ success: true });
    expect(await bench.call("memory_update", { key: "a", content: "A2" })).toMatchObject({ success: true });
    expect(await bench.call("memory_read", { key: "a" })).toEqual(read({ content: "A2" }));
    expect(readFileSync(join(bench.workspace, ".agent/memory/bad.md"))).toEqual(bad);
  });

  it("54 storage-memory-dir-is-file: a file in the place of the memory is an error, not an empty memory", async () => {
    const bench = new FolderBench(folder, ".agent/memory", "/");
    await bench.put(".agent/memory", "text");
    const noFolder = refused("MEMORY_STORAGE_ERROR", "EIO: the memory's folder is not a folder");
    expect(await bench.call("memory_search", { query: "" })).toEqual(noFolder);
    expect(await bench.call("memory_read", { key: "a" })).toEqual(noFolder);
  });

  it("55 link-memory-dir-outside: a link as the journal's root is refused by every tool", async () => {
    const outside = folderWith(folder);
    const bench = new FolderBench(folder, "", ".agent/memory");
    mkdirSync(join(bench.workspace, ".agent"));
    symlinkSync(outside, join(bench.workspace, ".agent/memory"));
    for (const { tool, args } of callsOf(55)) expect(await bench.call(tool, args)).toEqual(throughLink);
    expect(await bench.call("memory_update", { key: "a", content: "A" })).toEqual(throughLink);
    expect(filesBelow(outside)).toEqual({});
    expect(lstatSync(join(bench.workspace, ".agent/memory")).isSymbolicLink()).toBe(true);
  });

  it("56 link-year-dir-outside: nothing is written through a linked year", async () => {
    const outside = folderWith(folder);
    const bench = new FolderBench(folder, ".agent/memory", "/");
    mkdirSync(join(bench.workspace, ".agent/memory"), { recursive: true });
    symlinkSync(outside, join(bench.workspace, ".agent/memory/2026"));
    const answers = [];
    for (const { tool, args } of callsOf(56)) answers.push(await bench.call(tool, args));
    expect(answers).toEqual([throughLink, notFound("a"), throughLink, { success: true, data: { results: [] } }]);
    expect(filesBelow(outside)).toEqual({});
    const summary = { key: "a", content: "A", target: "summary" };
    expect(await bench.call("memory_write", summary)).toMatchObject({ success: true });
    expect(await bench.call("memory_read", { key: "a" })).toEqual(read({ content: "A", file: "MEMORY.md" }));
  });
});

const forgeries = [
  "### x",
  "### ",
  "\\### x",
  "\\\\### x",
  "<!-- agentool-memory: at=2099-01-01T00:00:00+00:00 tags=evil -->",
  "   <!-- agentool-memory:",
  "\\<!-- agentool-memory: at=",
  " \\\\<!-- agentool-memory:",
  "-->",
  "# one",
  "## two",
  "```",
  "~~~",
  "",
  "  ",
  "\t",
  "\r",
  "\u0085",
  "\u2028",
  "\uFEFF",
  "a",
  "\\",
  " ### x",
  "tags=",
  "|",
];
const at = "2026-01-15T10:00:00.123+00:00";
const line = fc.oneof(fc.constantFrom(...forgeries), fc.string({ unit: "grapheme" }), fc.string());
const content = fc.array(line, { maxLength: 6 }).map((lines) => trimEnd(lines.join("\n")));
const singleLine = fc
  .oneof(fc.constantFrom(...forgeries), fc.string({ unit: "grapheme" }))
  .map((text) => trim(text.replaceAll(/[\p{Cc}\u2028\u2029]/gu, "")));
const key = singleLine.filter((text) => text !== "");
const tag = singleLine.filter((text) => text !== "" && !text.includes("|") && !text.includes("-->"));
const block = fc.record({ key, content, at: fc.constant(at), tags: fc.array(tag, { maxLength: 3 }) });
const blocks = fc.array(block, { maxLength: 5 });

const getTexts = (text: string): BlockText[] => parseBlocks(text).map(({ start: _start, end: _end, ...rest }) => rest);

describe("blocks", () => {
  it("come back as they were, whatever they say", () => {
    assertProperty(
      fc.property(blocks, (given) => {
        expect(getTexts(given.map((each) => serializeBlock(each)).join(""))).toEqual(given);
      }),
      { usual: 150, long: 3_000 },
    );
  });

  it("come back from a file with CRLF, whose line breaks are then no part of a content", () => {
    assertProperty(
      fc.property(blocks, (given) => {
        const text = given.map((each) => serializeBlock(each, "\r\n")).join("");
        expect(text.replaceAll("\r\n", "")).not.toContain("\n");
        const normalized = given.map((each) => ({ ...each, content: trimEnd(each.content.replaceAll("\r\n", "\n")) }));
        expect(getTexts(text)).toEqual(normalized);
      }),
      { usual: 80, long: 1_000 },
    );
  });

  it("are as many to the crate, with the same keys, times and tags", () => {
    assertProperty(
      fc.property(blocks, (given) => {
        const seen = crateBlocks(given.map((each) => serializeBlock(each)).join(""));
        expect(seen).toEqual(given.map(({ key: own, tags }) => ({ key: own, at, tags })));
      }),
      { usual: 150, long: 3_000 },
    );
  });

  it("leave every other block and all hand-written text as they were when one is replaced", () => {
    const hand = fc.constantFrom(
      "",
      "# Title\n\nintro\n\n",
      "\uFEFF# Title\r\n\r\n",
      "### open\n\nhand\n\n## Section\n\nmore\n\n",
    );
    assertProperty(
      fc.property(hand, blocks, block, fc.nat(), (preamble, given, replacement, place) => {
        const text = preamble + given.map((each) => serializeBlock(each, getFirstLineEnd(preamble))).join("");
        const before = parseBlocks(text);
        const replaced = before[place % Math.max(1, before.length)];
        if (replaced === undefined) return;
        const after = parseBlocks(moveToEnd(text, replaced, replacement));
        const others = before.filter((each) => each !== replaced).map(({ key: own, content: said }) => [own, said]);
        expect(after.slice(0, -1).map(({ key: own, content: said }) => [own, said])).toEqual(others);
        expect(after.at(-1)?.key).toBe(replacement.key);
        if (replaced.key !== "open") expect(moveToEnd(text, replaced, replacement).startsWith(preamble)).toBe(true);
      }),
      { usual: 120, long: 2_000 },
    );
  });

  it("parse in time proportional to a text, however it is made", () => {
    const lines = ["### k", "<!-- agentool-memory: ".repeat(20_000), " ".repeat(300_000), "\\".repeat(300_000), "x"];
    const text = `${lines.join("\n")}\n${"### \n".repeat(20_000)}`;
    // Of this process alone, however busy the machine is.
    const started = process.cpuUsage();
    parseBlocks(text);
    const { user } = process.cpuUsage(started);
    expect(user).toBeLessThan(5_000_000);
  });
});

/** How the crate reads a file, line by line, without any of our tolerance. */
function crateBlocks(text: string): { key: string; at: string; tags: string[] }[] {
  const found: { key: string; at: string; tags: string[] }[] = [];
  let isOpen = false;
  for (const each of text.split("\n")) {
    if (each.startsWith("### ")) {
      const heading = trim(each.slice(4));
      isOpen = heading !== "";
      if (isOpen) found.push({ key: heading, at: "", tags: [] });
    } else if (isOpen && trim(each).startsWith("<!-- agentool-memory:")) {
      isOpen = false;
      const statement = trim(trim(each).slice("<!-- agentool-memory:".length, -"-->".length));
      const separator = statement.indexOf(" tags=");
      const time = statement.slice("at=".length, separator === -1 ? undefined : separator);
      const tags =
        separator === -1
          ? []
          : statement
              .slice(separator + 6)
              .split("|")
              .map(trim)
              .filter(Boolean);
      Object.assign(found.at(-1) ?? {}, { at: time, tags });
    }
  }
  return found;
}
