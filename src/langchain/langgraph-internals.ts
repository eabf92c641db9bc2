import type { CallbackManager } from "@langchain/core/callbacks/manager";
import type { RunnableConfig } from "@langchain/core/runnables";
import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import type { BaseCheckpointSaver, BaseStore } from "@langchain/langgraph-checkpoint";

/*
 * All uses of LangGraph and LangChain that their documentation does not promise.
 * `__tests__/unit/langchain/langgraph-internals.test.ts` tries each function with the installed versions.
 *
 * Two more reads are elsewhere. `core/values/bubble-up.ts` reads `is_bubble_up`, because `core` imports no LangChain;
 * the same test covers it. `prompt/client-capabilities.ts` reads fields of chat model clients, and has its own tests.
 */

/**
 * The interrupts of one task, `__pregel_scratchpad` of the config. LangGraph creates a new object each time that the
 * task runs.
 */
export interface InterruptState {
  /** The number of the last `interrupt()` of the task, or -1 before the first. */
  readonly interruptCounter: number;
  /** The answers to the first interrupts, by number. */
  readonly resume: readonly unknown[];
  /** An answer for the next interrupt that has none, whatever its number. */
  readonly nullResume?: unknown;
}

/** Returns null outside a task, or if LangGraph has changed the object's shape. Then the run cannot ask a person. */
export function getInterruptState({ configurable }: RunnableConfig): InterruptState | null {
  const state: unknown = configurable?.["__pregel_scratchpad"];
  return isInterruptState(state) ? state : null;
}

function isInterruptState(value: unknown): value is InterruptState {
  if (typeof value !== "object" || value === null) return false;
  return (
    "interruptCounter" in value &&
    typeof value.interruptCounter === "number" &&
    "resume" in value &&
    Array.isArray(value.resume)
  );
}

/**
 * Whether the next interrupt takes an answer that names no interrupt. LangGraph gives such an answer to every task of
 * the step that waits.
 */
export function hasUnnamedAnswer({ resume, nullResume }: InterruptState, number: number): boolean {
  return number >= resume.length && nullResume !== undefined;
}

/** Returns a config for `interrupt()` that ends the run, whatever answer the run was given. */
export function withoutUnnamedAnswer<Config extends RunnableConfig>(config: Config): Config {
  const { configurable } = config;
  return {
    ...config,
    configurable: { ...configurable, __pregel_scratchpad: { ...getInterruptState(config), nullResume: undefined } },
  };
}

/** An interrupt of a step. */
export interface StepInterrupt {
  value: unknown;
  /** Whether its task has taken an answer, and has ended. */
  isAnswered: boolean;
}

/**
 * Lists all interrupts of the step of the graph, those of subgraphs too. The list has those that are answered meanwhile,
 * because another task may end while this one reads.
 */
export async function listInterruptsOfStep({ configurable }: RunnableConfig): Promise<StepInterrupt[]> {
  const saver = configurable?.["__pregel_checkpointer"] as Pick<BaseCheckpointSaver, "getTuple">;
  const ids = configurable?.["checkpoint_map"] as Record<string, string> | undefined;
  const thread: unknown = configurable?.["thread_id"];
  let tuple = await saver.getTuple({
    configurable: { thread_id: thread, checkpoint_ns: "", checkpoint_id: ids?.[""] },
  });
  // A run from an earlier checkpoint goes on at a copy, which lacks the interrupts.
  if (tuple?.metadata?.source === "fork" && tuple.parentConfig) tuple = await saver.getTuple(tuple.parentConfig);
  const writes = tuple?.pendingWrites ?? [];
  const isAnswered = (id: string): boolean => {
    const channels = writes.flatMap(([task, channel]) => (task === id ? channel : []));
    return channels.includes("__resume__") && channels.some((channel) => !unfinishedChannels.has(channel));
  };
  return writes.flatMap(([task, channel, interrupts]) =>
    channel === "__interrupt__"
      ? (interrupts as { value?: unknown }[]).map(({ value }) => ({ value, isAnswered: isAnswered(task) }))
      : [],
  );
}

/** What a task writes that has not ended. Every other write is a result. */
const unfinishedChannels = new Set(["__interrupt__", "__resume__", "__error__", "__scheduled__"]);

/** The number of the next `interrupt()` of the task. */
export function getNextInterruptNumber({ interruptCounter }: InterruptState): number {
  return interruptCounter + 1;
}

