import type { Readable, Writable } from "node:stream";
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type McpServer,
} from "@modelcontextprotocol/server";
import { serveStdio as serveConnection } from "@modelcontextprotocol/server/stdio";
import type { ServerBounds } from "../bounds.js";
import type { Watcher } from "../change-watch.js";
import { MemoryService } from "../memory-service.js";
import { type McpServerOptions, type McpSettings, parseMcpOptions } from "../options.js";
import { createServerFor, reportChange } from "../server.js";
import { isListening, StdioTransport } from "./stdio-transport.js";

/**
 * Serves one client over stdin and stdout of this process. Nothing else may write to stdout. Ends when the client has
 * gone, or at SIGTERM or SIGINT. Resolves once the running calls have ended, or 5 seconds have passed. Close the
 * store after that. Requests that were read before the end of stdin are still answered.
 *
 * A malformed or too long message is answered with an error. Then the next message is read.
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
  /** Ids of requests of the revision 2026-07-28 that listen for changes. The SDK answers them without the server. */
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
    const transport = new StdioTransport(input, output, {
      maxMessageBytes: this.#service.bounds.maxMessageBytes,
      beforeMessage: (message) => this.#beforeMessage(message),
    });
    const connection = serveConnection(({ era }) => this.#connect(era), { transport });
    this.#stops.signal.addEventListener("abort", () => void connection.close());
    await transport.closed;
    await this.#service.close();
  }

  #connect(era: "legacy" | "modern"): McpServer {
    const mcp = createServerFor(this.#service, { reportsChanges: era === "legacy" });
    if (era === "modern") this.#modern = mcp;
    return mcp;
  }

  async #beforeMessage(message: JSONRPCMessage): Promise<void> {
    if (isJSONRPCNotification(message) && message.method === "notifications/cancelled")
      this.#listening.delete(message.params?.["requestId"]);
    if (!isJSONRPCRequest(message) || !isListening(message)) return;
    this.#listening.add(message.id);
    this.#service.watch.add(this.#watcher);
    // If the refresh fails, the next one starts the watch, and the client is notified of changes from then on.
    await this.#service.watch.refresh().catch(() => {});
  }
}
