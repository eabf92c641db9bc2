import type { RunnableConfig } from "@langchain/core/runnables";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import type { BaseStore } from "@langchain/langgraph-checkpoint";
import { type MemoryActor, maxActorChars } from "../core/values/actor.js";
import { takeStart } from "../core/values/text.js";
import { getObjectOfRun } from "./langgraph-internals.js";
import { getField } from "../core/values/unknown-values.js";

/** A run of a graph or an agent, for functions that choose a memory for it. */
export interface MemoryRun {
  /** As LangGraph gives it; empty outside a run. */
  config: RunnableConfig;
  /** The `context` that the run was started with. */
  context?: unknown;
  /** `configurable.thread_id` */
  threadId?: string | undefined;
  /**
   * The first of these that exists: `configurable.langgraph_auth_user_id`, which only a server with authentication
   * sets, `configurable.user_id`, `context.userId`, `context.user_id`.
   */
  userId?: string | undefined;
  /** The id of the model's tool call, if the run answers one. */
  toolCallId?: string | undefined;
  /** The name that an MCP client gives itself, if one calls. */
  client?: string | undefined;
  /** The session of that program, if it has one. */
  session?: string | undefined;
}

/** What LangGraph adds to a config for nodes and for tools. */
type RunConfig = LangGraphRunnableConfig & { toolCall?: { id?: string }; toolCallId?: string };

/** The run of a config. Outside a run, only its empty config. */
export function getMemoryRun(config: RunnableConfig | undefined): MemoryRun {
  const { configurable, context, toolCall, toolCallId }: RunConfig = config ?? {};
  const threadId: unknown = configurable?.["thread_id"];
  const userId = findUserId(configurable, context);
  const callId = toolCall?.id ?? toolCallId;
  return {
    config: config ?? {},
    ...(context !== undefined && { context }),
    // The address check refuses an id that is not a string.
    ...(isPresent(threadId) && { threadId: threadId as string }),
    ...(isPresent(userId) && { userId: userId as string }),
    ...(callId !== undefined && { toolCallId: callId }),
  };
}

/** The authenticated user wins over the user that a client names (specification section 12). */
function findUserId(configurable: Record<string, unknown> | undefined, context: unknown): unknown {
  const fromConfig = [configurable?.["langgraph_auth_user_id"], configurable?.["user_id"]];
  return [...fromConfig, getField(context, "userId"), getField(context, "user_id")].find(isPresent);
}

function isPresent(id: unknown): boolean {
  return id !== undefined && id !== null;
}

/** The ids made here, by the object that all parts of a run share. */
const runIds = new WeakMap<object, string>();

/**
 * The id of the whole run: `run_id`, which a server sets and a program can set, or else an id made here. Subgraphs have
 * the id of the outermost graph. Each `invoke` or `stream` has an id of its own, also if it resumes an interrupt.
 * Undefined outside a graph. Reason: nodes and tools get no `runId`, and a callback manager knows only its parent.
 */
function getRunId(config: LangGraphRunnableConfig): unknown {
  const runId: unknown = config.configurable?.["run_id"] ?? config.metadata?.["run_id"];
  if (runId !== undefined) return runId;
  const objectOfRun = getObjectOfRun(config);
  if (objectOfRun === undefined) return undefined;
  const ownId = runIds.get(objectOfRun) ?? globalThis.crypto.randomUUID();
  runIds.set(objectOfRun, ownId);
  return ownId;
}

/** Who acts in a run, as far as the run says it. Long values are cut. */
export function getActor({ config, threadId, userId, toolCallId, client, session }: MemoryRun): MemoryActor {
  const configurable: Record<string, unknown> = config.configurable ?? {};
  const metadata: Record<string, unknown> = config.metadata ?? {};
  const facts = {
    userId,
    threadId: threadId ?? session,
    runId: getRunId(config),
    checkpointId: configurable["checkpoint_id"],
    toolCallId,
    node: metadata["langgraph_node"],
    client,
  };
  return Object.fromEntries(
    Object.entries(facts).flatMap(([name, fact]) =>
      typeof fact === "string" && fact !== "" ? [[name, takeStart(fact.toWellFormed(), maxActorChars)]] : [],
    ),
  );
}

export function getRunStore({ config }: MemoryRun): BaseStore | undefined {
  const { store }: LangGraphRunnableConfig = config;
  return store;
}

/** Aborts when the run does. */
export function getRunSignal({ config }: MemoryRun): AbortSignal | undefined {
  return config.signal;
}
