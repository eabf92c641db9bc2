import type { ServerResponse } from "node:http";
import {
  isJSONRPCNotification,
  type JSONRPCMessage,
  type RequestId,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { shortenError } from "../short-errors.js";

/**
 * The transport of one session. The SDK drops notifications for a client without a stream; this class stores each one
 * for the next stream. The SDK also treats a broken stream as open until its next keep-alive, and refuses a new stream
 * until then; this class frees the stream when its response closes.
 */
export class SessionTransport extends WebStandardStreamableHTTPServerTransport {
  #hasStream = false;
  readonly #waiting = new Map<string, JSONRPCMessage>();

  override async send(message: JSONRPCMessage, options?: { relatedRequestId?: RequestId }): Promise<void> {
    const isForStream = isJSONRPCNotification(message) && options?.relatedRequestId === undefined;
    if (isForStream && !this.#hasStream) this.#waiting.set(JSON.stringify(message), message);
    else await super.send(shortenError(message), options);
  }

  /** Answers a GET with a stream, which lasts as long as `response`. */
  async openStream(request: Request, response: ServerResponse): Promise<Response> {
    const answer = await this.handleRequest(request);
    if (!answer.ok) return answer;
    this.#hasStream = true;
    response.once("close", () => {
      this.#hasStream = false;
      this.closeStandaloneSSEStream();
    });
    const messages = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const message of messages) await super.send(message);
    return answer;
  }
}
