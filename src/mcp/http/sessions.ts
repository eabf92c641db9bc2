import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { isInitializeRequest, type McpServer } from "@modelcontextprotocol/server";
import type { HttpRefusal } from "./guard.js";
import { SessionTransport } from "./session-transport.js";

export interface SessionsOptions {
  maxSessions: number;
  /** Of one session. */
  maxStreams: number;
  idleMs: number;
  createServer: () => McpServer;
}

interface Session {
  transport: SessionTransport;
  /** Requests and streams that are not over. */
  openResponses: number;
  timer: NodeJS.Timeout | undefined;
}

/**
 * The sessions of clients of the revisions before 2026-07-28, a server each. A session ends by its client's DELETE, or
 * when nothing of it has been open for `idleMs`, as after a client was killed. A further client ends none.
 */
export class HttpSessions {
  readonly #options: SessionsOptions;
  readonly #sessions = new Map<string, Session>();

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** The transport that answers a request, kept open while `response` is; or why there is none. */
  async transportFor(
    id: string | undefined,
    body: unknown,
    response: ServerResponse,
  ): Promise<SessionTransport | HttpRefusal> {
    if (id !== undefined) {
      const session = this.#sessions.get(id);
      if (session === undefined)
        return refusal(404, -32_001, "there is no such session, or it has expired; begin with initialize");
      if (session.openResponses >= this.#options.maxStreams) {
        return refusal(
          429,
          -32_000,
          `${this.#options.maxStreams} requests and streams of the session are open; wait until one is over`,
        );
      }
      this.#keepWhile(response, id, session);
      return session.transport;
    }
    if (!isInitializeRequest(body))
      return refusal(400, -32_000, "a Mcp-Session-Id header is required; the answer to initialize has it");
    if (this.#sessions.size >= this.#options.maxSessions) {
      return refusal(
        503,
        -32_000,
        `all ${this.#options.maxSessions} sessions of the server are in use; try again later`,
      );
    }
    return this.#begin(response);
  }

  async close(): Promise<void> {
    await Promise.all(Array.from(this.#sessions.keys(), (id) => this.#end(id)));
  }

  async #begin(response: ServerResponse): Promise<SessionTransport> {
    const id = randomUUID();
    const transport = new SessionTransport({
      sessionIdGenerator: () => id,
      onsessionclosed: () => this.#forget(id),
    });
    const session: Session = { transport, openResponses: 0, timer: undefined };
    this.#sessions.set(id, session);
    this.#keepWhile(response, id, session);
    await this.#options.createServer().connect(transport);
    // The SDK refuses some requests, for example by their headers, before it begins a session.
    response.once("close", () => {
      if (transport.sessionId === undefined) void this.#end(id);
    });
    return transport;
  }

  #keepWhile(response: ServerResponse, id: string, session: Session): void {
    session.openResponses += 1;
    clearTimeout(session.timer);
    response.once("close", () => {
      session.openResponses -= 1;
      if (session.openResponses > 0 || !this.#sessions.has(id)) return;
      session.timer = setTimeout(() => void this.#end(id), this.#options.idleMs).unref();
    });
  }

  async #end(id: string): Promise<void> {
    const session = this.#sessions.get(id);
    this.#forget(id);
    await session?.transport.close();
  }

  #forget(id: string): void {
    clearTimeout(this.#sessions.get(id)?.timer);
    this.#sessions.delete(id);
  }
}

function refusal(status: number, code: number, message: string): HttpRefusal {
  return { status, code, message };
}
