import type { Memory } from "../core/memory.js";
import type { PathRule } from "../core/paths.js";

/** The answer of a tool. */
export interface ToolAnswer {
  text: string;
  failed: boolean;
}

/** Flat JSON Schema of a tool's arguments. ChatAnthropic drops a `oneOf` at the top level. */
export interface FlatSchema {
  type: "object";
  properties: Record<string, object>;
  required: string[];
  additionalProperties: false;
}

/**
 * One tool of a dialect, as data: what the model reads about it, and how it answers. `DialectTool` makes a LangChain tool from
 * it. Other protocols can serve the same definition.
 */
export interface ToolDefinition {
  name: string;
  /** What the model reads. A function if it depends on the memory's rule of names, which is undefined if only a run decides it. */
  description: string | ((paths: PathRule | undefined) => string);
  /** A title for people, in user interfaces. */
  title?: string | undefined;
  schema: FlatSchema;
  /** Whether the tool never changes a memory. */
  readOnly: boolean;
  /** Whether the tool may delete or replace something. */
  destructive: boolean;
  /** LangChain's `extras`, for a provider that knows the tool itself. */
  extras?: Record<string, unknown>;
  /**
   * Checks `args`, which may be anything, runs the call, and answers with its outcome or refusal. Throws only errors of
   * `openMemory` and its memory that are not a MemoryError.
   */
  answer: (args: unknown, openMemory: () => Promise<Memory>) => Promise<ToolAnswer>;
  /** Answers what `answer` has thrown, in the dialect's own form. */
  failure: (args: unknown, cause: unknown) => ToolAnswer;
}

/** @param paths which names the memory lets create; undefined if only a run decides */
export function descriptionFor({ description }: ToolDefinition, paths: PathRule | undefined): string {
  return typeof description === "function" ? description(paths) : description;
}

/** A set of tools with which models use a memory. */
export interface Dialect {
  name: string;
  tools: ToolDefinition[];
}
