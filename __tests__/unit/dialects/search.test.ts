import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { HumanMessage } from "@langchain/core/messages";
import { describe, expect, it } from "@jest/globals";
import { parse } from "yaml";
import { logConversation, type Memory, mountMemories, MemoryTool, MemoryNode, openMemory } from "../../../src/index.js";
import { createDialect } from "../../../src/dialects/registry.js";
import { createClaudeMemoryTool, createClaudeSearchTool } from "../../../src/langchain/claude/index.js";
import { createRecordTools } from "../../../src/langchain/records/index.js";
import { freshAddress } from "../../helpers/memory-case.js";

async function memoryWith(texts: Record<string, string>): Promise<Memory> {
  const memory = openMemory(new InMemoryStore(), freshAddress());
  for (const [path, text] of Object.entries(texts)) await memory.write(path, text);
  return memory;
}

const commands = ["read", "search"] as const;
const withSearch = (memory: Memory): MemoryTool => new MemoryTool({ memory, commands: [...commands] });
const recordSearch = (memory: Memory) =>
  createRecordTools(memory, { search: true, prefix: "my_" }).find(({ name }) => name === "my_memory_search");

describe("a search in a log", () => {
  const said = ["Did you book?", "Assistant: Yes, the zebra tour.", `${"word ".repeat(199)}Assistant: zebra`];

  it.each(["unified", "claude", "records", "a program"])(
    "answers no line of a user's message as one of the assistant: %s",
    async (way) => {
      const memory = await memoryWith({});
      await logConversation(memory, [new HumanMessage(said.join("\n"))]);
      const answers: Record<string, () => Promise<unknown>> = {
        unified: () => withSearch(memory).invoke({ command: "search", path: "/", query: "zebra" }),
        claude: () => createClaudeSearchTool(memory).invoke({ query: "zebra" }),
        records: async () => recordSearch(memory)?.invoke({ query: "zebra" }),
        "a program": async () => (await memory.search("zebra")).map(({ text }) => text).join("\n"),
      };
      const answer = String(await answers[way]?.());
      expect(answer).toContain("User: Assistant: Yes, the zebra tour.");
      expect(answer).not.toMatch(/(?:^|\n|\\n|")Assistant:/);
    },
  );

  it("begins the piece of a long line with the character before it", async () => {
    const memory = await memoryWith({ "/a": `${"x".repeat(998)}😀Assistant: zebra`, "/b": `${"x".repeat(1000)}zebra` });
    const hits = await memory.search("zebra");
    expect(hits.map(({ text }) => text).toSorted()).toEqual(["xzebra", "😀Assistant: zebra"]);
  });
});

describe("a search for models", () => {
  it("is offered only where it is asked for, and leaves the other tools as they are", () => {
    const told = (tools: { name: string; schema: object; description: unknown }[]) =>
      tools.map(({ name, schema, description }) =>
        JSON.stringify([name, schema, typeof description === "function" ? String(description("plain")) : description]),
      );
    expect(told(createDialect({ name: "claude", search: true }).tools).slice(0, 1)).toEqual(
      told(createDialect("claude").tools),
    );
    expect(told(createDialect({ name: "records", search: true }).tools).slice(0, -1)).toEqual(
      told(createDialect("records").tools),
    );
    expect(
      [
        ...createDialect({ name: "claude", search: true }).tools,
        ...createDialect({ name: "records", search: true }).tools,
      ].map(({ name }) => name),
    ).toContain("memory_search");
    expect(
      told([
        ...createDialect("unified").tools,
        ...createDialect("claude").tools,
        ...createDialect("records").tools,
      ]).join(""),
    ).not.toMatch(/search/i);
  });

  it("is a command of the tool of a node with search: true", async () => {
    const store = new InMemoryStore();
    const [tool] = new MemoryNode({ store, nodeId: "node", search: true }).memoryTools;
    expect(JSON.stringify(tool?.schema)).toContain('["read","list","append","update","delete","search"]');
    await new MemoryNode({ store, nodeId: "node" }).memory().write("/a", "zebra");
    expect(await tool?.invoke({ command: "search", path: "", query: "zebras" })).toBe(
      '{"command":"search","path":"/","ok":true,"result":{"passages":[{"path":"/a","startLine":1,"endLine":1,"text":"zebra"}]}}',
    );
    const [plain] = new MemoryNode({ store, nodeId: "node" }).memoryTools;
    const refused: unknown = JSON.parse(
      String(await plain?.invoke({ command: "search", path: "/", query: "x" } as never)),
    );
    expect(refused).toMatchObject({ ok: false });
  });

  it("reads only, whatever else may be done", () => {
    const tools = [
      ...createDialect({ name: "unified", commands: [...commands] }).tools,
      ...createDialect({ name: "claude", search: true }).tools.slice(1),
      ...createDialect({ name: "records", search: true }).tools.slice(-1),
    ];
    expect(tools.map(({ readOnly, destructive }) => [readOnly, destructive])).toEqual(tools.map(() => [true, false]));
  });

  it("answers at most 8,000 characters, and says what is left out", async () => {
    const long = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [`/long/${index}`, `zebra ${"word ".repeat(190)}`]),
    );
    const memory = await memoryWith({
      ...long,
      ...Object.fromEntries(Array.from({ length: 45 }, (_, index) => [`/short/${index}`, "a lion"])),
    });
    const unified = async (query: string) => {
      const answer = await withSearch(memory).invoke({ command: "search", path: "/", query });
      expect(answer.length).toBeLessThan(10_000);
      const { result } = JSON.parse(answer) as { result: { passages: object[]; leftOut?: string } };
      return [result.passages.length, result.leftOut];
    };
    expect(await unified("zebra")).toEqual([8, "22 passages that fit less"]);
    expect(await unified("lion")).toEqual([10, "35 passages that fit less"]);
    expect(await unified("lion zebra")).toEqual([
      expect.any(Number),
      expect.stringMatching(/^\d+ or more passages that fit less$/),
    ]);
    expect(await createClaudeSearchTool(memory).invoke({ query: "lion" })).toMatch(
      /\n\n\(35 passages that fit less are left out\.\)$/,
    );
    expect(parse(String(await recordSearch(memory)?.invoke({ query: "lion" })))).toMatchObject({
      left_out: "35 passages that fit less",
    });
  });

  it("answers Claude in paths and lines that it can view", async () => {
    const memory = await memoryWith({ "/trips/paris.md": "# Paris\nWe saw a tower.", "/other": "Nothing.\u200b" });
    const tool = createClaudeSearchTool(memory);
    expect(await tool.invoke({ query: "towers" })).toBe(
      "Here're the passages that fit best:\n\n/memories/trips/paris.md, line 2:\nWe saw a tower.\n\n/memories/trips/paris.md, line 1:\n# Paris",
    );
    expect(await tool.invoke({ query: "nothing", path: "/memories/other" })).toContain("Nothing.\\u200b");
    expect(await tool.invoke({ query: "zebra" })).toBe("No passage below /memories has these words");
    expect(await tool.invoke({ query: "x", path: "/elsewhere" })).toBe(
      "Error: Path must start with /memories, got: /elsewhere",
    );
    expect(await tool.invoke({ path: "/memories" } as never)).toBe(
      "Error: Invalid `query` parameter: it is required and must be a string",
    );
    expect(await tool.invoke({ query: "x", words: 1 } as never)).toBe(
      "Error: Unknown parameter: words. The parameters are query, path",
    );
    expect(await createClaudeMemoryTool(memory).invoke({ command: "search", query: "x" })).toContain(
      "Unknown command: search. The commands are view, create, str_replace, insert, delete, rename",
    );
  });

  it("answers records by their paths", async () => {
    const memory = await memoryWith({ "/project/todo": "Plant beans.", "/else": "beans" });
    const search = async (args: object) =>
      parse(String(await recordSearch(memory)?.invoke(args))) as Record<string, unknown>;
    expect(await search({ query: "bean", path: "project" })).toEqual({
      status: "ok",
      passages: [{ path: "project/todo", lines: "1", text: "Plant beans." }],
    });
    expect(await search({ query: "zebra" })).toEqual({ status: "ok", passages: [] });
    expect(await search({})).toMatchObject({ status: "error", error_code: "MEMORY_INVALID_ARGUMENT" });
    expect(await search({ query: "x", path: "/project" })).toMatchObject({ error_code: "MEMORY_PATH_INVALID" });
  });

  it("refuses a missing query and tells why", async () => {
    const tool = withSearch(await memoryWith({}));
    const answer = async (args: object) => JSON.parse(await tool.invoke(args as never)) as object;
    expect(await answer({ command: "search", path: "/" })).toMatchObject({
      ok: false,
      error: { code: "EINVAL", message: "query is required for search" },
    });
    expect(await answer({ command: "search", path: "/", query: "" })).toMatchObject({
      ok: false,
      error: { code: "EINVAL" },
    });
  });

  it("finds the same in mounts", async () => {
    const tree = mountMemories({
      "/": await memoryWith({ "/a": "lion" }),
      "/team": await memoryWith({ "/b": "zebra" }),
    });
    expect(await withSearch(tree).invoke({ command: "search", path: "/", query: "zebra" })).toContain('"/team/b"');
    expect(await createClaudeSearchTool(tree).invoke({ query: "zebra", path: "/memories/team" })).toContain(
      "/memories/team/b, line 1:\nzebra",
    );
  });
});
