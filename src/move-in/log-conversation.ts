import { AIMessage, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { writeLog } from "../conversation/log-conversation.js";
import { checkLogOptions } from "../conversation/options.js";
import type { Memory } from "../core/memory.js";
import { maxMessageChars } from "../core/search/log-parts.js";
import type { MoveInConversation, MoveInMessage } from "./item.js";

/** A longer pause begins a new part of the log, with its own time. */
const maxPauseMs = 3_600_000;

/**
 * Adds a conversation to the log, each message once, in the file of its day in UTC.
 * @returns the number of new messages, and the lost parts of the conversation, in words
 */
export async function logPastConversation(
  memory: Memory,
  { threadId, messages, shortened }: MoveInConversation,
  { path, dryRun }: { path: string; dryRun: boolean },
): Promise<{ count: number; losses: string[] }> {
  const log = checkLogOptions({ path });
  let [count, refused] = [0, 0];
  const call = { log, run: { config: {}, threadId }, isWholeNew: true, isPast: true, dryRun };
  const onRefusal = (): void => {
    refused += 1;
  };
  for (const { at, known } of splitIntoParts(messages))
    count += await writeLog(memory, known.map(toBaseMessage), { ...call, at, onRefusal });
  const cut = messages.filter(({ text }) => text.length > maxMessageChars).length;
  const losses = [
    ...(shortened === undefined ? [] : [shortened]),
    ...(cut === 0 ? [] : [`${cut} messages are cut after ${maxMessageChars} characters`]),
    ...(refused === 0 ? [] : [`a guard refused ${refused} messages`]),
  ];
  return { count, losses };
}

/** Yields the time of each part, and the messages of its day up to its end, because parts of a day follow each other. */
function* splitIntoParts(messages: readonly MoveInMessage[]): Generator<{ at: Date; known: MoveInMessage[] }> {
  let known: MoveInMessage[] = [];
  let begin: Date | null = null;
  // The order also bounds the number of parts.
  for (const message of messages.toSorted((a, b) => a.at.getTime() - b.at.getTime())) {
    const { at } = message;
    const last = known.at(-1)?.at ?? at;
    const isNewDay = getDay(at) !== getDay(last);
    if (begin !== null && (isNewDay || at.getTime() - last.getTime() > maxPauseMs)) {
      yield { at: begin, known: [...known] };
      begin = null;
    }
    if (isNewDay) known = [];
    known.push(message);
    begin ??= at;
  }
  if (begin !== null) yield { at: begin, known };
}

function toBaseMessage({ id, role, text: content }: MoveInMessage): BaseMessage {
  return role === "user" ? new HumanMessage({ id, content }) : new AIMessage({ id, content });
}

function getDay(at: Date): string {
  return at.toISOString().slice(0, 10);
}
