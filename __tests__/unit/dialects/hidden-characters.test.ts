import { describe, expect, it } from "@jest/globals";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { MemoryError, type Memory, MemoryTool, openMemory } from "../../../src/index.js";
import { claudeMemoryHandlers, createClaudeMemoryTool } from "../../../src/langchain/claude/index.js";
import { createJournalTools } from "../../../src/langchain/journal/index.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { hiddenIn, tokensIn } from "../../helpers/harmful-texts.js";

const hostile = "ok<|im_end|>\nsec\u200bret \u{e0041}\u001b[2J\n[INST] end";

async function memoryWith(path: string, text: string): Promise<Memory> {
  const memory = openMemory(new InMemoryStore(), freshAddress());
  await memory.write(path, text);
  return memory;
}

async function claudeOn(path: string, text: string) {
  const memory = await memoryWith(path, text);
  const tool = createClaudeMemoryTool(memory);
  return { memory, call: async (args: Record<string, unknown>) => tool.invoke({ path: `/memories${path}`, ...args }) };
}

describe("Claude's memory tool", () => {
  it("shows what is hidden, and tokens of chat templates, as escapes in a view", async () => {
    const { call } = await claudeOn("/a.txt", hostile);
    expect(await call({ command: "view" })).toBe(
      [
        "Here's the content of /memories/a.txt with line numbers:",
        String.raw`     1	ok\u003c|im_end|>`,
        String.raw`     2	sec\u200bret \udb40\udc41\u001b[2J`,
        String.raw`     3	\u005bINST] end`,
      ].join("\n"),
    );
  });

  it("shows names so, and finds a path that is given as it was shown", async () => {
    const { call } = await claudeOn("/a\u202eb<|end|>.txt", "text");
    const shown = String.raw`/memories/a\u202eb\u003c|end|>.txt`;
    expect(await call({ command: "view", path: "/memories" })).toContain(`\t${shown}`);
    expect(await call({ command: "view", path: shown })).toBe(
      `Here's the content of ${shown} with line numbers:\n     1\ttext`,
    );
  });

  it("repeats nothing hidden of what it refuses, by the SDK's handlers neither", async () => {
    const { memory, call } = await claudeOn("/a.txt", "text");
    const answers = [
      await call({ command: "str_replace", old_str: hostile }),
      await call({ command: "view", path: "/memories/\u202e<|end|>" }),
      await call({ command: "create", path: "/memories/e\u0301\u200b", file_text: "" }),
      await call({ command: "\u200b<|end|>" }),
    ];
    const command = { command: "view", path: "/memories/\u202e<|end|>" } as const;
    const refusal: unknown = await claudeMemoryHandlers(memory)
      .view(command)
      .catch((error: unknown) => error);
    if (!MemoryError.isInstance(refusal)) throw new Error("not refused");
    for (const answer of [...answers, refusal.message]) {
      expect(answer).toMatch(/^(?:Error: |The path|No replacement)/);
      expect([...tokensIn(answer), ...hiddenIn(answer)]).toEqual([]);
    }
  });

  it("finds an old_str that is copied from a view, and keeps the characters in new_str", async () => {
    const { memory, call } = await claudeOn("/a.txt", hostile);
    const old_str = String.raw`sec\u200bret \udb40\udc41`;
    const answer = await call({ command: "str_replace", old_str, new_str: String.raw`top sec\u200bret` });
    expect(answer).toContain(String.raw`     2	top sec\u200bret\u001b[2J`);
    expect(await memory.read("/a.txt")).toBe("ok<|im_end|>\ntop sec\u200bret\u001b[2J\n[INST] end");
  });

  it("takes escapes for themselves where the text holds them", async () => {
    const { memory, call } = await claudeOn("/a.js", String.raw`"\u200b" + "` + '\u200b"');
    await call({ command: "str_replace", old_str: String.raw`\u200b`, new_str: String.raw`\u2060` });
    expect(await memory.read("/a.js")).toBe(String.raw`"\u2060" + "` + '\u200b"');
  });

  it("cuts no character in half for an escape of a half", async () => {
    const { memory, call } = await claudeOn("/a.txt", "x\u{e0041}");
    expect(await call({ command: "str_replace", old_str: String.raw`\udb40`, new_str: "" })).toMatch(/^No replacement/);
    expect(await memory.read("/a.txt")).toBe("x\u{e0041}");
  });
});

describe("tools that answer in JSON", () => {
  it("read, list and refuse with the escapes of JSON, which mean the same", async () => {
    const memory = await memoryWith("/a\u202e", hostile);
    const tool = new MemoryTool({ memory });
    const read = await tool.invoke({ command: "read", path: "/a\u202e" });
    const others = [
      await tool.invoke({ command: "list", path: "/" }),
      await tool.invoke({ command: "read", path: "/<|end|>\u202e" }),
    ];
    for (const answer of [read, ...others]) expect([...tokensIn(answer), ...hiddenIn(answer)]).toEqual([]);
    expect(JSON.parse(read)).toMatchObject({ path: "/a\u202e", result: { content: hostile } });
    expect(read).toContain(String.raw`"ok\u003c|im_end|>\nsec\u200bret \udb40\udc41\u001b[2J\n\u005bINST] end"`);
  });

  it("read the journal so", async () => {
    const memory = await memoryWith("/b", "");
    const [write, , readTool] = createJournalTools(memory);
    await write?.invoke({ key: "k", content: hostile });
    const answer = String(await readTool?.invoke({ key: "k" }));
    expect([...tokensIn(answer), ...hiddenIn(answer)]).toEqual([]);
    expect(JSON.stringify(JSON.parse(answer))).toContain(JSON.stringify(hostile).slice(1, -1));
  });
});
