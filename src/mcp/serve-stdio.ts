import { PassThrough, pipeline, type Readable, type Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { serveStdio as serveConnection, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import type { ServerBounds } from "./bounds.js";
import { MemoryService } from "./memory-service.js";
import { type McpServerOptions, type McpSettings, parseMcpOptions } from "./options.js";
import { createServerFor } from "./server.js";

/**
 * Serves one client over stdin and stdout of this process. Nothing else may write to stdout. Ends when the client has
 * gone, or at SIGTERM or SIGINT. Resolves once the running calls have ended, or 5 seconds have passed. Close the
 * store after that. Requests that were read before the end of stdin are still answered.
 *
 * Skips lines that are no message. A message of more than 16,000,000 bytes, and bytes that are not UTF-8, end the
 * connection with an error, once the requests before them are answered.
 *
 * @throws TypeError for bad options, or two tools of one name; StdioInputError
 */
export async function serveStdio(options: McpServerOptions): Promise<void> {
  await serveProcess(new StdioConnection(parseMcpOptions("McpServerOptions", options)));
}

/** The client has sent what no server over stdio accepts. */
export class StdioInputError extends Error {
  override readonly name = "StdioInputError";
}

/** Serves over stdin and stdout until the client has gone or a signal comes. */
export async function serveProcess(connection: StdioConnection): Promise<void> {
  const stop = () => connection.stop();
  process.once("SIGTERM", stop);
  process.once("SIGINT", stop);
  try {
    await connection.serve(process.stdin, process.stdout);
  } finally {
    process.off("SIGTERM", stop);
    process.off("SIGINT", stop);
  }
}

/** The SDK answers these requests of revision 2026-07-28 when the connection closes. */
const listenMethod = "subscriptions/listen";

/** Serves one client over a pair of streams. */
export class StdioConnection {
  readonly #service: MemoryService;
  readonly #stops = new AbortController();
  /** Ids of the requests without an answer. */
  readonly #unanswered = new Set<unknown>();
  #fault: StdioInputError | undefined;

  /** @throws TypeError if two tools have the same name */
  constructor(settings: McpSettings<"McpServerOptions">, bounds?: ServerBounds) {
    this.#service = new MemoryService(settings, bounds);
  }

  stop(): void {
    this.#stops.abort();
  }

  /**
   * Resolves when the client has gone or `stop` was called, and the running calls have ended or timed out.
   * @throws StdioInputError at the end
   */
  async serve(input: Readable, output: Writable): Promise<void> {
    const text = new PassThrough();
    // If the client has gone, the text ends too, and with it the connection.
    pipeline(
      input,
      (chunks: AsyncIterable<Buffer>) => this.#readText(chunks),
      text,
      () => {},
    );
    const transport = new StdioServerTransport(text, output, {
      maxBufferSize: this.#service.bounds.maxMessageBytes,
    });
    // The SDK adds listeners for each message that waits for the output.
    output.setMaxListeners(0);
    const connection = serveConnection(() => createServerFor(this.#service), { transport });
    this.#stops.signal.addEventListener("abort", () => void connection.close());
    await this.#follow(transport);
    // An open input would keep the process alive.
    input.destroy();
    await this.#service.close();
    if (this.#fault !== undefined) throw this.#fault;
  }

  /**
   * Yields the text of an input. The SDK would replace bytes that are not UTF-8, and a file would contain another text
   * than was sent. The SDK also answers nothing after the end, so the text ends once all requests are answered.
   */
  async *#readText(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
    const { maxMessageBytes } = this.#service.bounds;
    const decoder = new TextDecoder("utf-8", { fatal: true });
    let lineBytes = 0;
    try {
      for await (const chunk of chunks)
        for (const part of splitAfterLines(chunk)) {
          lineBytes += part.length;
          if (lineBytes > maxMessageBytes) throw new StdioInputError(`a message has over ${maxMessageBytes} bytes`);
          yield decoder.decode(part, { stream: true });
          if (part.at(-1) === newline) lineBytes = 0;
        }
      decoder.decode();
    } catch (error) {
      if (error instanceof StdioInputError) this.#fault = error;
      else if (error instanceof TypeError)
        this.#fault = new StdioInputError("the input is not UTF-8", { cause: error });
    }
    // A last line without a newline counts as a line. The start of a faulty line must be no message.
    yield this.#fault === undefined ? "\n" : "\0\n";
    do await sleep(10);
    while (this.#unanswered.size > 0);
  }

  /** Follows the messages of a transport. Resolves when it has closed. */
  #follow(transport: StdioServerTransport): Promise<void> {
    const { onmessage, onclose } = transport;
    const send = transport.send.bind(transport);
    return new Promise((resolve) => {
      Object.assign(transport, {
        onmessage: (message: JSONRPCMessage) => {
          this.#receive(message);
          onmessage?.(message);
        },
        send: async (message: JSONRPCMessage) => {
          try {
            await send(message);
          } finally {
            if (!("method" in message)) this.#unanswered.delete(message.id);
          }
        },
        onclose: () => {
          this.#unanswered.clear();
          onclose?.();
          resolve();
        },
      });
    });
  }

  #receive(message: JSONRPCMessage): void {
    if (!("method" in message)) return;
    if (!("id" in message)) {
      if (message.method === "notifications/cancelled") this.#unanswered.delete(message.params?.["requestId"]);
    } else if (message.method !== listenMethod) this.#unanswered.add(message.id);
  }
}

const newline = 0x0a;

/** Yields the lines of a chunk, each with its newline. The last one may have none. */
function* splitAfterLines(chunk: Buffer): Generator<Buffer> {
  for (let start = 0; start < chunk.length;) {
    const end = chunk.indexOf(newline, start) + 1 || chunk.length;
    yield chunk.subarray(start, end);
    start = end;
  }
}
