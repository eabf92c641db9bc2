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
  /** The system prompt of the call. Version 6 does not tell it. */
  initialInstructions?: Instructions | undefined;
}

/** The result of `prepareStep`. Version 6 calls the system prompt `system`, version 7 `instructions`. */
export interface PreparedStep<Message> {
  instructions?: Instructions;
  system?: Instructions;
  messages?: (Message | SystemMessage | { role: "user"; content: string })[];
}

/**
 * Adds a memory to the system prompt of a step.
 *
 * @param instructions the system prompt, if the memory knows it. Version 6 does not tell the system prompt of the call,
 * and a `system` in the answer would replace it. Then the memory is a system message of its own, right after it
 * @param text null shows nothing
 */
export function addToInstructions<Message>(
  step: AiStep<Message>,
  instructions: Instructions | undefined,
  text: string | null,
): PreparedStep<Message> {
  if (instructions === undefined && !("initialInstructions" in step))
    return text === null ? {} : { messages: [{ role: "system", content: text }, ...step.messages] };
  return bothNames(joinInstructions(instructions ?? step.initialInstructions ?? "", text));
}

/**
 * Adds a memory after all messages of a step. @param shown the messages that earlier steps added. Version 7 gives them
 * to the next step again
 */
export function addAsLastMessage<Message extends object>(
  step: AiStep<Message>,
  instructions: Instructions | undefined,
  text: string | null,
  shown: WeakSet<object>,
): PreparedStep<Message> {
  const messages: PreparedStep<Message>["messages"] = step.messages.filter((message) => !shown.has(message));
  if (text !== null) {
    const message = { role: "user", content: text } as const;
    shown.add(message);
    messages.push(message);
  }
  return { ...(instructions !== undefined && bothNames(instructions)), messages };
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
