import type { StructuredTool } from "@langchain/core/tools";
import type { Memory } from "../../core/memory.js";
import type { ClaudeCommandName, ClaudeMemoryCommand } from "../../dialects/claude/commands.js";
import { claudeTool, runClaudeCommand } from "../../dialects/claude/claude-dialect.js";
import {
  type ClaudeMemoryOptions,
  type ClaudeSearchOptions,
  parseClaudeOptions,
} from "../../dialects/claude/options.js";
import { claudeSearchTool } from "../../dialects/claude/search-tool.js";
import { assertMemory } from "../../core/mounts/mounts.js";
import { DialectTool } from "../dialect-tool.js";
import { checkMemorySource, type MemorySource } from "../memory-source.js";

export type { ClaudeMemoryOptions } from "../../dialects/claude/options.js";

/** The handlers that `betaMemoryTool` of `@anthropic-ai/sdk` expects. */
export type MemoryToolHandlers = {
  [Name in ClaudeCommandName]: (command: Extract<ClaudeMemoryCommand, { command: Name }>) => Promise<string>;
};

/**
 * Creates Claude's memory tool over a memory, for LangChain. ChatAnthropic sends the tool as `memory_20250818`; for
 * every other model it has a flat schema. The tool answers and refuses in Anthropic's documented words. It throws only
 * an interrupt or an abort.
 *
 * @param memory as in `MemoryTool`. New names follow `paths: "posix"`, even if the memory has other `paths`.
 * @throws TypeError for bad options, or if `memory` is not a memory
 */
export function createClaudeMemoryTool(memory: MemorySource, options?: ClaudeMemoryOptions): StructuredTool {
  checkMemorySource(memory);
  return new DialectTool(claudeTool(parseClaudeOptions("ClaudeMemoryOptions", options)), memory);
}

/**
 * Creates a tool `memory_search` next to the memory tool, with the arguments `query` and `path`. The tool answers the
 * passages of the memory that fit the query best, at most 10 and 8,000 characters in total, with paths and line
 * numbers.
 *
 * @throws TypeError for bad options, or if `memory` is not a memory
 */
export function createClaudeSearchTool(memory: MemorySource, options: ClaudeSearchOptions = {}): StructuredTool {
  checkMemorySource(memory);
  return new DialectTool(claudeSearchTool(parseClaudeOptions("ClaudeSearchOptions", options)), memory);
}

/**
 * Creates the handlers for `betaMemoryTool` of `@anthropic-ai/sdk`. A refusal is thrown as a MemoryError. Its message
 * is the documented text without `Error: `, because the SDK's runner adds this prefix and `is_error`.
 *
 * @throws TypeError for bad options, or if `memory` is not a memory
 */
export function claudeMemoryHandlers(memory: Memory, options?: ClaudeMemoryOptions): MemoryToolHandlers {
  assertMemory(memory, "claudeMemoryHandlers: memory");
  const checkedOptions = parseClaudeOptions("ClaudeMemoryOptions", options);
  const run = (name: ClaudeCommandName) => (command: ClaudeMemoryCommand) =>
    runClaudeCommand(name, command, async () => memory, checkedOptions);
  const handlers: MemoryToolHandlers = {
    view: run("view"),
    create: run("create"),
    str_replace: run("str_replace"),
    insert: run("insert"),
    delete: run("delete"),
    rename: run("rename"),
  };
  // The SDK looks a command up by the model's name for it, so "toString" must not be found.
  Object.setPrototypeOf(handlers, null);
  return handlers;
}
