import type { CallbackManager } from "@langchain/core/callbacks/manager";
import type { RunnableConfig } from "@langchain/core/runnables";
import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import { capturesTexts, errorTypeOf } from "../core/tracing/tracing.js";

/** What the tree of a run shows of a read of memory. */
export interface ShownRead<Answer> {
  /** The name of the run. */
  name: string;
  /** Where it looks: no text of anybody. */
  place: string;
  found: (answer: Answer) => FoundRecord[];
}

/** What a read has found. */
export interface FoundRecord {
  /** Shown only where texts may be captured. */
  text?: string | undefined;
  metadata: Record<string, unknown>;
}

/** The name of the event that tells of a read of memory. */
export const readEvent = "memory_read";

/** The rest is counted. */
const maxShown = 100;

/**
 * Shows a read as a retriever in the tree of the run around it, as in LangSmith, and as the custom event `memory_read`
 * (LangSmith's tracer shows no events). Outside a run, or in one that nobody listens to, it is the read alone.
 *
 * @param config of the run. Default: that of the run around this call, if LangChain knows it
 */
export async function readInRun<Answer>(
  shown: () => ShownRead<Answer>,
  read: () => Promise<Answer>,
  config = runAround(),
): Promise<Answer> {
  const manager = managerOf(config);
  const parentId = manager?.getParentRunId();
  if (manager === null || parentId === undefined) return read();
  const { name, place, found } = shown();
  const run = await manager.handleRetrieverStart(
    serialized(name),
    place,
    undefined,
    parentId,
    undefined,
    undefined,
    name,
  );
  const tell = async (facts: object): Promise<void> =>
    void (await manager.handleCustomEvent?.(readEvent, { name, place, ...facts }, parentId));
  try {
    const answer = await read();
    const records = found(answer);
    await run.handleRetrieverEnd(records.slice(0, maxShown).map(documentOf));
    await tell({ count: records.length });
    return answer;
  } catch (error) {
    const type = errorTypeOf(error);
    await run.handleRetrieverError(withoutTexts(type));
    await tell({ error: type });
    throw error;
  }
}

/** The message of an error may quote what was given. */
function withoutTexts(type: string): Error {
  const error = new Error(type);
  delete error.stack;
  return error;
}

function runAround(): RunnableConfig | undefined {
  return AsyncLocalStorageProviderSingleton.getRunnableConfig() as RunnableConfig | undefined;
}

/** By shape, as there may be two copies of LangChain. What is no manager belongs to a run that has not begun. */
function managerOf(config: RunnableConfig | undefined): CallbackManager | null {
  const manager = config?.callbacks;
  return manager !== undefined && "getParentRunId" in manager && manager.handlers.length > 0 ? manager : null;
}

function serialized(name: string): Parameters<CallbackManager["handleRetrieverStart"]>[0] {
  return { lc: 1, type: "not_implemented", id: ["langgraph-mongo-memory", name] };
}

function documentOf({ text, metadata }: FoundRecord): { pageContent: string; metadata: Record<string, unknown> } {
  return { pageContent: text !== undefined && capturesTexts() ? text : "", metadata };
}
