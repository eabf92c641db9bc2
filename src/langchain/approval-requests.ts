import { interrupt, isGraphBubbleUp } from "@langchain/langgraph";
import type { MemoryActor } from "../core/values/actor.js";
import type { ApprovalRequester, OnAsk, ApprovalRequest } from "../core/access/approval-requester.js";
import { MemoryError } from "../core/values/errors.js";
import {
  getInterruptState,
  getNextInterruptNumber,
  hasAnswer,
  hasCheckpointer,
  runInContext,
} from "./langgraph-internals.js";
import type { MemoryRun } from "./memory-run.js";
import { getTask, identify } from "./task.js";

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
  const task = getTask(config, interrupts);
  return {
    id: identify(task, config, [toolCallId, about]).slice(0, 24),
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
