import type { CallToolResult, JSONObject, Tool } from "@modelcontextprotocol/server";
import type { Memory } from "../core/memory.js";
import type { ToolAnswer, ToolDefinition } from "../dialects/dialect.js";

/** What `tools/list` says of a tool. */
export function describeTool({ name, title, description, schema, readOnly, destructive }: ToolDefinition): Tool {
  const shownTitle = title ?? titleOf(name);
  return {
    name,
    title: shownTitle,
    description,
    inputSchema: { ...schema, properties: schema.properties as Record<string, JSONObject> },
    annotations: {
      // Clients of before 2025-06-18 know titles from here alone.
      title: shownTitle,
      readOnlyHint: readOnly,
      destructiveHint: destructive,
      // A memory is a closed world: a call reaches nothing else.
      openWorldHint: false,
      ...(readOnly && { idempotentHint: true }),
    },
  };
}

/** `Memory write` of `memory_write`. */
function titleOf(name: string): string {
  const words = name.replaceAll(/[_-]+/g, " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Runs a tool; refusals and failures are answers too, in the dialect's own form. */
export async function runTool(definition: ToolDefinition, args: unknown, openMemory: () => Memory): Promise<CallToolResult> {
  const { text, failed } = await answerOf(definition, args, openMemory);
  return { content: [{ type: "text", text }], ...(failed && { isError: true }) };
}

async function answerOf(definition: ToolDefinition, args: unknown, openMemory: () => Memory): Promise<ToolAnswer> {
  try {
    return await definition.answer(args, openMemory);
  } catch (error) {
    return definition.failure(args, error);
  }
}
