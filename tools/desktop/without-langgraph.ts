/*
 * The bundle puts this in the place of LangGraph and LangChain. A server calls no graph, so there is no run that could
 * be interrupted, and no context of a run.
 */

export function interrupt(): never {
  throw new Error("there is no run to interrupt");
}

export function isGraphBubbleUp(): boolean {
  return false;
}

export const AsyncLocalStorageProviderSingleton = {
  getRunnableConfig: (): undefined => undefined,
  runWithConfig: <T>(_config: unknown, run: () => T): T => run(),
};
