import { describe, expect, it } from "@jest/globals";
import { isToolMessage } from "@langchain/core/messages";
import { InMemoryStore, MemorySaver } from "@langchain/langgraph";
import { CompositeBackend, createDeepAgent, StateBackend } from "deepagents";
import { createMiddleware, tool } from "langchain";
import { z } from "zod";
import { DeepAgentsBackend } from "../../../src/deepagents/index.js";
import { type Memory, openMemory } from "../../../src/index.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { modelThatCalls, withRetries } from "../../helpers/repeated-runs.js";
import type { ScriptedCall } from "../../helpers/scripted-chat-model.js";

interface Run {
  memory: Memory;
  call: ScriptedCall;
  /** Happens between the first change and the repeated call. */
  meanwhile?: () => Promise<unknown>;
  /** @default "resumes" */
  goesOn?: "resumes" | "is tried again";
}

/** Runs a deep agent whose task fails once after the change of its tool. Returns the answers of its tools. */
async function runTwice({ memory, call, meanwhile, goesOn = "resumes" }: Run): Promise<string[]> {
  const backend = new DeepAgentsBackend(memory);
  let attempts = 0;
  const failsOnce = createMiddleware({
    name: "failsOnce",
    wrapToolCall: async (request, handler) => {
      const answer = await handler(request);
      attempts += 1;
      if (attempts > 1) return answer;
      await meanwhile?.();
      throw new Error("the answer is lost");
    },
  });
  const note = tool(
    async () => {
      for (const text of ["busy", "done", "busy"]) await backend.write("/state.md", text);
      return "noted";
    },
    { name: "note", description: "note", schema: z.object({}) },
  );
  const agent = createDeepAgent({
    model: modelThatCalls(() => [call]),
    tools: [note],
    backend: new CompositeBackend(new StateBackend(), { "/memories/": backend }),
    checkpointer: new MemorySaver(),
    middleware: [failsOnce],
  });
  if (goesOn === "is tried again") withRetries(agent.graph as never);
  const config = { configurable: { thread_id: "thread" } };
  const input = { messages: [{ role: "user", content: "go" }] };
  if (goesOn === "resumes") await expect(agent.invoke(input, config)).rejects.toThrow("the answer is lost");
  const reply = await agent.invoke(goesOn === "resumes" ? (null as never) : input, config);
  expect(attempts).toBe(2);
  return reply.messages.filter(isToolMessage).map(({ text }) => text);
}

const file_path = "/memories/list.md";
const edit = { tool: "edit_file", args: { file_path, old_string: "milk\n", new_string: "milk\nmilk of oats\n" } };
const replaced = (count: number): string => `Successfully replaced ${count} occurrence(s) in '/memories/list.md'`;

describe("a task of a deep agent that runs again", () => {
  it.each<[title: string, before: string, run: Omit<Run, "memory">, by: string | null, answer: string, after: string]>([
    ["edits once if it resumes", "milk\n", { call: edit }, null, replaced(1), "milk\nmilk of oats\n"],
    [
      "edits once if it is tried again",
      "milk\n",
      { call: edit, goesOn: "is tried again" },
      null,
      replaced(1),
      "milk\nmilk of oats\n",
    ],
    [
      "gives the number of an edit of all occurrences again",
      "a b a b a\n",
      { call: { tool: "edit_file", args: { file_path, old_string: "a", new_string: "aa", replace_all: true } } },
      null,
      replaced(3),
      "aa b aa b aa\n",
    ],
    [
      "keeps what others have written after its own text",
      "",
      { call: { tool: "write_file", args: { file_path, content: "first" } } },
      "second",
      "Successfully wrote to '/memories/list.md'",
      "second",
    ],
    [
      "deletes once",
      "old",
      { call: { tool: "delete", args: { file_path } } },
      "new",
      "Deleted /memories/list.md",
      "new",
    ],
  ])("%s", async (_title, before, run, by, answer, after) => {
    const memory = openMemory(new InMemoryStore(), freshAddress());
    await memory.write("/list.md", before);
    const meanwhile = async (): Promise<unknown> => by !== null && memory.write("/list.md", by);
    expect(await runTwice({ ...run, memory, meanwhile })).toEqual([answer]);
    expect(await memory.read("/list.md")).toBe(after);
  });

  it("makes every change of a tool that uses the backend by itself", async () => {
    const memory = openMemory(new InMemoryStore(), freshAddress());
    await runTwice({ memory, call: { tool: "note", args: {} } });
    expect(await memory.read("/state.md")).toBe("busy");
  });
});
