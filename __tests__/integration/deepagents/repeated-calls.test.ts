import { describe, expect, it } from "@jest/globals";
import { isToolMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { CompositeBackend, createDeepAgent, StateBackend } from "deepagents";
import { createMiddleware, tool } from "langchain";
import { z } from "zod";
import { DeepAgentsBackend } from "../../../src/deepagents/index.js";
import { type Memory, openMemory } from "../../../src/index.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { modelThatCalls, withRetries } from "../../helpers/repeated-runs.js";
import type { ScriptedCall } from "../../helpers/scripted-chat-model.js";
import { type OpenStore, storesUnderTest } from "../../helpers/stores-under-test.js";

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
const edit = (old_string: string, new_string: string, rest: object = {}): ScriptedCall => ({
  tool: "edit_file",
  args: { file_path, old_string, new_string, ...rest },
});

describe.each(storesUnderTest())("a task of a deep agent that runs again on %s", (_name, open: OpenStore) => {
  const freshMemory = (): Memory => openMemory(open(), freshAddress());

  it.each(["resumes", "is tried again"] as const)("edits once if it %s", async (goesOn) => {
    const memory = freshMemory();
    await memory.write("/list.md", "milk\n");
    expect(await runTwice({ memory, call: edit("milk\n", "milk\nmilk of oats\n"), goesOn })).toEqual([
      "Successfully replaced 1 occurrence(s) in '/memories/list.md'",
    ]);
    expect(await memory.read("/list.md")).toBe("milk\nmilk of oats\n");
  });

  it("gives the number of an edit of all occurrences again", async () => {
    const memory = freshMemory();
    await memory.write("/list.md", "a b a b a\n");
    expect(await runTwice({ memory, call: edit("a", "aa", { replace_all: true }) })).toEqual([
      "Successfully replaced 3 occurrence(s) in '/memories/list.md'",
    ]);
    expect(await memory.read("/list.md")).toBe("aa b aa b aa\n");
  });

  it("keeps what others have written after its own text", async () => {
    const memory = freshMemory();
    const call = { tool: "write_file", args: { file_path, content: "first" } };
    const meanwhile = (): Promise<unknown> => memory.write("/list.md", "second");
    expect(await runTwice({ memory, call, meanwhile })).toEqual(["Successfully wrote to '/memories/list.md'"]);
    expect(await memory.read("/list.md")).toBe("second");
  });

  it("deletes once", async () => {
    const memory = freshMemory();
    await memory.write("/list.md", "old");
    const call = { tool: "delete", args: { file_path } };
    const meanwhile = (): Promise<unknown> => memory.write("/list.md", "new");
    expect(await runTwice({ memory, call, meanwhile })).toEqual(["Deleted /memories/list.md"]);
    expect(await memory.read("/list.md")).toBe("new");
  });

  it("makes every change of a tool that uses the backend by itself", async () => {
    const memory = freshMemory();
    await runTwice({ memory, call: { tool: "note", args: {} } });
    expect(await memory.read("/state.md")).toBe("busy");
  });
});
