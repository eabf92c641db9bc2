import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { isInitializeRequest, type McpServer } from "@modelcontextprotocol/server";
import { HttpRefusal, serverError } from "./guard.js";
import { SessionTransport } from "./session-transport.js";

export interface SessionsOptions {
  maxSessions: number;
  /** The limit of requests and streams of one session. */
  maxStreams: number;
  idleMs: number;
  createServer: () => McpServer;
}

interface Session {
  transport: SessionTransport;
  /** The number of open requests and streams. */
  openResponses: number;
  timer: NodeJS.Timeout | undefined;
}

/**
 * The sessions of clients of the revisions before 2026-07-28. Each session has its own server. A session ends when its
 * client sends DELETE, or when no request or stream of it was open for `idleMs`. A new client never ends a session.
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

  /** Returns the transport that answers a request. Keeps its session while `response` is open. @throws HttpRefusal */
  async getTransport(id: string | undefined, body: unknown, response: ServerResponse): Promise<SessionTransport> {
    const { maxSessions, maxStreams } = this.#options;
    if (id === undefined) {
      if (!isInitializeRequest(body))
        throw new HttpRefusal(400, serverError, "a Mcp-Session-Id header is required; the answer to initialize has it");
      if (this.#sessions.size >= maxSessions)
        throw new HttpRefusal(
          503,
          serverError,
          `all ${maxSessions} sessions of the server are in use; try again later`,
        );
      return this.#begin(response);
    }
    const session = this.#sessions.get(id);
    if (session === undefined)
      throw new HttpRefusal(404, -32_001, "there is no such session, or it has expired; begin with initialize");
    if (session.openResponses >= maxStreams) {
      const message = `${maxStreams} requests and streams of the session are open; wait until one is over`;
      throw new HttpRefusal(429, serverError, message);
    }
    this.#keepWhile(response, id, session);
    return session.transport;
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
