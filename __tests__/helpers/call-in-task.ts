import { randomUUID } from "node:crypto";
import { ToolMessage } from "@langchain/core/messages";
import type { StructuredTool } from "@langchain/core/tools";

/** The call of a tool, as a model makes it. */
export interface ToolCallInTask {
  name: string;
  args: Record<string, unknown>;
  /** @default "1", as some scripted models number each call */
  id?: string;
}

/** A task of a graph. Each attempt at it repeats its calls. */
export class Task {
  readonly #namespace = `tools:${randomUUID()}`;

  /** Returns the config that LangGraph gives to the tools of one attempt. */
  attempt(signal?: AbortSignal): object {
    const scratchpad = { interruptCounter: -1, resume: [] };
    const configurable = { thread_id: "t", checkpoint_ns: this.#namespace, __pregel_scratchpad: scratchpad };
    return { configurable, ...(signal && { signal }) };
  }
}

/** Calls a tool in an attempt at a task. */
export async function callTool(
  tools: readonly StructuredTool[],
  { name, args, id = "1" }: ToolCallInTask,
  attempt: object,
): Promise<string> {
  const tool = tools.find((each) => each.name === name);
  const message: unknown = await tool?.invoke({ type: "tool_call", id, name, args }, attempt);
  if (!ToolMessage.isInstance(message)) throw new Error(`no answer of ${name}`);
  return message.text;
}
