import type { RunnableConfig } from "@langchain/core/runnables";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import type { BaseStore } from "@langchain/langgraph-checkpoint";
import { type MemoryActor, maxActorChars } from "../core/values/actor.js";
import { startOf } from "../core/values/text.js";

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

/** What the config of a run tells; next to nothing where a call is part of none. */
export function runOf(config: RunnableConfig | undefined): MemoryRun {
  const { configurable, context, toolCall, toolCallId } = (config ?? {}) as LangGraphRunnableConfig & {
    toolCall?: { id?: string };
    toolCallId?: string;
  };
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
  const { userId, user_id } = (typeof context === "object" && context !== null ? context : {}) as Record<
    string,
    unknown
  >;
  return [configurable?.["langgraph_auth_user_id"], configurable?.["user_id"], userId, user_id].find(isPresent);
}

function isPresent(id: unknown): boolean {
  return id !== undefined && id !== null;
}

/** Of runs that nobody has named, by what all parts of a run share. */
const runIds = new WeakMap<object, string>();

/**
 * The id of the whole run: the same for all that happens in one `invoke` or `stream` of the outermost graph, in
 * subgraphs too, and another for the next one, also where that resumes an interrupt. It is `run_id`, which a server
 * sets and a program can, or else an id made here. LangGraph shows its nodes and tools no `runId`, and a callback
 * manager knows the nearest parent only. Undefined outside a graph.
 */
function runIdOf(config: LangGraphRunnableConfig): unknown {
  const given: unknown = config.configurable?.["run_id"] ?? config.metadata?.["run_id"];
  if (given !== undefined) return given;
  const shared = sharedInRun(config);
  if (shared === undefined) return undefined;
  const runId = runIds.get(shared) ?? globalThis.crypto.randomUUID();
  runIds.set(shared, runId);
  return runId;
}

/**
 * An object that LangGraph makes for a run and hands to all parts of it. In tools made by `tool()` the writer is
 * missing.
 */
function sharedInRun({ configurable, writer }: LangGraphRunnableConfig): object | undefined {
  const signals = configurable?.["__pregel_abort_signals"] as { externalAbortSignal?: AbortSignal } | undefined;
  // Null in a ToolNode that is called by itself.
  return signals?.externalAbortSignal ?? writer ?? undefined;
}

/** Who acts in a run, as far as it says. A fact that is too long is cut, so that nobody can hide behind one. */
export function actorOf({ config, threadId, userId, toolCallId, client, session }: MemoryRun): MemoryActor {
  const configurable: Record<string, unknown> = config.configurable ?? {};
  const metadata: Record<string, unknown> = config.metadata ?? {};
  const facts = {
    userId,
    threadId: threadId ?? session,
    runId: runIdOf(config),
    checkpointId: configurable["checkpoint_id"],
    toolCallId,
    node: metadata["langgraph_node"],
    client,
  };
  return Object.fromEntries(
    Object.entries(facts).flatMap(([name, fact]) =>
      typeof fact === "string" && fact !== "" ? [[name, startOf(fact.toWellFormed(), maxActorChars)]] : [],
    ),
  );
}

export function storeOf({ config }: MemoryRun): BaseStore | undefined {
  return (config as LangGraphRunnableConfig).store;
}

/** Aborts when the run does. */
export function signalOf({ config }: MemoryRun): AbortSignal | undefined {
  return config.signal;
}
