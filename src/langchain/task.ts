import type { RunnableConfig } from "@langchain/core/runnables";
import { Mutex } from "async-mutex";
import { CallIdentity } from "../core/runtime/call-identity.js";
import { hashSha256 } from "../core/values/sha256.js";
import { isRecord } from "../core/values/unknown-values.js";
import {
  getAttempt,
  getInterruptState,
  getTaskNamespace,
  getToolCallOfTask,
  type InterruptState,
} from "./langgraph-internals.js";
import type { MemoryRun } from "./memory-run.js";

/** The shared data of all calls of one attempt at a task. */
export interface Task {
  /** The answers so far, by the number of their interrupt. */
  answers: Map<number, unknown>;
  /**
   * The interrupt that ends this run of the task. All waiting calls end with this interrupt, so that people see the
   * interrupt that has the number.
   */
  ending: { cause: unknown; toolCallId: string | undefined } | null;
  /** Number of equal calls and requests so far, because a model may make the same call twice. */
  counts: Map<string, number>;
  turns: Mutex;
}

const tasks = new WeakMap<InterruptState, { attempt: number; task: Task }>();

/** Returns the data of the present attempt. */
export function getTask(config: RunnableConfig, interrupts: InterruptState): Task {
  const attempt = getAttempt(config);
  const known = tasks.get(interrupts);
  if (known?.attempt === attempt) return known.task;
  const task = { answers: new Map(), ending: null, counts: new Map(), turns: new Mutex() };
  tasks.set(interrupts, { attempt, task });
  return task;
}

/**
 * Returns a text that stays the same when the task runs again, in any process. Each of several equal parts has another
 * text. The namespace has the id of the task, so no two tasks share a text.
 */
export function identify(task: Task, config: RunnableConfig, parts: readonly unknown[]): string {
  const call = describeCall(config, parts);
  const count = task.counts.get(call) ?? 0;
  task.counts.set(call, count + 1);
  return hashSha256(`${count} ${call}`);
}

function describeCall(config: RunnableConfig, parts: readonly unknown[]): string {
  return JSON.stringify([config.configurable?.["thread_id"], getTaskNamespace(config), ...parts]);
}

const idChars = 32;

/** Identifies a call of a tool (ADR 0057). Null outside a task of a graph, and for a call without an id. */
export function identifyCall({ config, toolCallId }: MemoryRun, name: string, args: unknown): CallIdentity | null {
  const interrupts = getInterruptState(config);
  if (interrupts === null || !toolCallId) return null;
  const id = identify(getTask(config, interrupts), config, [toolCallId, name, sortKeys(args)]);
  return new CallIdentity(id.slice(0, idChars));
}

/** Adds the tool call that the task only runs, if the config of the run lacks it. */
export function addToolCallOfTask(run: MemoryRun): MemoryRun {
  const call = getToolCallOfTask(run.config);
  return call === null ? run : { ...run, toolCallId: call.id };
}

/**
 * Identifies the change of a tool that makes one change. Null unless the task only runs a call of this tool, because
 * other code may make equal changes one after the other.
 */
export function identifyOnlyChange(
  { config, toolCallId }: MemoryRun,
  toolName: string,
  args: readonly string[],
): CallIdentity | null {
  if (getToolCallOfTask(config)?.name !== toolName) return null;
  return new CallIdentity(hashSha256(describeCall(config, [toolCallId, toolName, args])).slice(0, idChars));
}

/** A checkpointer may give the arguments back with their keys in another order. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([name, field]) => [name, sortKeys(field)]);
}
