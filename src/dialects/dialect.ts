import { MemoryError } from "../core/values/errors.js";
import type { Memory, MemoryRights } from "../core/memory.js";
import type { PathRule } from "../core/values/paths.js";

/** The answer of a tool. */
export interface ToolAnswer {
  text: string;
  failed: boolean;
}

/**
 * Flat JSON Schema of a tool's arguments. ChatAnthropic drops a `oneOf` at the top level. Every argument is required:
 * one that a call may leave out also takes null.
 */
export interface FlatSchema {
  type: "object";
  properties: Record<string, object>;
  required: string[];
  additionalProperties: false;
}

/**
 * One tool of a dialect, as data: what the model reads about the tool, and how the tool answers. `DialectTool` makes a
 * LangChain tool from it. Other protocols can serve the same definition.
 */
export interface ToolDefinition {
  name: string;
  /**
   * The description for the model. A function if it depends on the memory's name rule. The function gets undefined
   * if only a run decides the memory.
   */
  description: string | ((paths: PathRule | undefined) => string);
  /** A title for people, in user interfaces. */
  title?: string | undefined;
  schema: FlatSchema;
  /** Whether the tool never changes a memory. */
  readOnly: boolean;
  /** Whether the tool may delete or replace something. */
  destructive: boolean;
  /**
   * The model's name for the root of the memory, if the tool takes or shows paths: `/`, another absolute path such as
   * `/memories`, or "" if paths are relative. A connector then shows paths in this form. @default none
   */
  shownRoot?: string;
  /**
   * Returns the tool for a memory that allows at most these rights on any path. Omit it if the tool always offers the
   * same commands.
   */
  narrowedTo?: (widest: MemoryRights["widest"]) => ToolDefinition;
  /** LangChain's `extras`, for a provider that knows the tool itself. */
  extras?: Record<string, unknown>;
  /**
   * Checks `args`, which may be anything, runs the call, and answers its outcome or refusal. Throws only errors that
   * are not a MemoryError, from `openMemory` or the memory.
   */
  answer: (args: unknown, openMemory: () => Promise<Memory>) => Promise<ToolAnswer>;
  /** Answers an error that `answer` threw, in the dialect's format. */
  failure: (args: unknown, cause: unknown) => ToolAnswer;
}

/** Facts about the memory that a tool knows without a run. */
export interface KnownMemory {
  /** The name rule of the memory. */
  readonly paths?: PathRule | undefined;
  /** The changes that access rules and mounts allow. */
  readonly rights?: MemoryRights | undefined;
}

/** A tool as models see it. */
export type AdaptedTool = ToolDefinition & { description: string };

/** Adapts a tool to a memory: the tool offers only commands that may succeed somewhere, and says where. */
export function adaptTool(definition: ToolDefinition, { paths, rights }: KnownMemory): AdaptedTool {
  const tool = rights === undefined ? definition : (definition.narrowedTo?.(rights.widest) ?? definition);
  const description = typeof tool.description === "function" ? tool.description(paths) : tool.description;
  if (rights === undefined) return { ...tool, description };
  const words = rights.words(tool.shownRoot);
  return {
    ...tool,
    description: words === "" ? description : `${description}\n${words}`,
    readOnly: tool.readOnly || rights.widest === "read",
    destructive: tool.destructive && rights.widest === "write",
  };
}

/** Returns the proposal that a change became, or null for any other error. A dialect may have wrapped the error. */
export function findProposal(error: unknown): string | null {
  for (let cause = error; MemoryError.isInstance(cause); cause = cause.cause)
    if (cause.proposal !== undefined) return cause.proposal;
  return null;
}

/** A set of tools through which models use a memory. */
export interface Dialect {
  name: string;
  tools: ToolDefinition[];
}
