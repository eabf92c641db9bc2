import { freshMemory } from "../../helpers/fresh-memory.js";
import { describe, expect, it } from "@jest/globals";
import { DeepAgentsBackend } from "../../../src/deepagents/index.js";
import { createClaudeMemoryTool } from "../../../src/langchain/claude/index.js";
import { type Memory, MemoryTool } from "../../../src/index.js";
import { DialectTool } from "../../../src/langchain/dialect-tool.js";
import type { DialectCall } from "../../helpers/dialect-suite.js";
import { createDialect, type DialectName, dialectsUnderTest } from "../../helpers/dialects-under-test.js";

interface Place {
  line: number;
  text: string;
}

async function memoryWith(content: string): Promise<Memory> {
  const memory = freshMemory();
  await memory.write("/f", content);
  return memory;
}

async function updateBy(memory: Memory, oldContent: string, content: string): Promise<unknown> {
  const answer = await new MemoryTool({ memory }).invoke({ command: "update", path: "/f", oldContent, content });
  return (JSON.parse(answer) as { result: unknown }).result;
}

/** Each way in which a model replaces a text, and what its answer says. */
const ways: Record<string, (memory: Memory, search: string, content: string) => Promise<string>> = {
  "the unified tool": async (memory, search, content) => {
    const { nearest } = (await updateBy(memory, search, content)) as { nearest?: Place[] };
    return (nearest ?? []).map(({ line, text }) => `line ${line}:\n${text}`).join("\n");
  },
  "Claude's tool": (memory, search, content) =>
    createClaudeMemoryTool(memory).invoke({
      command: "str_replace",
      path: "/memories/f",
      old_str: search,
      new_str: content,
    }),
  "deepagents' backend": async (memory, search, content) =>
    (await new DeepAgentsBackend(memory).edit("/f", search, content)).error ?? "",
};

const lookAlikes: [title: string, stored: string, sought: string, shown: string][] = [
  ["quotes", "- it\u2019s \u201cfine\u201d here", `- it's "fine" here`, "- it\\u2019s \\u201cfine\\u201d here"],
  ["plain quotes", "- it's fine here", "- it\u2019s fine here", "- it\\u0027s fine here"],
  ["dashes", "May 3 \u2013 Berlin", "May 3 - Berlin", "May 3 \\u2013 Berlin"],
  ["blanks", "lives\u00a0in Berlin", "lives in Berlin", "lives\\u00a0in Berlin"],
  ["tabs", "key\tvalue of it", "key value of it", "key\\u0009value of it"],
  ["letters in two parts", "Zoe\u0308 likes tea", "Zo\u00eb likes tea", "Zoe\\u0308 likes tea"],
  ["letters in one part", "Zo\u00eb likes tea", "Zoe\u0308 likes tea", "Zo\\u00eb likes tea"],
  ["blanks at the end", "one line  \nthe next", "one line\nthe next", "one line\\u0020\\u0020\nthe next"],
  ["characters that nobody sees", "like\u200bs tea a lot", "likes tea a lot", "like\\u200bs tea a lot"],
];

describe.each(Object.entries(ways))("a text that %s does not find", (_way, replace) => {
  it.each(lookAlikes)(
    "is shown where it nearly stands, with what differs: %s",
    async (_title, stored, sought, shown) => {
      const memory = await memoryWith(`# Notes\n\n${stored}\nother\n`);
      expect(await replace(memory, sought, "new")).toContain(`line 3:\n${shown}`);
      expect(await memory.read("/f")).toBe(`# Notes\n\n${stored}\nother\n`);
    },
  );

  it("is replaced if the model copies an escape that it was shown", async () => {
    for (const [, stored, , shown] of lookAlikes) {
      const memory = await memoryWith(`a\n${stored}\nb\n`);
      await replace(memory, shown, "new");
      expect(await memory.read("/f")).toBe("a\nnew\nb\n");
    }
  });

  it.each(["new", "new\r", "new\r\n"])("is replaced if the model copies half of a line end, by %j", async (content) => {
    const memory = await memoryWith("one more\r\n\u200bone\r\ntwo\r\n");
    await replace(memory, "\\u200bone\r", content);
    const added = content.endsWith("\n") ? "\r\n" : "";
    expect(await memory.read("/f")).toBe(`one more\r\nnew\r\n${added}two\r\n`);
  });

  it.each(["2: two", "     2\ttwo", "   2.1\ttwo", "2: two\n3: ok", "2: twos", "3: ok"])(
    "is shown where its lines are if they begin with copied line numbers: %j",
    async (search) => {
      const memory = await memoryWith("one\r\ntwo\r\nok\r\n");
      const [, number, first] = /(\d)(?:\.1)?(?:: |\t)(t|ok)/.exec(search) ?? [];
      expect(await replace(memory, search, "new")).toContain(`line ${number}:\n${first}`);
      expect(await memory.read("/f")).toBe("one\r\ntwo\r\nok\r\n");
    },
  );

  it.each(["2: ", "12:30", "2\t\n", "7: seven"])(
    "is shown nowhere if only its numbers come near: %j",
    async (search) => {
      expect(await replace(await memoryWith("one\ntwo\n"), search, "new")).not.toMatch(/line \d:/);
    },
  );

  it("is shown whole, where several lines come near", async () => {
    const memory = await memoryWith("one\ntwo words\nthree of them\nfour\n");
    expect(await replace(memory, "two words\nthree of those", "x")).toContain("line 2:\ntwo words\nthree of them");
  });

  it("is shown at up to three places, the nearest first, and nowhere if nothing comes near", async () => {
    const memory = await memoryWith(
      "Ada likes green tea\nBob likes green tea\nAda likes tea\nAda likes black tea\nx\n",
    );
    const answer = await replace(memory, "Ada likes green teas", "new");
    expect(Array.from(answer.matchAll(/line (\d):/g), ([, line]) => line)).toEqual(["1", "2", "3"]);
    expect(await replace(memory, "nothing of the kind", "new")).not.toMatch(/line \d:/);
  });
});

describe("the nearest lines", () => {
  it("stay short in a long file and for a long text", async () => {
    const memory = await memoryWith(`${"all of it in one line, ".repeat(20_000)}\n`.repeat(2));
    const answer = JSON.stringify(await updateBy(memory, "all of it in one line; ".repeat(10_000), "x"));
    expect(answer).toContain('"nearest":[{"line":1,');
    expect(answer.length).toBeLessThan(4000);
  });

  it("are not shown by a tool that cannot read", async () => {
    const memory = await memoryWith("a secret of Ada\n");
    const tool = new MemoryTool({ memory, commands: ["append", "update"] });
    const answer = await tool.invoke({ command: "update", path: "/f", oldContent: "a secret of Bob", content: "" });
    expect(JSON.parse(answer)).toMatchObject({ result: { replaced: 0 } });
    expect(answer).not.toContain("Ada");
  });
});

const toolOf = (dialect: DialectName, name: string) => {
  const definition = createDialect(dialect, { search: true }).tools.find((tool) => tool.name === name);
  if (definition === undefined) throw new Error(`no tool ${name}`);
  return definition;
};

type Way = (dialect: DialectName, memory: Memory, call: DialectCall) => Promise<string>;

/** The waysToCall in which arguments come to a dialect. */
const waysToCall: Record<string, Way> = {
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

describe.each(Object.entries(waysToCall))("through %s", (_way, answer) => {
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
