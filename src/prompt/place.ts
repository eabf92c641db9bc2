import { type BaseMessage, type ContentBlock, HumanMessage, SystemMessage } from "@langchain/core/messages";
import type { MemoryPlacement } from "./connector-options.js";
import { markAsMemory, type MessageKind } from "./user-turn.js";

/** LangChain's messages. Compares types, not classes, because its ESM and its CommonJS build have different classes. */
export const langChainMessages: MessageKind<BaseMessage> = {
  isUser: ({ type }) => type === "human",
  withContent: (message, content) =>
    new HumanMessage({ ...getOtherFields(message), content: content as ContentBlock[] }),
};

/** Part of the texts of blocks, because some clients join blocks with nothing between them. */
const separator = "\n\n";

export interface PlaceOptions {
  placement: MemoryPlacement;
  /**
   * Whether the memory is a separate system message, for clients that accept several. Otherwise there is at most one,
   * and it is first.
   */
  separate: boolean;
  /**
   * Whether the memory is a user message, at any placement, but never before a leading system message. @default false
   */
  asUser?: boolean;
}

/**
 * Returns a new array of messages that contains the rendered memory. Does not change the given array or its messages.
 */
export function placeMemory(messages: readonly BaseMessage[], text: string, options: PlaceOptions): BaseMessage[] {
  const { placement, separate, asUser = false } = options;
  if (text === "") return [...messages];
  if (placement === "last_message")
    return [...messages, separate && !asUser ? markAsMemory(new SystemMessage(text)) : createUserMessage(text)];
  const leading = takeLeadingSystemMessages(messages);
  const rest = messages.slice(leading.length);
  if (asUser) return [...leading, createUserMessage(text), ...rest];
  if (!separate) return [mergeSystemMessages(leading, text, placement), ...rest];
  const memory = new SystemMessage(text);
  return placement === "before_system" ? [memory, ...messages] : [...leading, memory, ...rest];
}

function createUserMessage(text: string): HumanMessage {
  return markAsMemory(new HumanMessage(text));
}

function takeLeadingSystemMessages(messages: readonly BaseMessage[]): BaseMessage[] {
  const firstOther = messages.findIndex((message) => message.type !== "system");
  return messages.slice(0, firstOther === -1 ? messages.length : firstOther);
}

function mergeSystemMessages(
  leading: readonly BaseMessage[],
  text: string,
  placement: "before_system" | "after_system",
): SystemMessage {
  const prompt = leading.map(getContentBlocks).reduce(joinBlocks, []);
  const [first] = leading;
  return new SystemMessage({
    ...(first && getOtherFields(first)),
    content: joinPromptAndMemory(prompt, text, placement),
  });
}

function getOtherFields({ id, name, additional_kwargs, response_metadata }: BaseMessage) {
  return {
    ...(id !== undefined && { id }),
    ...(name !== undefined && { name }),
    additional_kwargs: { ...additional_kwargs },
    response_metadata: { ...response_metadata },
  };
}

/** The separator belongs to the memory's block, so that the prompt's blocks stay unchanged. */
function joinPromptAndMemory(
  prompt: ContentBlock[],
  text: string,
  placement: "before_system" | "after_system",
): string | ContentBlock[] {
  if (prompt.length === 0) return text;
  return placement === "before_system"
    ? [createTextBlock(text + separator), ...prompt]
    : [...prompt, createTextBlock(separator + text)];
}

function createTextBlock(text: string): ContentBlock.Text {
  return { type: "text", text };
}

/** Omits empty text blocks, because Anthropic refuses them. */
function getContentBlocks({ content }: BaseMessage): ContentBlock[] {
  if (typeof content === "string") return content === "" ? [] : [createTextBlock(content)];
  return content.filter((block) => !isText(block) || block.text !== "");
}

/** Adds the separator to a text at the seam, preferably to a text without a cache mark. */
function joinBlocks(before: ContentBlock[], after: ContentBlock[]): ContentBlock[] {
  const last = before.at(-1);
  const next = after[0];
  if (!last || !next) return [...before, ...after];
  if (isText(next) && (!isCacheMarked(next) || !isText(last) || isCacheMarked(last))) {
    return [...before, { ...next, text: separator + next.text }, ...after.slice(1)];
  }
  if (!isText(last)) return [...before, ...after];
  return [...before.slice(0, -1), { ...last, text: last.text + separator }, ...after];
}

function isText(block: ContentBlock): block is ContentBlock & { text: string } {
  return block.type === "text" && typeof block["text"] === "string";
}

function isCacheMarked(block: ContentBlock): boolean {
  return block["cache_control"] !== undefined;
}
