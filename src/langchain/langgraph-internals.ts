import type { CallbackManager } from "@langchain/core/callbacks/manager";
import type { RunnableConfig } from "@langchain/core/runnables";
import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import type { BaseStore } from "@langchain/langgraph-checkpoint";

/*
 * All that this package uses of LangGraph and LangChain although their documentation does not promise it.
 * `__tests__/unit/langchain/langgraph-internals.test.ts` tries each function against the installed versions.
 *
 * Two reads are elsewhere. `core/values/bubble-up.ts` reads `is_bubble_up`, because `core` imports no LangChain; the
 * same test covers it. `prompt/client-capabilities.ts` reads fields of chat model clients, and has tests of its own.
 */

/**
 * The interrupts of one task, `__pregel_scratchpad` of the config. LangGraph makes a new object each time that it runs
 * the task.
 */
export interface InterruptState {
  /** The number of the last `interrupt()` of the task; -1 before the first. */
  readonly interruptCounter: number;
  /** The answers to the first interrupts, by their numbers. */
  readonly resume: readonly unknown[];
  /** An answer that fits the next interrupt without one, whatever its number. */
  readonly nullResume?: unknown;
}

/** Null outside a task, and if LangGraph has changed its shape: then a person cannot be asked in the run. */
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

/** The number that the next `interrupt()` of the task gets. */
export function getNextInterruptNumber({ interruptCounter }: InterruptState): number {
  return interruptCounter + 1;
}

/** Whether the interrupt of this number returns at once, instead of ending the run. */
export function hasAnswer({ resume, nullResume }: InterruptState, number: number): boolean {
  return number < resume.length || nullResume !== undefined;
}

/** Whether the run can be interrupted and resumed. */
export function hasCheckpointer({ configurable }: RunnableConfig): boolean {
  return Boolean(configurable?.["__pregel_checkpointer"]);
}

/**
 * Names the task. It contains the task's id, which LangGraph derives from the checkpoint, so it is the same when the
 * task runs again after an interrupt.
 */
export function getTaskNamespace({ configurable }: RunnableConfig): unknown {
  return configurable?.["checkpoint_ns"];
}

/**
 * An object that LangGraph makes for each run and passes to all parts of it, in subgraphs too. Undefined outside a
 * graph.
 */
export function getObjectOfRun(config: RunnableConfig & { writer?: object | null }): object | undefined {
  const signals: unknown = config.configurable?.["__pregel_abort_signals"];
  if (typeof signals === "object" && signals !== null && "externalAbortSignal" in signals) {
    const { externalAbortSignal: signal } = signals;
    if (typeof signal === "object" && signal !== null) return signal;
  }
  // Tools made by `tool()` have no writer, and in a ToolNode that is called by itself it is null.
  return config.writer ?? undefined;
}

/** Runs a function with a config for `interrupt()`, `getStore()` and others that take the config from the context. */
export function runInContext<Result>(config: RunnableConfig, run: () => Promise<Result>): Promise<Result> {
  return AsyncLocalStorageProviderSingleton.runWithConfig(config, run);
}

/** The config of the run around the call, if LangChain knows it. */
export function getContextConfig(): RunnableConfig | undefined {
  // LangChain says `any`.
  return AsyncLocalStorageProviderSingleton.getRunnableConfig() as RunnableConfig | undefined;
}

/**
 * The callbacks of a run that has begun and has listeners. Recognized by shape, because a process can have two copies
 * of LangChain.
 */
export function getCallbackManager(config: RunnableConfig | undefined): CallbackManager | null {
  const callbacks = config?.callbacks;
  return callbacks !== undefined && "getParentRunId" in callbacks && callbacks.handlers.length > 0 ? callbacks : null;
}

/**
 * Whether LangChain refuses the arguments of a tool call. Recognized by shape, because its `name` is just "Error", and
 * a process can have two copies of the class.
 */
export function isArgumentsError(error: unknown): boolean {
  return error instanceof Error && "output" in error && error.message.startsWith("Received tool input did not match");
}

/**
 * The store inside LangGraph's AsyncBatchedStore. The wrapper has no `batch`, drops our own methods, and leaves calls
 * pending forever that are made after the run.
 */
export function unwrapStore(store: BaseStore): BaseStore {
  // Fields of the wrapper, which other stores may lack.
  let current = store as BaseStore & { lg_name?: unknown; store?: BaseStore };
  while (current?.lg_name === "AsyncBatchedStore" && current.store) current = current.store;
  return current;
}

/**
 * Sets `lc_runnable`, which LangGraph's `addNode` reads first. If it is true, the node calls `invoke`. Any other object
 * becomes a node that does nothing.
 * @param read may throw, to refuse the object as a node
 */
export function defineRunnableMark(target: object, read: () => true): void {
  Object.defineProperty(target, "lc_runnable", { get: read });
}
