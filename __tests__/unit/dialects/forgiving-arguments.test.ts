import { describe, expect, it } from "@jest/globals";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { type Memory, openMemory } from "../../../src/index.js";
import { claudeMemoryHandlers } from "../../../src/langchain/claude/index.js";
import type { FlatSchema } from "../../../src/dialects/dialect.js";
import { DialectTool } from "../../../src/langchain/dialect-tool.js";
import { freshAddress } from "../../helpers/memory-case.js";
import type { DialectCall } from "../../helpers/dialect-suite.js";
import { dialectsUnderTest, type DialectName, createDialect } from "../../helpers/dialects-under-test.js";

const freshMemory = (): Memory => openMemory(new InMemoryStore(), freshAddress());

/** The ways in which arguments come to a dialect. */
const ways: Record<string, (dialect: DialectName, memory: Memory, call: DialectCall) => Promise<string>> = {
  "a LangChain tool": async (dialect, memory, { tool, args }) => {
    const definition = createDialect(dialect, { search: true }).tools.find(({ name }) => name === tool);
    if (definition === undefined) throw new Error(`no tool ${tool}`);
    return new DialectTool(definition, memory).invoke(args);
  },
  "the definition, as over MCP": async (dialect, memory, { tool, args }) => {
    const definition = createDialect(dialect, { search: true }).tools.find(({ name }) => name === tool);
    return (await definition?.answer(args, async () => memory))?.text ?? "";
  },
};

const dialects = await dialectsUnderTest();
const calls = dialects.flatMap(([dialect, { commands }]) =>
  Object.entries(commands).map(([title, call]) => [dialect, title, call] as const),
);

/** Times differ between two calls. */
const withoutTimes = (answer: string): string => answer.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00)/g, "TIME");

function getOptional(dialect: DialectName, tool: string): string[] {
  const schema = createDialect(dialect, { search: true }).tools.find(({ name }) => name === tool)?.schema as FlatSchema;
  return Object.entries(schema.properties).flatMap(([name, property]) => ("anyOf" in property ? [name] : []));
}

describe.each(Object.entries(ways))("through %s", (_way, answer) => {
  it.each(calls)("%s answers null like an argument that is left out: %s", async (dialect, _title, call) => {
    const nulls = Object.fromEntries(getOptional(dialect, call.tool).map((name) => [name, null]));
    const answers = [];
    for (const args of [call.args, { ...nulls, ...call.args }]) {
      const memory = freshMemory();
      const { prepare } = new Map(dialects).get(dialect) ?? { prepare: [] };
      for (const each of prepare) await answer(dialect, memory, each);
      answers.push(withoutTimes(await answer(dialect, memory, { tool: call.tool, args })));
    }
    expect(answers[1]).toBe(answers[0]);
  });

  const lenient: [dialect: DialectName, tool: string, sent: object, meant: object][] = [
    ["claude", "memory", { command: "view", path: "memories/f" }, { command: "view", path: "/memories/f" }],
    [
      "claude",
      "memory",
      { command: "view", path: "/memories/f", view_range: "[1, 2]" },
      { command: "view", path: "/memories/f", view_range: [1, 2] },
    ],
    [
      "claude",
      "memory",
      { command: "view", path: "/memories/f", view_range: ["2", "-1"] },
      { command: "view", path: "/memories/f", view_range: [2, -1] },
    ],
    [
      "claude",
      "memory",
      { command: "insert", path: "/memories/f", insert_line: "1", insert_text: "x" },
      { command: "insert", path: "/memories/f", insert_line: 1, insert_text: "x" },
    ],
    ["journal", "memory_search", { query: "", limit: "1" }, { query: "", limit: 1 }],
    [
      "journal",
      "memory_write",
      { key: "new", content: "x", tags: '["a", "b"]' },
      { key: "new", content: "x", tags: ["a", "b"] },
    ],
    ["unified", "memory", { command: "read", path: "f" }, { command: "read", path: "/f" }],
    [
      "unified",
      "memory",
      { command: "search", path: null, query: "two" },
      { command: "search", path: "/", query: "two" },
    ],
    ["unified", "memory", { command: "search", query: "two" }, { command: "search", path: "/", query: "two" }],
    ["records", "memory_search", { query: "two", path: null }, { query: "two" }],
  ];

  it.each(lenient)("%s reads what has one meaning: %s %j", async (dialect, tool, sent, meant) => {
    const results = [];
    for (const args of [sent, meant]) {
      const memory = freshMemory();
      await memory.write("/f", "one\ntwo\nthree\n");
      const text = await answer(dialect, memory, { tool, args: args as Record<string, unknown> });
      const files = (await memory.snapshot()).files.filter(({ path }) => !path.startsWith("/.journal/"));
      results.push([text.replace(" memories/f ", " /memories/f "), ...files.map(({ content }) => content)].join("\n"));
    }
    expect(withoutTimes(results[0] ?? "")).toBe(withoutTimes(results[1] ?? ""));
    expect(results[0]).not.toMatch(/"ok":false|"success":false|Error/);
  });
});

describe("what has several meanings", () => {
  it.each([
    ["journal", "memory_search", { query: "", limit: "one" }, "expected integer"],
    ["journal", "memory_search", { query: "", limit: "1.5" }, "expected integer"],
    ["journal", "memory_write", { key: "a", content: "x", tags: "a, b" }, "expected array of strings"],
    ["journal", "memory_write", { key: "a", content: "x", tags: "[a" }, "expected array of strings"],
    ["claude", "memory", { command: "view", path: "/memories/f", view_range: "1-2" }, "list of two integers"],
    ["claude", "memory", { command: "view", path: "f" }, "must start with /memories"],
    ["records", "clear_memory", { path: null }, "Unknown argument"],
  ] as const)("is refused: %s %s %j", async (dialect, tool, args, reason) => {
    const memory = freshMemory();
    await memory.write("/f", "one\n");
    expect(await ways["a LangChain tool"]?.(dialect, memory, { tool, args })).toContain(reason);
    expect(await memory.read("/f")).toBe("one\n");
  });
});

it("the handlers for Anthropic's SDK read numbers and lists in texts too", async () => {
  const memory = freshMemory();
  await memory.write("/f", "one\ntwo\n");
  const handlers = claudeMemoryHandlers(memory) as unknown as Record<string, (args: object) => Promise<string>>;
  await handlers["insert"]?.({ command: "insert", path: "memories/f", insert_line: "2", insert_text: "three" });
  expect(await handlers["view"]?.({ command: "view", path: "/memories/f", view_range: "[3, 3]" })).toContain(
    "3\tthree",
  );
});