/** Whether the interrupt with this number returns at once, instead of ending the run. */
export function hasAnswer({ resume, nullResume }: InterruptState, number: number): boolean {
  return number < resume.length || nullResume !== undefined;
}

/** Whether the run can be interrupted and resumed. */
export function hasCheckpointer({ configurable }: RunnableConfig): boolean {
  return Boolean(configurable?.["__pregel_checkpointer"]);
}

/**
 * Names the task. The name contains the task's id, which LangGraph derives from the checkpoint, so the name stays the
 * same if the task runs again after an interrupt.
 */
export function getTaskNamespace({ configurable }: RunnableConfig): unknown {
  return configurable?.["checkpoint_ns"];
}

/**
 * Returns the id and the name of the tool call that a task of `createAgent` runs. Null in other tasks. Reason: the
 * config that `tool()` puts into the context lacks the call.
 */
export function getToolCallOfTask({ configurable }: RunnableConfig): { id: string; name: string } | null {
  const scratchpad = configurable?.["__pregel_scratchpad"] as
    | { currentTaskInput?: { lg_tool_call?: { id?: unknown; name?: unknown } | null } | null }
    | undefined;
  const { id, name } = scratchpad?.currentTaskInput?.lg_tool_call ?? {};
  return typeof id === "string" && id !== "" && typeof name === "string" ? { id, name } : null;
}

/**
 * The number of the attempt at the task, from 1. A retry policy makes further attempts, with the interrupt state of the
 * first.
 */
export function getAttempt({ executionInfo }: LangGraphRunnableConfig): number {
  return executionInfo?.nodeAttempt ?? 1;
}

/**
 * Returns the objects that LangGraph creates for each run and passes to the parts of the run, including subgraphs. Each
 * part has one of them at least: a resumed run begins without the signal, and tools made by `tool()` have no writer.
 * Empty outside a graph.
 */
export function getObjectsOfRun({ configurable, writer }: RunnableConfig & { writer?: object | null }): object[] {
  const signals = configurable?.["__pregel_abort_signals"] as { externalAbortSignal?: unknown } | undefined;
  return [writer, signals?.externalAbortSignal].filter(
    (each) => typeof each === "function" || (typeof each === "object" && each !== null),
  );
}

/**
 * Runs a function with a config for `interrupt()`, `getStore()` and other functions that read the config from the
 * context.
 */
export function runInContext<Result>(config: RunnableConfig, run: () => Promise<Result>): Promise<Result> {
  return AsyncLocalStorageProviderSingleton.runWithConfig(config, run);
}

/** Returns the config of the run around the call, if LangChain knows it. */
export function getContextConfig(): RunnableConfig | undefined {
  // LangChain's type is `any`.
  return AsyncLocalStorageProviderSingleton.getRunnableConfig() as RunnableConfig | undefined;
}

/**
 * Returns the callbacks of a run that has begun and has listeners. Recognizes them by shape, because a process can have
 * two copies of LangChain.
 */
export function getCallbackManager(config: RunnableConfig | undefined): CallbackManager | null {
  const callbacks = config?.callbacks;
  return callbacks !== undefined && "getParentRunId" in callbacks && callbacks.handlers.length > 0 ? callbacks : null;
}

/**
 * Whether LangChain refuses the arguments of a tool call. Checked by shape, because the error's `name` is just "Error",
 * and a process can have two copies of the class.
 */
export function isArgumentsError(error: unknown): boolean {
  return error instanceof Error && "output" in error && error.message.startsWith("Received tool input did not match");
}

/**
 * Returns the store inside LangGraph's AsyncBatchedStore. The wrapper has no `batch`, drops our own methods, and never
 * ends calls that are made after the run.
 */
export function unwrapStore(store: BaseStore): BaseStore {
  // Fields of the wrapper, which other stores may lack.
  let current = store as BaseStore & { lg_name?: unknown; store?: BaseStore };
  while (current?.lg_name === "AsyncBatchedStore" && current.store) current = current.store;
  return current;
}

/**
 * Defines `lc_runnable`, which LangGraph's `addNode` reads first. If it is true, the node calls `invoke`. Any other
 * object becomes a node that does nothing.
 * @param read may throw, to refuse the object as a node
 */
export function defineRunnableMark(target: object, read: () => true): void {
  Object.defineProperty(target, "lc_runnable", { get: read });
}
