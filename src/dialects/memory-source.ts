import type { RunnableConfig } from "@langchain/core/runnables";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import type { BaseStore } from "@langchain/langgraph-checkpoint";
import { MemoryError } from "../core/errors.js";
import type { Memory } from "../core/memory.js";
import type { PathRule } from "../core/paths.js";

/** What a tool knows of a run. */
export interface MemoryRun {
  /** `configurable.thread_id` of the run. */
  threadId?: string | undefined;
  /** Aborts when the run does. */
  signal?: AbortSignal | undefined;
}

/** A run with the store that LangGraph put into its config. */
export interface StoreRun extends MemoryRun {
  store?: BaseStore | undefined;
}

/** Chooses the memory for a run; `MemoryNode` is one. */
export interface MemoryProvider {
  /** Which names can be created, where that is the same for every run. */
  readonly paths?: PathRule;
  /** @throws MemoryError ENOTMEM, EINVAL */
  memoryForRun(run: StoreRun): Memory;
}

/**
 * Where a tool finds its memory: always the same one, or the one that a MemoryNode or a function chooses for the run's thread. A
 * model has no part in this choice.
 */
export type MemorySource = Memory | MemoryProvider | ((run: MemoryRun) => Memory);

/** What the config of a run tells; nothing where a call is part of none. */
export function runOf(config: RunnableConfig | undefined): StoreRun {
  const { configurable, store, signal } = (config ?? {}) as LangGraphRunnableConfig;
  const threadId: unknown = configurable?.["thread_id"];
  // A thread id that is no string is passed on as it is: the address check refuses it.
  return { ...(threadId !== undefined && { threadId: threadId as string }), ...(store && { store }), ...(signal && { signal }) };
}

/**
 * Whether a run names a thread. Only a connector asks: without a thread it shows the memory of all threads. A tool passes
 * on whatever the run has, and the address check refuses it.
 */
export function hasThread({ threadId }: MemoryRun): boolean {
  return typeof threadId === "string" && threadId !== "";
}

/**
 * The memory of a run, whose calls end with the run.
 * @throws MemoryError ENOTMEM where there is none, EINVAL where the run lacks the thread that the memory needs
 */
export function memoryOf(source: MemorySource | undefined, run: StoreRun): Memory {
  if (source === undefined) {
    throw new MemoryError("ENOTMEM", "ENOTMEM: no memory connected; pass `memory` to the tool or call setMemorySource");
  }
  return endingWith(run, chosenFor(run, source));
}

function chosenFor(run: StoreRun, source: MemorySource): Memory {
  if (typeof source === "function") return source({ threadId: run.threadId, signal: run.signal });
  return "memoryForRun" in source ? source.memoryForRun(run) : source;
}

/** Which names can be created, or undefined where only the run decides. */
export function pathRuleOf(source: MemorySource | undefined): PathRule | undefined {
  return typeof source === "function" ? undefined : source?.paths;
}

/** The same memory, whose calls end with the run. */
export function endingWith({ signal }: MemoryRun, memory: Memory): Memory {
  return signal === undefined ? memory : memory.with({ signal });
}

export function checkMemorySource(source: unknown): asserts source is MemorySource {
  const isObject = typeof source === "object" && source !== null && ("memoryForRun" in source || "snapshot" in source);
  if (typeof source === "function" || isObject) return;
  throw new TypeError(
    "the memory of a tool must be a Memory (openMemory, store.memory), a MemoryNode, or a function from a run to a Memory",
  );
}
