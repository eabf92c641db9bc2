import { type JSONRPCMessage, McpServer, type Transport } from "@modelcontextprotocol/server";
import { shorten } from "../core/values/text.js";

/** The errors of this package are shorter. */
const maxErrorChars = 4000;

/** A server that shortens long errors, because the SDK describes each fault of a request. */
export class ShortErrorServer extends McpServer {
  override connect(transport: Transport): Promise<void> {
    const send = transport.send.bind(transport);
    transport.send = (message, options) => send(shortenError(message), options);
    return super.connect(transport);
  }
}

function shortenError(message: JSONRPCMessage): JSONRPCMessage {
  if (!("error" in message) || message.error.message.length <= maxErrorChars) return message;
  const { error, ...rest } = message;
  return { ...rest, error: { ...error, message: shorten(error.message, maxErrorChars) } };
}
