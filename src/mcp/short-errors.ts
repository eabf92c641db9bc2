import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { shorten } from "../core/values/text.js";

/** No error of this package is longer. */
const maxErrorChars = 4000;

/** A message as it is, or a long error shortened: the SDK tells of each fault that a request has. */
export function shortenError(message: JSONRPCMessage): JSONRPCMessage {
  if (!("error" in message) || message.error.message.length <= maxErrorChars) return message;
  const { error, ...rest } = message;
  return { ...rest, error: { ...error, message: shorten(error.message, maxErrorChars) } };
}
