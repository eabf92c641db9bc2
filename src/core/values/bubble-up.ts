/**
 * Whether LangGraph ends or interrupts the run by the error, as when a guard calls `interrupt`. The name is LangGraph's
 * own: see `langchain/langgraph-internals.ts`, whose test covers it.
 */
export function isGraphBubbleUp(error: unknown): boolean {
  return typeof error === "object" && error !== null && "is_bubble_up" in error && error.is_bubble_up === true;
}
