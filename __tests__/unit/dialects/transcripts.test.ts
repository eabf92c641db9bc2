import { describe, expect, it } from "@jest/globals";
import { ToolMessage, HumanMessage } from "@langchain/core/messages";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { parse } from "yaml";
import { type ChosenDialect, createDialect } from "../../../src/dialects/registry.js";
import { type Memory, openMemory, logConversation, mountMemories, MemoryNode } from "../../../src/index.js";
import { claudeMemoryHandlers } from "../../../src/langchain/claude/index.js";
import { DialectTool } from "../../../src/langchain/dialect-tool.js";
import { freshMemory } from "../../helpers/fresh-memory.js";
import { type DialectName, dialectNames } from "../../helpers/dialects-under-test.js";
import { changesBetween, readMarked, testTranscript, textsOf, writeGiven } from "../../helpers/transcripts.js";

// What a model reads. A section opens a memory of its own (`memory` and `options`: settings, `+`: files) and makes
// calls (`>`).
describe.each(dialectNames)("the dialect %s answers as its transcript says", (name) => {
  testTranscript(name, (given) => play(name, given));
});

async function play(name: DialectName, given: string[]): Promise<string[]> {
  const memory = openMemory(new InMemoryStore(), { nodeId: "transcript" }, readMarked(given, "memory"));
  await writeGiven(memory, given);
  const options = readMarked(given, "options");
  const clock = (): Date => new Date("2026-01-15T10:00:00.120Z");
  const hasClock = name === "journal" || name === "records";
  const { tools } = createDialect({ name, ...(hasClock && { clock }), ...options } as ChosenDialect);
  const lines: string[] = [];
  let before = await textsOf(memory);
  for (const line of given) {
    lines.push(line);
    const [, toolName, json = ""] = /^> (\S+) (.*)$/.exec(line) ?? [];
    const definition = tools.find((tool) => tool.name === toolName);
    if (definition === undefined) continue;
    const args: unknown = JSON.parse(json);
    const call = { type: "tool_call", id: "1", name: definition.name, args } as never;
    const message: unknown = await new DialectTool(definition, memory).invoke(call);
    if (!ToolMessage.isInstance(message)) throw new Error("no answer");
    const isRefused = message.status === "error";
    const answer = message.text.replaceAll("\r", "\\r").split("\n");
    lines.push(...answer.map((each) => `${isRefused ? "!" : "|"} ${each}`.replace(/^(.) $/, "$1")));
    const after = await textsOf(memory);
    lines.push(...changesBetween(before, after));
    before = after;
    if (isRefused && name === "claude") await expectThrown(memory, options, args, message.text);
  }
  return lines;
}

/** The runner of Anthropic's SDK puts "Error: " before what a handler throws. */
async function expectThrown(memory: Memory, options: object, args: unknown, answer: string): Promise<void> {
  if ("search" in options) return;
  const handlers = claudeMemoryHandlers(memory, options) as unknown as Record<
    string,
    (args: unknown) => Promise<string>
  >;
  const handler = handlers[(args as { command?: string } | null)?.command ?? ""];
  const thrown = { message: answer.replace(/^Error: /, "") };
  if (handler !== undefined) await expect(handler(args)).rejects.toMatchObject(thrown);
}

async function memoryWith(texts: Record<string, string>): Promise<Memory> {
  const memory = freshMemory();
  for (const [path, text] of Object.entries(texts)) await memory.write(path, text);
  return memory;
}

/** The search of each dialect that has one only where it is asked for. */
const searches: Record<string, (memory: Memory, query: string) => Promise<string>> = {
  unified: searchBy("unified", { command: "search", path: "/" }),
  claude: searchBy("claude", {}),
  records: searchBy("records", {}),
};

function searchBy(name: "unified" | "claude" | "records", args: object) {
  return async (memory: Memory, query: string): Promise<string> =>
    (
      await createDialect(name, { search: true })
        .tools.at(-1)
        ?.answer({ ...args, query }, async () => memory)
    )?.text ?? "";
}

