import type { BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { checkOptions, countField, createFunctionField } from "../core/settings/check-options.js";
import { withAnySignal } from "../core/runtime/signal-listeners.js";
import type { MemoryError } from "../core/values/errors.js";
import { hashSha256 } from "../core/values/sha256.js";
import { isCalledByTool } from "../conversation/log-conversation.js";
import { toConfig, workAfterRun } from "../graph/after-run.js";
import type { MessagesState } from "../graph/call-model-node.js";
import { toMessages } from "../langchain/to-messages.js";
import { runLearn } from "./learn.js";
import { openLearnedMemory } from "./learned-memory.js";
import { checkLearnOptions, findLogZone, learnSchema, type LearnOptions, type LearnSettings } from "./options.js";
import { readMessages, type Source } from "./sources.js";

type LearnRunOptions = LearnOptions & { everyTurns?: number; onError?: (error: MemoryError) => void };

const runSchema = learnSchema.omit({ messages: true }).extend({
  everyTurns: countField.default(1),
  onError: createFunctionField<LearnRunOptions["onError"]>().optional(),
});

/**
 * Creates a node for `graph.addNode` that learns from the messages of the thread that no earlier run has read. It goes
 * after the last answer, and changes nothing in the state. A failure of the model or of the memory never ends the run:
 * the next run reads the same messages.
 *
 * @param options.everyTurns learns when there are so many new messages of the user. Default: 1
 * @param options.onError called with the reason of a failure. Default: a warning of the process
 * @throws TypeError for bad options
 */
export function createLearnNode(
  options: LearnOptions & { everyTurns?: number; onError?: (error: MemoryError) => void },
): (state: MessagesState, config: RunnableConfig) => Promise<object> {
  const learnFrom = createLearner(options);
  return async (state, config) => {
    await learnFrom(state?.messages, config);
    return {};
  };
}

/** As `createMiddleware` of `langchain` returns it, so that this entry works without that package. */
interface LearnMiddleware {
  name: string;
  /** Learns after the answer, and changes nothing in the state. */
  afterAgent: (state: MessagesState, runtime: object) => Promise<undefined>;
}

/**
 * Does the same as `createLearnNode` for `createAgent({ middleware })`, after the agent's answer.
 * @throws TypeError for bad options
 */
export function learnMiddleware(
  options: LearnOptions & { everyTurns?: number; onError?: (error: MemoryError) => void },
): LearnMiddleware {
  const learnFrom = createLearner(options);
  const { nodeId, scope } = "address" in options.memory ? options.memory.address : options.memory;
  return {
    name: `Learn(${nodeId}, ${scope})`,
    afterAgent: async (state, runtime) => {
      await learnFrom(state?.messages, toConfig(runtime));
      return undefined;
    },
  };
}

function createLearner(options: LearnRunOptions): (messages: BaseMessage[], config: RunnableConfig) => Promise<void> {
  const { everyTurns, onError } = checkOptions("LearnOptions", runSchema, options);
  const { everyTurns: _turns, onError: _onError, ...learnOptions } = options;
  const settings = checkLearnOptions({ ...learnOptions, messages: [] });
  return async (messages, config) => {
    await workAfterRun(config, {
      memory: settings.memory,
      title: "nothing learnt",
      failure: "learning failed",
      onError,
      work: async (open, run) => {
        const timeZone = findLogZone(settings.memory, run);
        const texts = readMessages(toMessages(messages), timeZone, isCalledByTool(run));
        if (countTurns(texts) < everyTurns) return;
        const { threadId = "" } = run;
        const memory = await open();
        await withAnySignal(
          [run.config.signal, settings.signal].filter((each) => each !== undefined),
          (signal) => learnFromThread({ ...settings, memory, signal, timeZone }, { texts, threadId, everyTurns }),
        );
      },
    });
  };
}

interface ThreadTexts {
  /** All messages of the thread. */
  texts: readonly Source[];
  threadId: string;
  everyTurns: number;
}

/** Learns from the messages that no good run has read. The progress of the thread is the marks of the read messages. */
async function learnFromThread(
  settings: LearnSettings & { timeZone: string },
  { texts, threadId, everyTurns }: ThreadTexts,
): Promise<void> {
  const record = openLearnedMemory(settings.memory, settings).proposals.progress(threadId);
  const progress = await record.open();
  const known = new Set(progress.bookmark?.split(" "));
  const added = texts.slice(texts.findLastIndex(({ id }) => known.has(createMark(id))) + 1);
  if (countTurns(added) < everyTurns) return;
  const { runId, unread } = await runLearn(settings, added);
  const read = texts.slice(0, texts.length - unread);
  const marks = read.slice(-markedMessages).map(({ id }) => createMark(id));
  await record.advance(progress, { bookmark: marks.join(" "), lastRunId: runId });
}

/** The number of marks that are kept. More than one, because a program may remove the last message. */
const markedMessages = 10;

function createMark(id: string): string {
  return hashSha256(id).slice(0, 16);
}

function countTurns(texts: readonly Source[]): number {
  return texts.filter(({ asks }) => asks).length;
}
