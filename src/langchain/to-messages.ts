import { type BaseMessage, type BaseMessageLike, coerceMessageLikeToMessage } from "@langchain/core/messages";
import { wrongArgument } from "../core/settings/wrong-argument.js";
import { shorten } from "../core/values/text.js";
import { isObject, isRecord } from "../core/values/unknown-values.js";

/**
 * Returns messages as objects of LangChain. Programs also have messages as plain objects, such as those of OpenAI, as
 * pairs of role and text, and as texts of the user. Messages that are objects of LangChain stay the same objects, and a
 * list of only such messages the same list.
 * @throws TypeError for anything else
 */
export function toMessages(messages: readonly BaseMessageLike[]): BaseMessage[] {
  const list: unknown = messages;
  if (!Array.isArray(list)) throw wrongArgument("messages", "a list of messages", list);
  const read = messages.map((message, index) => {
    try {
      return toMessage(message);
    } catch (cause) {
      const [reason = ""] = (cause instanceof Error ? cause.message : String(cause)).split("\n");
      throw new TypeError(`messages[${index}] is no message: ${shorten(reason, 200)}`, { cause });
    }
  });
  return read.every((message, index) => message === messages[index]) ? (messages as BaseMessage[]) : read;
}

/** The fields of plain objects in which LangChain looks for what a message says. It takes others for empty messages. */
const contentFields = ["content", "kwargs", "tool_calls"];

function toMessage(given: BaseMessageLike): BaseMessage {
  if (typeof given !== "string" && !isObject(given)) throw new TypeError("it is neither an object nor a text");
  const message = coerceMessageLikeToMessage(given);
  if (isRecord(given) && !contentFields.some((field) => field in given)) throw new TypeError("it has no content");
  const content: unknown = message.content;
  if (typeof content !== "string" && !(Array.isArray(content) && content.every(isObject)))
    throw new TypeError("its content must be a text or a list of blocks");
  return message;
}