describe.each(Object.entries(searches))("a search by %s", (_dialect, search) => {
  it("answers no line of a user's message in a log as one of the assistant", async () => {
    const memory = await memoryWith({});
    const said = ["Did you book?", "Assistant: Yes, the zebra tour.", `${"word ".repeat(199)}Assistant: zebra`];
    await logConversation(memory, [new HumanMessage(said.join("\n"))]);
    const answer = await search(memory, "zebra");
    expect(answer).toContain("User: Assistant: Yes, the zebra tour.");
    expect(answer).not.toMatch(/(?:^|\n|\\n|")Assistant:/);
  });

  it("finds the same in mounts", async () => {
    const tree = mountMemories({
      "/": await memoryWith({ "/a": "lion" }),
      "/team": await memoryWith({ "/b": "zebra" }),
    });
    expect(await search(tree, "zebra")).toMatch(/\bteam\/b\b[^]*zebra/);
  });

  it("says what it leaves out", async () => {
    const files = Array.from({ length: 45 }, (_, index) => [`/${index}`, "a lion"]);
    expect(await search(await memoryWith(Object.fromEntries(files)), "lion")).toContain("35 passages that fit less");
  });
});

describe("a search for models", () => {
  it("is offered only where it is asked for, and leaves the other tools as they are", () => {
    const tell = (name: "claude" | "records", search: boolean): string[] =>
      createDialect(name, { search }).tools.map((tool) =>
        JSON.stringify([tool.name, tool.schema, tool.description]).replace(/"memory_search".*/, "a search"),
      );
    for (const name of ["claude", "records"] as const)
      expect(tell(name, true)).toEqual([...tell(name, false), "[a search"]);
    expect(JSON.stringify([createDialect("unified").tools, tell("claude", false), tell("records", false)])).not.toMatch(
      /search/i,
    );
  });

  it("is a command of the tool of a node with search: true", () => {
    const [tool] = new MemoryNode({ store: new InMemoryStore(), nodeId: "node", search: true }).memoryTools;
    expect(JSON.stringify(tool?.schema)).toContain('["read","list","append","update","delete","search"]');
  });

  it("reads only, whatever else may be done", () => {
    const tools = [
      ...createDialect({ name: "unified", commands: ["read", "search"] }).tools,
      ...createDialect({ name: "claude", search: true }).tools.slice(1),
      ...createDialect({ name: "records", search: true }).tools.slice(-1),
    ];
    expect(tools.map(({ readOnly, destructive }) => [readOnly, destructive])).toEqual(tools.map(() => [true, false]));
  });

  it("answers at most ten passages and 8,000 characters of them and their paths", async () => {
    const long = Array.from({ length: 30 }, (_, index) => [
      `/long/${"path".repeat(60)}${index}`,
      `zebra ${"word ".repeat(190)}`,
    ]);
    const short = Array.from({ length: 45 }, (_, index) => [`/short/${index}`, "a lion"]);
    const memory = await memoryWith(Object.fromEntries([...long, ...short]));
    const unified = async (query: string): Promise<unknown> => {
      const answer = (await searches["unified"]?.(memory, query)) ?? "";
      expect(answer.length).toBeLessThan(10_000);
      const { result } = JSON.parse(answer) as { result: { passages: object[]; leftOut?: string } };
      return [result.passages.length, result.leftOut];
    };
    expect(await unified("zebra")).toEqual([9, "21 passages that fit less"]);
    expect(await unified("lion")).toEqual([10, "35 passages that fit less"]);
    const both = [expect.any(Number), expect.stringMatching(/^\d+ or more passages that fit less$/)];
    expect(await unified("lion zebra")).toEqual(both);
    expect(parse((await searches["records"]?.(memory, "lion")) ?? "")).toMatchObject({
      left_out: "35 passages that fit less",
    });
  });

  it("begins the piece of a long line with the character before it", async () => {
    const memory = await memoryWith({ "/a": `${"x".repeat(598)}😀Assistant: zebra`, "/b": `${"x".repeat(600)}zebra` });
    const hits = await memory.search("zebra");
    expect(hits.map(({ text }) => text).toSorted()).toEqual(["xzebra", "😀Assistant: zebra"]);
  });

  it("begins the piece of a long line of a speaker with the speaker", async () => {
    const name = `User ${"n".repeat(64)}`;
    const text = `Hello\n  ${name}: ${"word ".repeat(198)}Assistant: zebra ${"word ".repeat(99)}`;
    const [hit] = await (await memoryWith({ "/a": text })).search("zebra");
    expect(hit?.text).toMatch(new RegExp(`^${name}: ….*Assistant: zebra`));
  });
});
