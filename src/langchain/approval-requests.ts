import { createHash } from "node:crypto";
import { interrupt, isGraphBubbleUp } from "@langchain/langgraph";
import { Mutex } from "async-mutex";
import type { MemoryActor } from "../core/values/actor.js";
import type { ApprovalRequester, OnAsk, ApprovalRequest } from "../core/access/approval-requester.js";
import { MemoryError } from "../core/values/errors.js";
import {
  getInterruptState,
  getNextInterruptNumber,
  getTaskNamespace,
  hasAnswer,
  hasCheckpointer,
  type InterruptState,
  runInContext,
} from "./langgraph-internals.js";
import type { MemoryRun } from "./memory-run.js";

/** The shared data of all calls of one task, created anew each time that the task runs. */
interface Task {
  /** The answers so far, by the number of their interrupt. */
  answers: Map<number, unknown>;
  /**
   * The interrupt that ends this run of the task. All waiting calls end with this interrupt, so that people see the
   * interrupt that has the number.
   */
  ending: { cause: unknown } | null;
  /** Number of requests for each change, because one call may make the same change twice. */
  counts: Map<string, number>;
  turns: Mutex;
}

const tasks = new WeakMap<InterruptState, Task>();

/** Decides how approval is requested in a run. @param run null outside a run */
export function createApprovals(run: MemoryRun | null, onAsk: OnAsk, actor: MemoryActor | null): ApprovalRequester {
  return { onAsk, actor, createRequest: (about) => (run === null ? null : createRequest(run, about)) };
}

function createRequest(
  { config, toolCallId }: MemoryRun,
  about: Parameters<ApprovalRequester["createRequest"]>[0],
): ApprovalRequest | null {
  const interrupts = getInterruptState(config);
  if (interrupts === null) return null;
  const task = getTask(interrupts);
  const call = JSON.stringify([config.configurable?.["thread_id"], getTaskNamespace(config), toolCallId, about]);
  const count = task.counts.get(call) ?? 0;
  task.counts.set(call, count + 1);
  return {
    id: createHash("sha256").update(`${count} ${call}`).digest("hex").slice(0, 24),
    canWait: hasCheckpointer(config),
    toolName: getToolName(config),
    answer: (request, askedAt, remember) =>
      task.turns.runExclusive(async () => {
        for (;;) {
          if (askedAt !== null && task.answers.has(askedAt)) return task.answers.get(askedAt);
          if (task.ending !== null) throw task.ending.cause;
          const next = getNextInterruptNumber(interrupts);
          if (!hasAnswer(interrupts, next)) {
            await remember(next);
            // Another tool of the task took the number meanwhile.
            if (getNextInterruptNumber(interrupts) !== next) continue;
          }
          try {
            task.answers.set(next, await runInContext(config, async (): Promise<unknown> => interrupt(request)));
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

function getToolName(config: MemoryRun["config"] & { toolCall?: { name?: unknown } }): string {
  const name = config.toolCall?.name;
  return typeof name === "string" ? name : "memory";
}

function getTask(interrupts: InterruptState): Task {
  const task = tasks.get(interrupts) ?? { answers: new Map(), ending: null, counts: new Map(), turns: new Mutex() };
  tasks.set(interrupts, task);
  return task;
}
