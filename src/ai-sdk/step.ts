import { joinParts, type MemoryParts } from "../prompt/shown-memory.js";
import { getOriginal, joinUserMessage, listSources, markAsMemory, type MessageKind } from "../prompt/user-turn.js";

/** A system message of the AI SDK. It may have more fields, such as `providerOptions`. */
interface SystemMessage {
  role: "system";
  content: string;
}

/** A system prompt as the AI SDK takes it. */
export type Instructions = string | SystemMessage | SystemMessage[];

/** The parts of the AI SDK's step that `prepareStep` of a memory uses. */
export interface AiStep<Message> {
  messages: Message[];
  /** The system prompt of the call. Version 6 does not pass it. */
  initialInstructions?: Instructions | undefined;
}

/** The result of `prepareStep`. Version 6 calls the system prompt `system`, version 7 `instructions`. */
export interface PreparedStep<Message> {
  instructions?: Instructions;
  system?: Instructions;
  messages?: (Message | SystemMessage | { role: "user"; content: string })[];
}

/** The way in which a memory is shown in the steps of a call. */
export interface StepOptions {
  /** The system prompt, if the memory knows it. */
  instructions: Instructions | undefined;
  placement: "after_system" | "last_message";
  /** The messages of earlier steps that show the memory. Version 7 gives them to the next step again. */
  made: WeakSet<object>;
}

/** Adds the parts of a memory to a step: one to the system prompt or after all messages, one to the user's message. */
export function showInStep<Message extends object>(
  step: AiStep<Message>,
  parts: MemoryParts,
  { instructions, placement, made }: StepOptions,
): PreparedStep<Message> {
  const given = step.messages.flatMap((message) => removeMemory(message, made));
  const joined = parts.turn === null ? given : joinUserMessage(given, parts.turn, createMessageKind(made));
  const messages: readonly Message[] = joined ?? given;
  const text = joined === null ? joinParts(parts) : parts.text;
  if (placement === "last_message") {
    const memory = text === null ? [] : [markAsMemory({ role: "user", content: text } as const)];
    for (const message of memory) made.add(message);
    return { ...(instructions !== undefined && bothNames(instructions)), messages: [...messages, ...memory] };
  }
  const isSame =
    messages.length === step.messages.length && messages.every((each, index) => each === step.messages[index]);
  const changed = isSame ? {} : { messages: [...messages] };
  // Version 6 does not pass the system prompt of the call, and a `system` in the answer would replace it. Then the
  // memory is a system message of its own, right after it.
  if (instructions === undefined && !("initialInstructions" in step))
    return text === null ? changed : { messages: [{ role: "system", content: text }, ...messages] };
  return { ...bothNames(joinInstructions(instructions ?? step.initialInstructions ?? "", text)), ...changed };
}

/** Returns the user's message in place of a copy that shows this memory, and nothing in place of this memory. */
function removeMemory<Message extends object>(message: Message, made: WeakSet<object>): Message[] {
  if (!listSources(message).some((source) => source !== null && made.has(source))) return [message];
  const original = getOriginal(message);
  return original === null ? [] : [original];
}

/** @param made keeps the copies */
export function createMessageKind<Message extends object>(made: WeakSet<object>): MessageKind<Message> {
  return {
    isUser: (message) => "role" in message && message.role === "user",
    withContent: (message, content) => {
      const copy = { ...message, content };
      made.add(copy);
      return copy;
    },
  };
}

/** Returns an empty list for no text, because providers refuse an empty message. */
function joinInstructions(given: Instructions, text: string | null): Instructions {
  if (given === "") return text ?? [];
  if (text === null) return given;
  if (typeof given === "string") return `${given}\n\n${text}`;
  // A message of its own, so that the cache mark of the messages before it stays valid.
  return [...(Array.isArray(given) ? given : [given]), { role: "system", content: text }];
}

function bothNames(instructions: Instructions): { instructions: Instructions; system: Instructions } {
  return { instructions, system: instructions };
}
