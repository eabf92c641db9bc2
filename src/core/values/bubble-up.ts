import { getField } from "./unknown-values.js";

/**
 * Whether LangGraph ends or interrupts the run by this error, for example after a guard calls `interrupt`. The field
 * `is_bubble_up` is internal to LangGraph: see `langchain/langgraph-internals.ts`, whose test covers it.
 */
export function isGraphBubbleUp(error: unknown): boolean {
  return getField(error, "is_bubble_up") === true;
}
