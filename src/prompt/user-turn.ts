import { takeStart } from "../core/values/text.js";
import { getField } from "../core/values/unknown-values.js";

/** The turn of a conversation, by the user's last message. */
export interface UserTurn {
  /** The id of the user's last message. */
  messageId: string | undefined;
  /** The text of this message, shortened. "" without one. */
  text: string;
  /** The text that a memory is searched for. */
  question: string;
  /** Whether no other message follows this one: the model has not called a tool yet. */
  isFirst: boolean;
}

/** Describes the messages of a library. */
export interface MessageKind<Message extends object> {
  isUser: (message: Message) => boolean;
  /** Copies a message of the user, with other content. */
  withContent: (message: Message, content: string | object[]) => Message;
}

/** A message with fewer characters, such as "And on Friday?", is searched together with the user's message before it. */
const shortChars = 40;

/** A longer text is cut to half as many characters from each end, because the question is at one of them. */
const maxTextChars = 1000;

/** The messages that connectors have made: a copy of a user's message has its source, the message of a memory null. */
const sources = new WeakMap<object, object | null>();

/** Marks a message that shows a memory, so that no connector takes it for a message of the user. */
export function markAsMemory<Message extends object>(message: Message): Message {
  sources.set(message, null);
  return message;
}

/** Returns a message without the parts of memories, or null for the message of a memory. */
export function getOriginal<Message extends object>(message: Message): Message | null {
  return (listSources(message).at(-1) ?? null) as Message | null;
}

/** Lists the message, the message of which it is a copy, and so on. The last is null for the message of a memory. */
export function listSources(message: object): (object | null)[] {
  const source = sources.get(message);
  return source === undefined ? [message] : [message, ...(source === null ? [null] : listSources(source))];
}

/** Describes the turn of a conversation. The texts of blocks count, but no images and no files. */
export function getUserTurn<Message extends object>(
  messages: readonly Message[],
  { isUser }: Pick<MessageKind<Message>, "isUser">,
): UserTurn {
  const originals = messages.map(getOriginal).filter((message) => message !== null);
  const [previous, last] = [undefined, undefined, ...originals.filter(isUser)].slice(-2);
  const text = getText(getField(last, "content"));
  const isShort = text.length < shortChars;
  const id = getField(last, "id");
  return {
    messageId: typeof id === "string" && id !== "" ? id : undefined,
    text,
    question: isShort ? `${text}\n${getText(getField(previous, "content"))}`.trim() : text,
    isFirst: last === originals.at(-1),
  };
}

/** Describes the turn of a question without a conversation. Nobody recognizes it, so the memory is shown as it is now. */
export function createTurn(question: string): UserTurn {
  return { ...getUserTurn([{ content: question }], { isUser: () => true }), text: "" };
}

/**
 * Returns the messages with a text before the content of the user's last message, in a copy of it. Null without such a
 * message. Reason: few providers take a system message there, and some refuse two messages of the user in a row.
 */
export function joinUserMessage<Message extends object>(
  messages: readonly Message[],
  text: string,
  { isUser, withContent }: MessageKind<Message>,
): Message[] | null {
  const index = messages.findLastIndex((message) => isUser(message) && getOriginal(message) !== null);
  const message = messages[index];
  if (message === undefined) return null;
  const copy = withContent(message, prependText(getField(message, "content"), text));
  sources.set(copy, message);
  return messages.with(index, copy);
}

/** A text stays a text. The blocks of a message stay as they are, with their images and cache marks. */
function prependText(content: unknown, text: string): string | object[] {
  if (typeof content === "string") return content === "" ? text : `${text}\n\n${content}`;
  const blocks = Array.isArray(content) ? (content as object[]) : [];
  return blocks.length === 0 ? text : [{ type: "text", text: `${text}\n\n` }, ...blocks];
}

function getText(content: unknown): string {
  const text = typeof content === "string" ? content : listTexts(content).join("\n");
  if (text.length <= maxTextChars) return text;
  return `${takeStart(text, maxTextChars / 2)}\n${text.slice(-maxTextChars / 2)}`.toWellFormed();
}

function listTexts(content: unknown): string[] {
  const blocks: unknown[] = Array.isArray(content) ? content : [];
  return blocks.flatMap((block) => {
    const text = getField(block, "text");
    return getField(block, "type") === "text" && typeof text === "string" ? [text] : [];
  });
}
