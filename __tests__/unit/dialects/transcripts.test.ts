import { describe, expect } from "@jest/globals";
import { ToolMessage } from "@langchain/core/messages";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import type { ChosenDialect } from "../../../src/dialects/registry.js";
import { type Memory, openMemory } from "../../../src/index.js";
import { claudeMemoryHandlers } from "../../../src/langchain/claude/index.js";
import { DialectTool } from "../../../src/langchain/dialect-tool.js";
import { createDialect, type DialectName, dialectNames } from "../../helpers/dialects-under-test.js";
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
