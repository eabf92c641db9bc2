import type { CallbackManager } from "@langchain/core/callbacks/manager";
import type { RunnableConfig } from "@langchain/core/runnables";
import { getField } from "../core/values/unknown-values.js";
import { getCallbackManager, getContextConfig } from "./langgraph-internals.js";

/** Describes how a read of memory appears in the tree of a run. */
export interface ShownRead<Answer> {
  /** The name of the run. */
  name: string;
  /** The place that is read. It contains no text of users. */
  place: string;
  /** Returns what is shown of each result: no texts. */
  found: (answer: Answer) => Record<string, unknown>[];
  /** Returns more fields of the event: no texts. @default none */
  explain?: (answer: Answer) => Promise<object>;
}

/** The name of the custom event for a read of memory. */
export const readEvent = "memory_read";

/** Number of records that are shown. Further records are only counted. */
const maxShown = 100;

/**
 * Shows a read as a retriever in the tree of the run around it, as in LangSmith, and as the custom event `memory_read`
 * (LangSmith's tracer shows no events). Outside a run, and in a run without listeners, it only reads.
 *
 * @param config the config of the run. Default: the config of the run around this call, if LangChain knows it
 */
export function readInRun<Answer>(
  shown: () => ShownRead<Answer>,
  read: () => Promise<Answer>,
  config: RunnableConfig | undefined = getContextConfig(),
): Promise<Answer> {
  const manager = getCallbackManager(config);
  const parentId = manager?.getParentRunId();
  return manager === null || parentId === undefined ? read() : showRead(shown(), read, manager, parentId);
}

async function showRead<Answer>(
  { name, place, found, explain }: ShownRead<Answer>,
  read: () => Promise<Answer>,
  manager: CallbackManager,
  parentId: string,
): Promise<Answer> {
  const run = await manager.handleRetrieverStart(
    describeRetriever(name),
    place,
    undefined,
    parentId,
    undefined,
    undefined,
    name,
  );
  const sendEvent = async (attributes: object): Promise<void> =>
    void (await manager.handleCustomEvent?.(readEvent, { name, place, ...attributes }, parentId));
  try {
    const answer = await read();
    const records = found(answer);
    await run.handleRetrieverEnd(records.slice(0, maxShown).map((metadata) => ({ pageContent: "", metadata })));
    await sendEvent({ count: records.length, ...(await explain?.(answer)) });
    return answer;
  } catch (error) {
    const type = getErrorType(error);
    await run.handleRetrieverError(createTextlessError(type));
    await sendEvent({ error: type });
    throw error;
  }
}

/** Creates an error with the type only. The original message may contain texts, and the stack contains the message. */
function createTextlessError(type: string): Error {
  const error = new Error(type);
  delete error.stack;
  return error;
}

function describeRetriever(name: string): Parameters<CallbackManager["handleRetrieverStart"]>[0] {
  return { lc: 1, type: "not_implemented", id: ["langgraph-mongo-memory", name] };
}

/** Returns the code of an error, or else its name. If it has neither, returns "_OTHER". */
function getErrorType(error: unknown): string {
  const types = [getField(error, "code"), getField(error, "name")];
  return types.find((type): type is string => typeof type === "string" && type !== "") ?? "_OTHER";
}
