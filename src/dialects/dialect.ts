import type { Memory } from "../core/memory.js";
import type { PathRule } from "../core/paths.js";

/** What a tool tells the model. */
export interface ToolAnswer {
  text: string;
  failed: boolean;
}

/** Flat JSON Schema of a tool's arguments; a top-level `oneOf` would be dropped by ChatAnthropic. */
export interface FlatSchema {
  type: "object";
  properties: Record<string, object>;
  required: string[];
  additionalProperties: false;
}

/**
 * One tool of a dialect, as data: what the model is told of it, and what it answers. `DialectTool` makes a
 * LangChain tool of it; other protocols can be served from the same definition.
 */
export interface ToolDefinition {
  name: string;
  /** What the model is told; as a function where that depends on the names that the memory lets create. */
  description: string | ((paths: PathRule | undefined) => string);
  /** For people, in user interfaces. */
  title?: string | undefined;
  schema: FlatSchema;
  /** Never changes a memory. */
  readOnly: boolean;
  /** May take away what was there. */
  destructive: boolean;
  /** Told to a provider that knows the tool natively, in LangChain's `extras`. */
  extras?: Record<string, unknown>;
  /**
   * Checks `args`, which may be anything, runs them and renders the outcome, refusals included.
   * Passes on what `openMemory` and its memory throw, unless it is a MemoryError.
   */
  answer: (args: unknown, openMemory: () => Memory) => Promise<ToolAnswer>;
  /** The answer to what `answer` has thrown, in the dialect's own form. */
  failure: (args: unknown, cause: unknown) => ToolAnswer;
}

/** @param paths those of the memory, undefined where only a run decides */
export function descriptionFor({ description }: ToolDefinition, paths: PathRule | undefined): string {
  return typeof description === "function" ? description(paths) : description;
}

/** A way in which models speak of memory: one tool or several over the same memory. */
export interface Dialect {
  name: string;
  tools: ToolDefinition[];
}
