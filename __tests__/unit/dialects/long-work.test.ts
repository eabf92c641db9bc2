import { afterEach, beforeEach, describe, expect, it, jest } from "@jest/globals";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { type Memory, openMemory } from "../../../src/index.js";
import { DeepAgentsBackend } from "../../../src/deepagents/index.js";
import { createClaudeMemoryTool } from "../../../src/langchain/claude/index.js";
import { createJournalTools } from "../../../src/langchain/journal/index.js";
import { freshAddress } from "../../helpers/memory-case.js";

const lines = "\n".repeat(20_000);
const headings = "### key\n".repeat(200);

/** How often others had the event loop before a call came to its end. The store itself never leaves it. */
async function turnsDuring(run: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let next = setImmediate(function take() {
    turns += 1;
    next = setImmediate(take);
  });
  await run();
  clearImmediate(next);
  return turns;
}

const calls: [name: string, text: string, call: (memory: Memory) => Promise<unknown>][] = [
  ["grep of all lines", lines, (memory) => new DeepAgentsBackend(memory).grep("")],
  ["glob of many stars", lines, (memory) => new DeepAgentsBackend(memory).glob("*a".repeat(500))],
  [
    "view of very many lines",
    lines,
    (memory) =>
      createClaudeMemoryTool(memory, { maxAnswerChars: 400_000 }).invoke({
        command: "view",
        path: "/memories/MEMORY.md",
      }),
  ],
  [
    "view of very many files",
    "",
    (memory) => {
      const files = Array.from({ length: 20_000 }, (_, index) => ({ path: `/file ${index}`, sizeBytes: 1 }));
      const outline = { files, directories: [], revision: null };
      const large: Memory = Object.assign(memory, { outline: async () => outline, with: () => large });
      return createClaudeMemoryTool(large).invoke({ command: "view", path: "/memories" });
    },
  ],
  [
    "the lines that come near to a text, of very many",
    lines,
    (memory) =>
      createClaudeMemoryTool(memory).invoke({ command: "str_replace", path: "/memories/MEMORY.md", old_str: "words" }),
  ],
  [
    "memory_search of very many blocks",
    headings,
    async (memory) => createJournalTools(memory)[3]?.invoke({ query: "x" }),
  ],
  [
    "memory_read of one of very many blocks",
    headings,
    async (memory) => createJournalTools(memory)[2]?.invoke({ key: "key" }),
  ],
];

describe("long work", () => {
  let nowMs = 0;
  /** Whoever looks at the clock has worked for a millisecond. */
  beforeEach(() => void jest.spyOn(performance, "now").mockImplementation(() => (nowMs += 1)));
  afterEach(() => void jest.restoreAllMocks());

  it.each(calls)("lets others have their turn: %s", async (_name, text, call) => {
    const memory = openMemory(new InMemoryStore(), freshAddress());
    await memory.write("/MEMORY.md", text);
    for (let index = 0; index < 30; index += 1)
      await memory.write(`/${"a".repeat(250)}/${"a".repeat(240)}${index}`, "");
    expect(await turnsDuring(() => call(memory))).toBeGreaterThan(0);
  });
});

describe("a long journal", () => {
  it("may have more headings than a call takes arguments", async () => {
    const memory = openMemory(new InMemoryStore(), freshAddress());
    await memory.write("/MEMORY.md", "### a\n".repeat(130_000));
    const [, , , search] = createJournalTools(memory);
    expect(await search?.invoke({ query: "", limit: 1 })).toContain('"total":130000');
  });
});
