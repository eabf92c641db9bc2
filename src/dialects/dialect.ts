import { MemoryError } from "../core/values/errors.js";
import type { Memory, MemoryRights } from "../core/memory.js";
import type { PathRule } from "../core/values/paths.js";

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
 * One tool of a dialect, as data: what the model reads about it, and how it answers. `DialectTool` makes a LangChain
 * tool from it. Other protocols can serve the same definition.
 */
export interface ToolDefinition {
  name: string;
  /**
   * What the model reads. A function if it depends on the memory's rule for names. It gets undefined if only a run
   * decides the memory.
   */
  description: string | ((paths: PathRule | undefined) => string);
  /** A title for people, in user interfaces. */
  title?: string | undefined;
  schema: FlatSchema;
  /** Whether the tool never changes a memory. */
  readOnly: boolean;
  /** Whether the tool may delete or replace something. */
  destructive: boolean;
  /** What a model reads before each path of the memory, such as `/memories`. @default "" */
  shownRoot?: string;
  /**
   * The same tool for a memory that allows no more than this on any path. Leave it out if the tool offers no choice of
   * commands.
   */
  narrowedTo?: (widest: MemoryRights["widest"]) => ToolDefinition;
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

/** What a tool knows about its memory without a run. */
export interface KnownMemory {
  /** Which names it lets create. */
  readonly paths?: PathRule | undefined;
  /** Which changes rules and mounts allow. */
  readonly rights?: MemoryRights | undefined;
}

/** A tool as it is told to models. */
export type AdaptedTool = ToolDefinition & { description: string };

/** The tool for a memory: it offers only what may succeed somewhere, and says where. */
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

/** The proposal that a change has become; null for any other error. Dialects put their own error around it. */
export function findProposal(error: unknown): string | null {
  for (let cause = error; MemoryError.isInstance(cause); cause = cause.cause)
    if (cause.proposal !== undefined) return cause.proposal;
  return null;
}

/** A set of tools with which models use a memory. */
export interface Dialect {
  name: string;
  tools: ToolDefinition[];
}
