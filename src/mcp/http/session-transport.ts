import type { ServerResponse } from "node:http";
import {
  isJSONRPCNotification,
  type JSONRPCMessage,
  type RequestId,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { shortenError } from "../short-errors.js";

/**
 * The transport of one session. The SDK drops the notifications for a client that has no stream; here they wait for its
 * next stream, each once. The SDK also takes a broken stream for open until its next sign of life, and refuses another
 * one.
 */
export class SessionTransport extends WebStandardStreamableHTTPServerTransport {
  #hasStream = false;
  readonly #waiting = new Map<string, JSONRPCMessage>();

  override async send(message: JSONRPCMessage, options?: { relatedRequestId?: RequestId }): Promise<void> {
    const isForStream = isJSONRPCNotification(message) && options?.relatedRequestId === undefined;
    if (isForStream && !this.#hasStream) this.#waiting.set(JSON.stringify(message), message);
    else await super.send(shortenError(message), options);
  }

  /** Answers a GET; the stream lasts as long as `response`. */
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
