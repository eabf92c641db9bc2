import { createHash } from "node:crypto";
import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import { interrupt, isGraphBubbleUp } from "@langchain/langgraph";
import { Mutex } from "async-mutex";
import type { MemoryActor } from "../core/values/actor.js";
import type { Asking, OnAsk, Question } from "../core/approval/asking.js";
import { MemoryError } from "../core/values/errors.js";
import type { MemoryRun } from "./memory-run.js";

/**
 * How LangGraph counts the interrupts of one task, and holds the answers to them. One object for each time that the
 * task is run.
 */
interface Scratchpad {
  interruptCounter: number;
  resume: unknown[];
  nullResume?: unknown;
}

/** What calls of one task share, each time that it is run. */
interface Task {
  /** Of the interrupts so far, by their numbers. */
  answers: Map<number, unknown>;
  /**
   * The interrupt that ends this run of the task. All calls that still ask end with it, so that people see the one that
   * is numbered.
   */
  ending: { cause: unknown } | null;
  /** How often each question was asked: the same call may make the same change twice. */
  counts: Map<string, number>;
  turns: Mutex;
}

const tasks = new WeakMap<Scratchpad, Task>();

/** How people are asked in a run. Null: outside of one. */
export function askingOf(run: MemoryRun | null, onAsk: OnAsk, actor: MemoryActor | null): Asking {
  return { onAsk, actor, question: (about) => (run === null ? null : questionIn(run, about)) };
}

function questionIn({ config, toolCallId }: MemoryRun, about: Parameters<Asking["question"]>[0]): Question | null {
  const configurable: Record<string, unknown> = config.configurable ?? {};
  const { toolCall } = config as { toolCall?: { name?: unknown } };
  const pad = configurable["__pregel_scratchpad"];
  if (!isScratchpad(pad)) return null;
  const task = taskOf(pad);
  // The namespace holds the id of the task, which LangGraph derives from the checkpoint: it stays when the task is run
  // again.
  const call = JSON.stringify([configurable["thread_id"], configurable["checkpoint_ns"], toolCallId, about]);
  const count = task.counts.get(call) ?? 0;
  task.counts.set(call, count + 1);
  return {
    id: createHash("sha256").update(`${count} ${call}`).digest("hex").slice(0, 24),
    canWait: Boolean(configurable["__pregel_checkpointer"]),
    toolName: typeof toolCall?.name === "string" ? toolCall.name : "memory",
    answer: (request, askedAt, remember) =>
      task.turns.runExclusive(async () => {
        for (;;) {
          if (askedAt !== null && task.answers.has(askedAt)) return task.answers.get(askedAt);
          if (task.ending !== null) throw task.ending.cause;
          const next = pad.interruptCounter + 1;
          if (!hasAnswer(pad, next)) {
            await remember(next);
            // Another tool of the same task has come first.
            if (pad.interruptCounter + 1 !== next) continue;
          }
          try {
            task.answers.set(
              next,
              await AsyncLocalStorageProviderSingleton.runWithConfig(config, async () => interrupt(request)),
            );
          } catch (cause) {
            if (!isGraphBubbleUp(cause))
              throw new MemoryError("EACCES", "EACCES: a person cannot be asked in this run", { cause });
            task.ending = { cause };
            throw cause;
          }
        }
      }),
  };
}

function taskOf(pad: Scratchpad): Task {
  const task = tasks.get(pad) ?? { answers: new Map(), ending: null, counts: new Map(), turns: new Mutex() };
  tasks.set(pad, task);
  return task;
}

function hasAnswer({ resume, nullResume }: Scratchpad, number: number): boolean {
  return number < resume.length || nullResume !== undefined;
}

function isScratchpad(value: unknown): value is Scratchpad {
  const { interruptCounter, resume } = (value ?? {}) as Partial<Scratchpad>;
  return typeof interruptCounter === "number" && Array.isArray(resume);
}
