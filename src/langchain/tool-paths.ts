import { isMemoryProvider, type MemorySource } from "./memory-source.js";

/** The key of a tool's paths. Reason for a symbol: the other build of this package has its own classes. */
export const toolPaths: unique symbol = Symbol.for("langgraph-mongo-memory.toolPaths");

/** The form in which a tool takes the paths of its memory. */
export interface ToolPaths {
  /** The `shownRoot` of a `ToolDefinition`. */
  root: string | undefined;
  source: MemorySource | undefined;
}

/**
 * Returns the root that the first tool of a memory shows. Other tools count if they have a memory that is not another
 * node's, because it may be the same memory. Undefined if no tool takes paths.
 */
export function findShownRoot(tools: readonly object[], memory: object): string | undefined {
  const takingPaths = tools
    .filter((tool): tool is { [toolPaths]: ToolPaths } => toolPaths in tool)
    .map((tool) => tool[toolPaths])
    .filter(({ root }) => root !== undefined);
  const found =
    takingPaths.find(({ source }) => source === memory) ?? takingPaths.find(({ source }) => !isMemoryProvider(source));
  return found?.root;
}
