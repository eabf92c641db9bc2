import type { CallToolResult, JSONObject, Tool } from "@modelcontextprotocol/server";
import type { Memory } from "../core/memory.js";
import {
  type Dialect,
  type KnownMemory,
  adaptTool,
  type AdaptedTool,
  type ToolAnswer,
  type ToolDefinition,
} from "../dialects/dialect.js";
import { type DialectName, dialects as ownDialects } from "../dialects/registry.js";

/**
 * Returns the tools of all dialects by name, with the descriptions for a memory.
 *
 * @param known default: nothing
 * @throws TypeError if two tools have the same name: a client could call only one of them
 */
export function toolsByName(
  dialects: readonly (DialectName | Dialect)[],
  known: KnownMemory = {},
): Map<string, AdaptedTool> {
  const tools = new Map<string, AdaptedTool>();
  const owners = new Map<string, string>();
  for (const given of dialects) {
    const dialect = typeof given === "string" ? ownDialects[given]() : given;
    for (const tool of dialect.tools) {
      const owner = owners.get(tool.name);
      if (owner !== undefined) {
        throw new TypeError(
          `the dialects ${owner} and ${dialect.name} both have a tool called ${tool.name}; serve them from two ` +
            "servers, or one under another name: unifiedDialect({ name })",
        );
      }
      owners.set(tool.name, dialect.name);
      tools.set(tool.name, adaptTool(tool, known));
    }
  }
  return tools;
}

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
