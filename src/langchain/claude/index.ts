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
import { DialectTool } from "../dialect-tool.js";
import { checkMemorySource, type MemorySource } from "../memory-source.js";

export type { ClaudeMemoryOptions } from "../../dialects/claude/options.js";

/** What `betaMemoryTool` of `@anthropic-ai/sdk` takes. */
export type MemoryToolHandlers = {
  [Name in ClaudeCommandName]: (command: Extract<ClaudeMemoryCommand, { command: Name }>) => Promise<string>;
};

/**
 * Claude's memory tool over a memory, for LangChain: ChatAnthropic sends it as `memory_20250818`, every other model as
 * a tool with a flat schema. Answers in Anthropic's documented words, refusals included; it throws only to pass on an
 * interrupt or an abort.
 *
 * @param memory as of `MemoryTool`; names are created by the rule `posix`, whatever the memory's own is.
 * @throws TypeError for bad options, or what is no memory
 */
export function createClaudeMemoryTool(memory: MemorySource, options?: ClaudeMemoryOptions): StructuredTool {
  checkMemorySource(memory);
  return new DialectTool(claudeTool(parseClaudeOptions("ClaudeMemoryOptions", options)), memory);
}

/**
 * A tool `memory_search` beside the memory tool, with the arguments `query` and `path`: it answers the passages of the
 * memory that have most to do with the query, at most 10 and 8,000 characters of them, with their paths and line
 * numbers.
 *
 * @throws TypeError for bad options, or what is no memory
 */
export function createClaudeSearchTool(memory: MemorySource, options: ClaudeSearchOptions = {}): StructuredTool {
  checkMemorySource(memory);
  return new DialectTool(claudeSearchTool(parseClaudeOptions("ClaudeSearchOptions", options)), memory);
}

/**
 * The handlers for `betaMemoryTool` of `@anthropic-ai/sdk`. A refusal is thrown as a MemoryError. Its message is the
 * documented text without `Error: `, because the SDK's runner adds that and `is_error`.
 *
 * @throws TypeError for bad options, or what is no memory
 */
export function claudeMemoryHandlers(memory: Memory, options?: ClaudeMemoryOptions): MemoryToolHandlers {
  if (typeof memory?.with !== "function") {
    throw new TypeError("claudeMemoryHandlers: memory must be a Memory (openMemory, store.memory)");
  }
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
  // The SDK looks a command up by the name that the model gave: "toString" must find nothing.
  Object.setPrototypeOf(handlers, null);
  return handlers;
}
