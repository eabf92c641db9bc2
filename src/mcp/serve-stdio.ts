import { PassThrough, pipeline, type Readable, type Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { JSONRPCMessage, McpServer } from "@modelcontextprotocol/server";
import { serveStdio as serveConnection, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import type { ServerBounds } from "./bounds.js";
import type { Watcher } from "./change-watch.js";
import { MemoryService } from "./memory-service.js";
import { type McpServerOptions, type McpSettings, parseMcpOptions } from "./options.js";
import { createServerFor, listenMethod, reportChange } from "./server.js";

/**
 * Serves one client over stdin and stdout of this process. Nothing else may write to stdout. Ends when the client has
 * gone, or at SIGTERM or SIGINT. Resolves once the running calls have ended, or 5 seconds have passed. Close the
 * store after that. Requests that were read before the end of stdin are still answered.
 *
 * Skips lines that are no message. A message of more than 16,000,000 bytes, and bytes that are not UTF-8, end the
 * connection.
 *
 * @throws TypeError for bad options, or two tools of one name
 */
export async function serveStdio(options: McpServerOptions): Promise<void> {
  await serveProcess(new StdioConnection(parseMcpOptions("McpServerOptions", options)));
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

/** Serves one client over a pair of streams. */
export class StdioConnection {
  readonly #service: MemoryService;
  readonly #stops = new AbortController();
  /** Ids of the requests without an answer, except those of `#listening`. */
  readonly #unanswered = new Set<unknown>();
  /** Ids of the requests that listen for changes (revision 2026-07-28). The SDK answers them without the server. */
  readonly #listening = new Set<unknown>();
  #modern: McpServer | undefined;
  /** One watcher serves all these requests: the SDK passes each notification on to the requests that want it. */
  readonly #watcher: Watcher = {
    isOpen: () => this.#listening.size > 0,
    isSubscribed: () => true,
    notify: (change) => this.#modern && reportChange(this.#modern, change),
  };

  /** @throws TypeError if two tools have the same name */
  constructor(settings: McpSettings<"McpServerOptions">, bounds?: ServerBounds) {
    this.#service = new MemoryService(settings, bounds);
  }

  stop(): void {
    this.#stops.abort();
  }

  /** Resolves when the client has gone or `stop` was called, and the running calls have ended or timed out. */
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
    const connection = serveConnection(({ era }) => this.#connect(era), { transport });
    this.#stops.signal.addEventListener("abort", () => void connection.close());
    await this.#follow(transport);
    // An open input would keep the process alive.
    input.destroy();
    await this.#service.close();
  }

  /**
   * Yields the text of an input. The SDK would replace bytes that are not UTF-8, and a file would contain another text
   * than was sent. The SDK also answers nothing after the end, so the text ends once all requests are answered.
   * @throws TypeError for bytes that are not UTF-8
   */
  async *#readText(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
    const decoder = new TextDecoder("utf-8", { fatal: true });
    for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true });
    // A last line without a newline counts as a line.
    yield "\n";
    do await sleep(10);
    while (this.#unanswered.size > 0);
  }

  #connect(era: "legacy" | "modern"): McpServer {
    const mcp = createServerFor(this.#service, era === "legacy" ? "server" : "stream");
    if (era === "modern") this.#modern = mcp;
    return mcp;
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
          if ("method" in message && message.method === "notifications/subscriptions/acknowledged") await this.#watch();
          try {
            await send(message);
          } finally {
            if (!("method" in message)) this.#forget(message.id);
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
    if ("id" in message) (message.method === listenMethod ? this.#listening : this.#unanswered).add(message.id);
    else if (message.method === "notifications/cancelled") this.#forget(message.params?.["requestId"]);
  }

  #forget(id: unknown): void {
    this.#unanswered.delete(id);
    this.#listening.delete(id);
  }

  /** Watches for a request that listens. It misses no change after this. */
  async #watch(): Promise<void> {
    this.#service.watch.add(this.#watcher);
    // If the refresh fails, the next one starts the watch, and the client is notified of changes from then on.
    await this.#service.watch.refresh().catch(() => {});
  }
}
