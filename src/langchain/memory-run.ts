import type { RunnableConfig } from "@langchain/core/runnables";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import type { BaseStore } from "@langchain/langgraph-checkpoint";
import { wrongArgument } from "../core/settings/wrong-argument.js";
import type { RunBinding } from "../core/bind-memory.js";
import { type MemoryActor, maxActorChars, mcpClientPrefix } from "../core/values/actor.js";
import type { TimeZoneFor } from "../core/settings/time-zone.js";
import { takeStart } from "../core/values/text.js";
import { getObjectsOfRun } from "./langgraph-internals.js";
import { getField, isObject } from "../core/values/unknown-values.js";

/** A run of a graph or an agent, for functions that choose a memory for the run. */
export interface MemoryRun {
  /** LangGraph's config of the run. Empty outside a run. */
  config: RunnableConfig;
  /** The `context` with which the run was started. */
  context?: unknown;
  /** `configurable.thread_id` */
  threadId?: string | undefined;
  /**
   * The first of these values that exists: `configurable.langgraph_auth_user_id`, which only a server with
   * authentication sets, `configurable.user_id`, `context.userId`, `context.user_id`.
   */
  userId?: string | undefined;
  /** The id of the model's tool call that the run answers, if any. */
  toolCallId?: string | undefined;
  /** The name that the calling MCP client reports, if any. */
  client?: string | undefined;
  /** The session of the calling MCP client, if it has one. */
  session?: string | undefined;
}

/** An IANA name, such as `"Europe/Berlin"`, or a function that finds the name for a run. */
export type TimeZone = TimeZoneFor<MemoryRun>;

/** The fields that LangGraph adds to a config for nodes and tools. */
type RunConfig = LangGraphRunnableConfig & { toolCall?: { id?: string }; toolCallId?: string };

/** Describes the run of a config. Outside a run, only the empty config. */
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

/** Finds the user. The authenticated user wins over a user that a client names (specification section 12). */
function findUserId(configurable: Record<string, unknown> | undefined, context: unknown): unknown {
  const fromConfig = [configurable?.["langgraph_auth_user_id"], configurable?.["user_id"]];
  return [...fromConfig, getField(context, "userId"), getField(context, "user_id")].find(isPresent);
}

function isPresent(id: unknown): boolean {
  return id !== undefined && id !== null;
}

/** @throws TypeError if a program passes anything else than a run */
export function checkRun(run: unknown): void {
  if (!isObject(getField(run, "config"))) throw wrongArgument("run", "an object { config, threadId?, userId? }", run);
}

/** The ids of runs that the program gives no id, by the objects that the parts of a run share. */
const runIds = new WeakMap<object, string>();

/**
 * Returns the id of the whole run: `run_id`, which a server or a program can set, or an id created by this function.
 * Subgraphs have the id of the outermost graph. Undefined outside a graph. Reason: nodes and tools get no `runId`, and a
 * callback manager knows only its parent.
 */
function getRunId(config: LangGraphRunnableConfig): string | undefined {
  const runId: unknown = config.configurable?.["run_id"] ?? config.metadata?.["run_id"];
  if (runId !== undefined) return typeof runId === "string" ? runId : undefined;
  const objects = getObjectsOfRun(config);
  const known = objects.map((object) => runIds.get(object)).find((id) => id !== undefined);
  return objects.length === 0 ? undefined : setRunId(objects, known ?? globalThis.crypto.randomUUID());
}

/** Lets a run go on under the id of the run that it resumes, unless it has an id of its own. Returns the id. */
export function continueRun(config: LangGraphRunnableConfig, runId: string | undefined): string | undefined {
  if (runId !== undefined) setRunId(getObjectsOfRun(config), runId);
  return getRunId(config);
}

function setRunId(objects: readonly object[], id: string): string {
  for (const object of objects) runIds.set(object, id);
  return id;
}

/** The bindings of runs. All memories of a run get the same object, so that each is bound to it once. */
const bindings = new WeakMap<MemoryRun, RunBinding>();

/** Returns what memories need to know about a run. */
export function getBinding(run: MemoryRun): RunBinding {
  const binding = bindings.get(run) ?? { run, signal: run.config.signal, actor: getActor(run), call: null };
  bindings.set(run, binding);
  return binding;
}

/** Describes the actor of a run, as far as the run identifies it. Cuts long values. Undefined if it names nobody. */
function getActor({ config, threadId, userId, toolCallId, client, session }: MemoryRun): MemoryActor | undefined {
  const configurable: Record<string, unknown> = config.configurable ?? {};
  const metadata: Record<string, unknown> = config.metadata ?? {};
  const facts = {
    userId,
    threadId: threadId ?? session,
    runId: getRunId(config),
    checkpointId: configurable["checkpoint_id"],
    toolCallId,
    node: metadata["langgraph_node"],
    // `createAgent` puts its name there.
    agent: metadata["lc_agent_name"],
    client: client && mcpClientPrefix + client,
  };
  const known = Object.entries(facts).flatMap(([name, fact]) =>
    typeof fact === "string" && fact !== "" ? [[name, takeStart(fact.toWellFormed(), maxActorChars)] as const] : [],
  );
  return known.length === 0 ? undefined : Object.fromEntries(known);
}

export function getRunStore({ config }: MemoryRun): BaseStore | undefined {
  const { store }: LangGraphRunnableConfig = config;
  return store;
}
