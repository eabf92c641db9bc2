import type { BaseMessageLike } from "@langchain/core/messages";
import { z } from "zod";
import { bindMemory, getInternals } from "../core/bind-memory.js";
import type { Memory } from "../core/memory.js";
import { assertMemory } from "../core/mounts/mounts.js";
import { RecentMap } from "../core/runtime/recent-map.js";
import { checkOptions } from "../core/settings/check-options.js";
import type { MemoryError } from "../core/values/errors.js";
import { findTimeZone, getLocalTime } from "../core/settings/time-zone.js";
import type { MemoryRun } from "../langchain/memory-run.js";
import { getField } from "../core/values/unknown-values.js";
import { toMessages } from "../langchain/to-messages.js";
import { toLogEntries } from "./entries.js";
import { takeLastTurn } from "./log-text.js";
import { LogWriter } from "./log-writer.js";
import {
  checkLogOptions,
  type ConversationLog,
  type ConversationLogOptions,
  findLog,
  logFields,
  toRun,
} from "./options.js";

const optionsSchema = z.strictObject({
  ...logFields,
  threadId: z.string().optional(),
  at: z.custom<Date>((at) => at instanceof Date && !Number.isNaN(at.getTime()), "must be a Date").optional(),
});

/**
 * Adds the messages of user and assistant to the log of a memory, each once. If the log has some of them, earlier ones
 * are new only in the last turn. Texts that a guard refuses are left out. The memory of a node with a log has the options
 * of this log as defaults.
 * @param messages objects of LangChain, or what it makes such objects of, as `{ role: "user", content: "Hi" }`
 * @returns the number of new messages. @throws TypeError for bad arguments, and the errors of the memory
 */
export async function logConversation(
  memory: Memory,
  messages: BaseMessageLike[],
  options: ConversationLogOptions & { threadId?: string; at?: Date } = {},
): Promise<number> {
  assertMemory(memory, "logConversation: memory");
  checkOptions("ConversationLogOptions", optionsSchema, options);
  const { threadId, at, ...logOptions } = options;
  const run: MemoryRun = { ...toRun(memory), ...(threadId !== undefined && { threadId }) };
  const log = checkLogOptions(logOptions, findLog(memory));
  return writeLog(memory, messages, { log, run, at, isWholeNew: true, onRefusal: () => undefined });
}

export interface LogCall {
  log: ConversationLog;
  run: MemoryRun;
  at?: Date | undefined;
  /** Whether all messages of a thread that the log does not know are new, or only those of the last turn. */
  isWholeNew: boolean;
  /** Receives the refusal of a guard. */
  onRefusal: (error: MemoryError) => void;
}

/** What this process knows of a thread. */
interface ThreadState {
  /** The mark of the last message that it has logged. If a person deletes the log, it is not logged again. */
  last: string | null;
  /** The mark of the first message that could not be written. */
  missedSince: string | null;
}

/** The last 10,000 threads of each storage. */
const threads = new WeakMap<object, RecentMap<ThreadState>>();

/** Writes the new messages to the log. @returns their number. @throws the errors of the memory and of its guard */
export async function writeLog(memory: Memory, messages: readonly BaseMessageLike[], call: LogCall): Promise<number> {
  const { log, run, at = new Date() } = call;
  const { threadId } = run;
  const isOrder = isCalledByTool(run);
  const entries = toLogEntries(toMessages(withoutToolResults(messages)), threadId).filter(
    ({ role }) => !isOrder || role !== "user",
  );
  if (entries.length === 0) return 0;
  const { memory: own, path, storage, guard } = getInternals(memory, log.path);
  const target = { memory: bindMemory(own, { without: "rules" }).with({ paths: "posix" }), path, guard };
  const known = threads.get(storage) ?? new RecentMap<ThreadState>(10_000);
  threads.set(storage, known);
  const key = JSON.stringify([target.memory.address, target.path, threadId ?? null]);
  const state = known.get(key) ?? { last: null, missedSince: null };
  const local = getLocalTime(at, findTimeZone(log.timeZone, run));
  const writer = new LogWriter(target, { ...call, ...local, keepDays: log.keepDays, threadId, entries, ...state });
  try {
    const count = await writer.write();
    known.set(key, { last: entries.at(-1)?.mark ?? null, missedSince: null });
    return count;
  } catch (error) {
    const [first] = takeLastTurn(entries, state.missedSince);
    known.set(key, { ...state, missedSince: first?.mark ?? null });
    throw error;
  }
}

/** Results of tools have another form in the AI SDK. A message without a text is not logged, and keeps the places of others. */
function withoutToolResults(messages: readonly BaseMessageLike[]): readonly BaseMessageLike[] {
  // `toMessages` refuses anything else. The type of `Array.isArray` would make the messages `any`.
  const isList: boolean = Array.isArray(messages);
  if (!isList) return messages;
  return messages.map((message) => (getField(message, "role") === "tool" ? { role: "system", content: "" } : message));
}

/**
 * Whether an agent runs inside a tool of another one. What it is asked is no message of the user. LangGraph names the
 * node that runs the tool and not the tool, so the name of the node decides: `tools`, `callTools`, `tool_node`.
 */
export function isCalledByTool({ config }: MemoryRun): boolean {
  const namespace: unknown = config.configurable?.["checkpoint_ns"];
  return (
    typeof namespace === "string" &&
    namespace
      .split("|")
      .slice(0, -1)
      .some((task) => toolNode.test(task))
  );
}

const toolNode = /tools?(?:[-_ ]?nodes?)?:/i;
