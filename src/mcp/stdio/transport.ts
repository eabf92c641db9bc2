import type { JSONRPCMessage, RequestId } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";

/**
 * Tells when it is closed, by the client, by the server or because nobody reads the output, and when all is answered.
 */
export class AnsweringTransport extends StdioServerTransport {
  readonly closed: Promise<void>;
  #tellClosed: () => void = () => {};
  readonly #unanswered = new Set<RequestId>();
  #tellAnswered: () => void = () => {};

  constructor(...args: ConstructorParameters<typeof StdioServerTransport>) {
    super(...args);
    this.closed = new Promise((resolve) => {
      this.#tellClosed = resolve;
    });
  }

  /** A request that is about to be read. */
  expectAnswer(id: RequestId): void {
    this.#unanswered.add(id);
  }

  /** The answer has come, or none will. */
  expectNoAnswer(id: RequestId): void {
    this.#unanswered.delete(id);
    if (this.#unanswered.size === 0) this.#tellAnswered();
  }

  /** Resolves when every request that was read has its answer. */
  async allAnswered(): Promise<void> {
    if (this.#unanswered.size === 0) return;
    await new Promise<void>((resolve) => {
      this.#tellAnswered = resolve;
    });
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    try {
      await super.send(message);
    } finally {
      if (!("method" in message) && message.id !== undefined) this.expectNoAnswer(message.id);
    }
  }

  override async close(): Promise<void> {
    await super.close();
    this.#tellClosed();
  }
}
