import { isDeepStrictEqual } from "node:util";
import { interrupt, isGraphBubbleUp } from "@langchain/langgraph";
import type { MemoryActor } from "../core/values/actor.js";
import type { ApprovalRequester, OnAsk, ApprovalRequest, ReviewRequest } from "../core/access/approval-requester.js";
import { MemoryError } from "../core/values/errors.js";
import { warnOnce } from "../core/runtime/warn-once.js";
import { isRecord } from "../core/values/unknown-values.js";
import {
  getInterruptState,
  getNextInterruptNumber,
  hasAnswer,
  hasCheckpointer,
  hasUnnamedAnswer,
  type InterruptState,
  listInterruptsOfStep,
  type StepInterrupt,
  runInContext,
  withoutUnnamedAnswer,
} from "./langgraph-internals.js";
import { continueRun, type MemoryRun } from "./memory-run.js";
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
    continueRun: (runId) => continueRun(config, runId),
    answer: (request, askedAt, remember) =>
      task.turns.runExclusive(async () => {
        for (;;) {
          if (askedAt !== null && task.answers.has(askedAt)) return task.answers.get(askedAt);
          if (task.ending !== null) {
            if (toolCallId !== undefined && task.ending.toolCallId === toolCallId) warnOfCaughtQuestion();
            throw task.ending.cause;
          }
          const next = getNextInterruptNumber(interrupts);
          if (!hasAnswer(interrupts, next)) {
            await remember(next);
            // Another tool of the task took the number meanwhile.
            if (getNextInterruptNumber(interrupts) !== next) continue;
          }
          try {
            task.answers.set(next, await ask(request, interrupts, config, () => remember(next)));
          } catch (cause) {
            if (!isGraphBubbleUp(cause))
              throw new MemoryError("EACCES", "EACCES: a person cannot be asked in this run", { cause });
            task.ending = { cause, toolCallId };
            throw cause;
          }
        }
      }),
  };
}

/**
 * Takes the answer of a person, or ends the run with the question. LangGraph gives an answer without an id to all tasks
 * that wait, but the person may have seen only one of their questions. So it counts for several only if it decides all
 * of them alike; the order of tasks is not certain. If the others were answered before, it is for the one that is left,
 * unless that one was asked again because of such an answer: LangGraph keeps the answer, and gives it to each run.
 */
async function ask(
  request: ReviewRequest,
  interrupts: InterruptState,
  config: MemoryRun["config"],
  remember: () => Promise<void>,
): Promise<unknown> {
  const isUnnamed = hasUnnamedAnswer(interrupts, getNextInterruptNumber(interrupts));
  const questions = isUnnamed ? await listInterruptsOfStep(config) : [];
  const [open, ...others] = questions.filter(({ isAnswered }) => !isAnswered);
  const isLast =
    others.length === 0 &&
    JSON.stringify(open?.value) === JSON.stringify(request) &&
    listDecisions(interrupts.nullResume).length === 1;
  const isForOne = questions.length < 2 || isLast;
  const decision = isForOne ? null : getDecisionOfAll(interrupts.nullResume, questions);
  if (isForOne || decision !== null) {
    const answer = await runInContext(config, async (): Promise<unknown> => interrupt(request));
    return isForOne ? answer : { decisions: [decision] };
  }
  await remember();
  const advice =
    `This step has ${questions.length} questions, and the answer did not say which it is for, so it decided nothing. ` +
    "Answer each question by its id: new Command({ resume: { [id]: { decisions: [decision] } } })";
  const [action] = request.actionRequests;
  const again = { ...request, actionRequests: [{ ...action, description: `${advice}\n\n${action.description}` }] };
  return runInContext(withoutUnnamedAnswer(config), async (): Promise<unknown> => interrupt(again));
}

/** Returns the decision that an answer has once for each action of the questions. Null if it has others. */
function getDecisionOfAll(answer: unknown, questions: readonly StepInterrupt[]): unknown {
  const decisions = listDecisions(answer);
  if (decisions.length !== countActions(questions)) return null;
  const [first] = decisions;
  return decisions.every((decision) => isDeepStrictEqual(decision, first)) ? first : null;
}

function listDecisions(answer: unknown): unknown[] {
  const decisions = isRecord(answer) ? answer["decisions"] : undefined;
  return Array.isArray(decisions) ? decisions : [];
}

function countActions(questions: readonly StepInterrupt[]): number {
  return questions
    .map(({ value }) => (isRecord(value) ? value["actionRequests"] : undefined))
    .reduce<number>((sum, actions) => sum + (Array.isArray(actions) ? actions.length : 1), 0);
}

function warnOfCaughtQuestion(): void {
  warnOnce(
    "question",
    "a memory tool that waits for a person was called again in the same task, so something around the tool caught its " +
      "question, and nobody is asked; toolRetryMiddleware does so: give it `tools` without the memory's tools",
  );
}

function getToolName(config: MemoryRun["config"] & { toolCall?: { name?: unknown } }): string {
  const name = config.toolCall?.name;
  return typeof name === "string" ? name : "memory";
}
