import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type Transport,
} from "@modelcontextprotocol/server";
import { shortenError } from "../short-errors.js";
import { readMessages } from "./read-messages.js";

export interface StdioTransportOptions {
  maxMessageBytes: number;
  /** Receives each message before the server. Never rejects. */
  beforeMessage: (message: JSONRPCMessage) => Promise<void>;
}

/** Whether the SDK answers a request only when the client ends it. */
export function isListening({ method }: { method: string }): boolean {
  return method === "subscriptions/listen";
}

/**
 * Sends and receives messages over a pair of streams, one on each line. Unlike the SDK's own transport, it answers
 * lines that contain no message. After the end of its input it still answers the requests that it has read, as in
 * `printf … | server`.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Resolves when the client or the server closes the connection, or when nobody reads the output. */
  readonly closed: Promise<void>;
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #options: StdioTransportOptions;
  /** Ids of requests without an answer. */
  readonly #unanswered = new Set<unknown>();
  #draining: Promise<unknown> | undefined;
  #isInputOver = false;
  #isClosed = false;
  #resolveClosed: () => void = () => {};

  constructor(input: Readable, output: Writable, options: StdioTransportOptions) {
    this.#input = input;
    this.#output = output;
    this.#options = options;
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
  }

  async start(): Promise<void> {
    this.#output.on("error", () => void this.close());
    void this.#read();
  }

  async #read(): Promise<void> {
    try {
      for await (const message of readMessages(this.#input, this.#options.maxMessageBytes)) {
        if ("reason" in message) {
          const { id, code, reason } = message;
          await this.#write({ jsonrpc: "2.0", id, error: { code, message: reason } });
        } else await this.#receive(message);
      }
    } catch {
      // The client has gone.
      await this.close();
    }
    this.#isInputOver = true;
    this.#closeWhenAnswered();
  }

  async #receive(message: JSONRPCMessage): Promise<void> {
    if (isJSONRPCRequest(message) && !isListening(message)) this.#unanswered.add(message.id);
    if (isJSONRPCNotification(message) && message.method === "notifications/cancelled")
      this.#unanswered.delete(message.params?.["requestId"]);
    await this.#options.beforeMessage(message);
    this.onmessage?.(message);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    try {
      await this.#write(shortenError(message));
    } finally {
      if (!("method" in message) && message.id !== undefined) this.#unanswered.delete(message.id);
      this.#closeWhenAnswered();
    }
  }

  async #write(message: object): Promise<void> {
    if (this.#isClosed) throw new Error("the connection is closed");
    if (!this.#output.write(`${JSON.stringify(message)}\n`)) await this.#drain();
  }

  /** All messages wait by one listener: Node warns of more than ten. */
  #drain(): Promise<unknown> {
    this.#draining ??= once(this.#output, "drain").finally(() => (this.#draining = undefined));
    return this.#draining;
  }

  #closeWhenAnswered(): void {
    if (this.#isInputOver && this.#unanswered.size === 0) void this.close();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    // An open input would keep the process alive.
    this.#input.destroy();
    this.onclose?.();
    this.#resolveClosed();
  }
}
