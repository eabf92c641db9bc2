import type { CallToolResult, JSONObject, Tool } from "@modelcontextprotocol/server";
import type { Memory } from "../core/memory.js";
import type { AdaptedTool, ToolAnswer, ToolDefinition } from "../dialects/dialect.js";

/** Returns the description of a tool for `tools/list`. */
export function describeTool({ name, title, description, schema, readOnly, destructive }: AdaptedTool) {
  const shownTitle = title ?? titleFromName(name);
  return {
    name,
    title: shownTitle,
    description,
    // The SDK has its own type for JSON.
    inputSchema: { ...schema, properties: schema.properties as Record<string, JSONObject> },
    annotations: {
      // Clients of the revisions before 2025-06-18 find titles only here.
      title: shownTitle,
      readOnlyHint: readOnly,
      destructiveHint: destructive,
      // A memory is a closed world: a call reaches nothing else.
      openWorldHint: false,
      ...(readOnly && { idempotentHint: true }),
    },
  } satisfies Tool;
}

/** Returns `Memory write` for `memory_write`. */
function titleFromName(name: string): string {
  const words = name.replaceAll(/[_-]+/g, " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Runs a tool. Refusals and failures are answers too, in the dialect's own form. */
export async function runTool(
  definition: ToolDefinition,
  args: unknown,
  openMemory: () => Promise<Memory>,
): Promise<CallToolResult> {
  const answer = async (): Promise<ToolAnswer> => definition.answer(args, openMemory);
  const { text, failed } = await answer().catch((error: unknown) => definition.failure(args, error));
  return { content: [{ type: "text", text }], ...(failed && { isError: true }) };
}
