import type { RunnableConfig } from "@langchain/core/runnables";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import type { BaseStore } from "@langchain/langgraph-checkpoint";
import type { MemoryActor } from "../core/actor.js";

/** A run of a graph or an agent, as those see it who choose a memory for it. */
export interface MemoryRun {
  /** As LangGraph gives it; empty outside a run. */
  config: RunnableConfig;
  /** The `context` that the run was started with. */
  context?: unknown;
  /** `configurable.thread_id` */
  threadId?: string | undefined;
  /**
   * The first of these that there is: `configurable.langgraph_auth_user_id`, which a server sets and no client, `configurable.user_id`,
   * `context.userId`, `context.user_id`.
   */
  userId?: string | undefined;
  /** The call of a model that is answered, if it is one. */
  toolCallId?: string | undefined;
}

/** What the config of a run tells; next to nothing where a call is part of none. */
export function runOf(config: RunnableConfig | undefined): MemoryRun {
  const { configurable, context, toolCall, toolCallId } = (config ?? {}) as LangGraphRunnableConfig & { toolCall?: { id?: string }; toolCallId?: string };
  const threadId: unknown = configurable?.["thread_id"];
  const userId = userOf(configurable, context);
  const callId = toolCall?.id ?? toolCallId;
  // An id that is no string is passed on as it is: the address check refuses it.
  return {
    config: config ?? {},
    ...(context !== undefined && { context }),
    ...(isPresent(threadId) && { threadId: threadId as string }),
    ...(isPresent(userId) && { userId: userId as string }),
    ...(callId !== undefined && { toolCallId: callId }),
  };
}

/** The authenticated user wins over the one that a client names, whatever it is (specification section 12). */
function userOf(configurable: Record<string, unknown> | undefined, context: unknown): unknown {
  const { userId, user_id } = (typeof context === "object" && context !== null ? context : {}) as Record<string, unknown>;
  return [configurable?.["langgraph_auth_user_id"], configurable?.["user_id"], userId, user_id].find(isPresent);
}

function isPresent(id: unknown): boolean {
  return id !== undefined && id !== null;
}

/** Who acts in a run, as far as it says. */
export function actorOf({ config, threadId, userId, toolCallId }: MemoryRun): MemoryActor {
  const configurable: Record<string, unknown> = config.configurable ?? {};
  const metadata: Record<string, unknown> = config.metadata ?? {};
  const facts = {
    userId,
    threadId,
    runId: config.runId ?? configurable["run_id"] ?? metadata["run_id"],
    checkpointId: configurable["checkpoint_id"],
    toolCallId,
    node: metadata["langgraph_node"],
  };
  return Object.fromEntries(Object.entries(facts).filter(([, fact]) => typeof fact === "string" && fact !== ""));
}

export function storeOf({ config }: MemoryRun): BaseStore | undefined {
  return (config as LangGraphRunnableConfig).store;
}

/** Aborts when the run does. */
export function signalOf({ config }: MemoryRun): AbortSignal | undefined {
  return config.signal;
}
