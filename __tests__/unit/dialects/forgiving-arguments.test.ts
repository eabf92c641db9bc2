import { describe, expect, it } from "@jest/globals";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { type Memory, openMemory } from "../../../src/index.js";
import { DialectTool } from "../../../src/langchain/dialect-tool.js";
import type { DialectCall } from "../../helpers/dialect-suite.js";
import { createDialect, type DialectName, dialectsUnderTest } from "../../helpers/dialects-under-test.js";
import { freshAddress } from "../../helpers/memory-case.js";

const freshMemory = (): Memory => openMemory(new InMemoryStore(), freshAddress());
const toolOf = (dialect: DialectName, name: string) => {
  const definition = createDialect(dialect, { search: true }).tools.find((tool) => tool.name === name);
  if (definition === undefined) throw new Error(`no tool ${name}`);
  return definition;
};

type Way = (dialect: DialectName, memory: Memory, call: DialectCall) => Promise<string>;

/** The ways in which arguments come to a dialect. */
const ways: Record<string, Way> = {
  "a LangChain tool": (dialect, memory, { tool, args }) => new DialectTool(toolOf(dialect, tool), memory).invoke(args),
  "the definition, as over MCP": async (dialect, memory, { tool, args }) =>
    (await toolOf(dialect, tool).answer(args, async () => memory)).text,
};

/** The answer to a call on a memory of its own, and the texts that it left, without what differs by chance. */
async function outcomeOf(
  answer: Way,
  dialect: DialectName,
  call: DialectCall,
  prepare: DialectCall[],
): Promise<string> {
  const memory = freshMemory();
  await memory.write("/f", "one\ntwo\nthree\n");
  for (const each of prepare) await answer(dialect, memory, each);
  const text = await answer(dialect, memory, call);
  const files = (await memory.snapshot()).files.filter(({ path }) => !path.startsWith("/.journal/"));
  return [text.replace(" memories/f ", " /memories/f "), ...files.map(({ content }) => content)]
    .join("\n")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00)/g, "TIME");
}

const everyCall = (await dialectsUnderTest()).flatMap(([dialect, { commands, prepare }]) =>
  Object.entries(commands).map(([title, call]) => [dialect, title, call, prepare] as const),
);

describe.each(Object.entries(ways))("through %s", (_way, answer) => {
  it.each(everyCall)(
    "%s answers null like an argument that is left out: %s",
    async (dialect, _title, call, prepare) => {
      const { properties } = toolOf(dialect, call.tool).schema;
      const optional = Object.entries(properties).flatMap(([name, property]) => ("anyOf" in property ? [name] : []));
      const args = { ...Object.fromEntries(optional.map((name) => [name, null])), ...call.args };
      expect(await outcomeOf(answer, dialect, { ...call, args }, prepare)).toBe(
        await outcomeOf(answer, dialect, call, prepare),
      );
    },
  );

  const view = { command: "view", path: "/memories/f" };
  const insert = { command: "insert", path: "/memories/f", insert_text: "x" };
  const search = { command: "search", path: "/", query: "two" };

  it.each<[dialect: DialectName, tool: string, sent: Record<string, unknown>, meant: Record<string, unknown>]>([
    ["claude", "memory", { ...view, path: "memories/f" }, view],
    ["claude", "memory", { ...view, view_range: "[1, 2]" }, { ...view, view_range: [1, 2] }],
    ["claude", "memory", { ...view, view_range: ["2", "-1"] }, { ...view, view_range: [2, -1] }],
    ["claude", "memory", { ...insert, insert_line: "1" }, { ...insert, insert_line: 1 }],
    ["journal", "memory_search", { query: "", limit: "1" }, { query: "", limit: 1 }],
    [
      "journal",
      "memory_write",
      { key: "new", content: "x", tags: '["a", "b"]' },
      { key: "new", content: "x", tags: ["a", "b"] },
    ],
    ["unified", "memory", { command: "read", path: "f" }, { command: "read", path: "/f" }],
    ["unified", "memory", { ...search, path: null }, search],
    ["unified", "memory", { command: "search", query: "two" }, search],
    ["records", "memory_search", { query: "two", path: null }, { query: "two" }],
  ])("%s reads what has one meaning: %s %j", async (dialect, tool, sent, meant) => {
    const outcome = await outcomeOf(answer, dialect, { tool, args: sent }, []);
    expect(outcome).toBe(await outcomeOf(answer, dialect, { tool, args: meant }, []));
    expect(outcome).not.toMatch(/"ok":false|"success":false|Error/);
  });
});
