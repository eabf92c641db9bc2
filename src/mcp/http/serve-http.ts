import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { NodeIncomingMessageLike, toNodeHandler } from "@modelcontextprotocol/node";
import {
  createMcpHandler,
  isLegacyRequest,
  type McpHttpHandler,
  type McpRequestContext,
  ProtocolErrorCode,
} from "@modelcontextprotocol/server";
import { type ServerBounds, serverBounds } from "../bounds.js";
import { WatchedEvents } from "../event-bus.js";
import { RequestBodies } from "./body.js";
import { asHostname, isLoopback } from "../../core/values/hostnames.js";
import { createNameGuard, createTokenGuard, HttpRefusal, refusalResponse, refuse, serverError } from "./guard.js";
import { checkListen, isListen } from "./listen.js";
import { HttpSessions } from "./sessions.js";
import { MemoryService } from "../memory-service.js";
import { missingPackage } from "../missing-package.js";
import { endpointPath, type McpHttpOptions, type McpSettings, parseMcpOptions } from "../options.js";
import { createServerFor } from "../server.js";
import { admitPage } from "./web-pages.js";

/** The longest time for a request. A slower client would use up the limit that all bodies share. */
const maxUploadMs = 60_000;

/** A running HTTP server. */
export interface McpHttpServer {
  /** The URL to which clients connect, such as `http://127.0.0.1:3000/mcp`. */
  readonly url: string;
  /**
   * Ends every session and stops listening. Resolves when the running calls have ended, or after 5 seconds.
   * Close the store after that.
   */
  close(): Promise<void>;
}

/**
 * Serves a memory to any number of clients over streamable HTTP, at the path `/mcp`. Listens on 127.0.0.1 by default.
 * On any other address every request needs the bearer token. Requests from web pages of other origins, and under other
 * host names, are refused.
 *
 * @throws TypeError for bad options, for a missing token on an address that is not a loopback one, or for two tools of
 *   one name; errors of `listen` of node:http, such as EADDRINUSE
 */
export async function serveHttp(options: McpHttpOptions): Promise<McpHttpServer> {
  return listen(parseMcpOptions("McpHttpOptions", options), serverBounds);
}

export async function listen(settings: McpSettings<"McpHttpOptions">, bounds: ServerBounds): Promise<McpHttpServer> {
  const { host, port, token, allowedHosts, allowedOrigins } = settings;
  const hostname = asHostname(host);
  if (token === undefined && !isLoopback(hostname)) {
    throw new TypeError(
      `invalid McpHttpOptions: token: required to listen on ${host}; only loopback addresses (127.0.0.1) need none`,
    );
  }
  const service = new MemoryService(settings, bounds);
  // Imported here, because nothing else needs this optional package.
  const sdk = await import("@modelcontextprotocol/node").catch((error: unknown) => {
    throw missingPackage(error) ?? error;
  });
  const endpoint = new HttpEndpoint(service, settings, sdk.toNodeHandler);
  const guardNames = createNameGuard({ host, allowedHosts, allowedOrigins });
  const guardToken = createTokenGuard(token);
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      guardNames(request);
      if (allowedOrigins !== undefined && admitPage(request, response)) return;
      guardToken(request);
      guardEndpoint(request);
      // The types differ only as HttpRequest says.
      await endpoint.serve(request as HttpRequest, response);
    } catch (error) {
      fail(response, error);
    }
  };
  const http = createServer({ requestTimeout: maxUploadMs }, (request, response) => void answer(request, response));
  http.listen(port, hostname.replaceAll(/[[\]]/g, ""));
  await once(http, "listening");
  // The server listens on a port, so the address is not a text.
  const { port: actualPort } = http.address() as AddressInfo;
  return {
    url: `http://${hostname}:${actualPort}${endpointPath}`,
    close: async () => {
      const closed = new Promise((resolve) => http.close(resolve));
      await endpoint.close();
      http.closeAllConnections();
      await closed;
      await service.close();
    },
  };
}

/** The type of the SDK differs in optional properties (exactOptionalPropertyTypes). */
type HttpRequest = IncomingMessage & NodeIncomingMessageLike;

/** The largest request that begins a session. The data of a client is stored as long as its session. */
const maxBeginBytes = 65_536;

/** The endpoint for clients of every revision. Revisions up to 2025-11-25 have sessions, 2026-07-28 has none. */
class HttpEndpoint {
  readonly #service: MemoryService;
  readonly #modern: McpHttpHandler;
  readonly #sessions: HttpSessions;
  readonly #bodies: RequestBodies;
  readonly #maxListening: number;
  readonly #toNodeHandler: typeof toNodeHandler;
  #listening = 0;

  constructor(service: MemoryService, settings: McpSettings<"McpHttpOptions">, nodeHandler: typeof toNodeHandler) {
    const { maxBodyBytes, maxSessions, sessionIdleMs } = settings;
    this.#service = service;
    this.#bodies = new RequestBodies(maxBodyBytes);
    this.#maxListening = maxSessions;
    this.#toNodeHandler = nodeHandler;
    // The SDK has checked that the header names the method of the body.
    const createModern = ({ requestInfo }: McpRequestContext) =>
      createServerFor(service, { reportsChanges: false, method: requestInfo?.headers.get("mcp-method") });
    this.#modern = createMcpHandler(createModern, {
      legacy: "reject",
      bus: new WatchedEvents(service.watch),
      maxSubscriptions: maxSessions,
    });
    this.#sessions = new HttpSessions({
      maxSessions,
      maxStreams: service.bounds.maxStreams,
      idleMs: sessionIdleMs,
      createServer: () => createServerFor(service, { reportsChanges: true }),
    });
  }

  /** @throws HttpRefusal for the body */
  async serve(request: HttpRequest, response: ServerResponse): Promise<void> {
    const { value: body, sizeBytes } =
      request.method === "POST" ? await this.#bodies.readJson(request, response) : { value: undefined, sizeBytes: 0 };
    const handler = this.#toNodeHandler({
      fetch: async (webRequest) => {
        const answer = await this.#answer(webRequest, body, sizeBytes, response).catch(answerRefusal);
        if (isStream(answer)) setImmediate(() => flushHeaders(response));
        return answer;
      },
    });
    return handler(request, response, body);
  }

  /** @throws HttpRefusal */
  async #answer(request: Request, body: unknown, sizeBytes: number, response: ServerResponse): Promise<Response> {
    const isLegacy = await isLegacyRequest(request, body);
    // The client has gone. A call or stream that began now would never see the response close.
    if (response.closed) return new Response(null, { status: 499 });
    if (!isLegacy) {
      return isListen(body) ? this.#listen(request, body, response) : this.#modern.fetch(request, { parsedBody: body });
    }
    const id = request.headers.get("mcp-session-id") ?? undefined;
    if (id === undefined && sizeBytes > maxBeginBytes) {
      const message = `the body has ${sizeBytes} bytes; one that begins a session has at most ${maxBeginBytes}`;
      throw new HttpRefusal(413, ProtocolErrorCode.InvalidRequest, message);
    }
    const transport = await this.#sessions.getTransport(id, body, response);
    return request.method === "GET"
      ? transport.openStream(request, response)
      : transport.handleRequest(request, { parsedBody: body });
  }

  async #listen(request: Request, body: unknown, response: ServerResponse): Promise<Response> {
    const parsedBody = checkListen(body, this.#service.bounds.maxSubscriptions);
    if (this.#listening >= this.#maxListening) {
      const message = `all ${this.#maxListening} streams of the server that listen are in use; try again later`;
      throw new HttpRefusal(503, serverError, message);
    }
    this.#listening += 1;
    response.once("close", () => {
      this.#listening -= 1;
    });
    await this.#watchWhile(response);
    return this.#modern.fetch(request, { parsedBody });
  }

  /** Watches the memory until `response` closes. The stream misses no change after this resolves. */
  async #watchWhile(response: ServerResponse): Promise<void> {
    const isOpen = () => !response.closed;
    this.#service.watch.add({ isOpen, isSubscribed: () => true, notify: () => {} });
    // If the refresh fails, the next one starts the watch, and the client is notified of changes from then on.
    await this.#service.watch.refresh().catch(() => {});
  }

  async close(): Promise<void> {
    await Promise.all([this.#sessions.close(), this.#modern.close()]);
  }
}

/** @throws HttpRefusal */
function guardEndpoint({ url = "", method = "" }: IncomingMessage): void {
  const { InvalidRequest } = ProtocolErrorCode;
  if (url.split("?")[0] !== endpointPath)
    throw new HttpRefusal(404, InvalidRequest, `there is nothing here; the endpoint is ${endpointPath}`);
  if (["GET", "POST", "DELETE"].includes(method)) return;
  const headers = { Allow: "GET, POST, DELETE" };
  throw new HttpRefusal(405, InvalidRequest, `method ${method} is not allowed; use POST`, headers);
}

function answerRefusal(error: unknown): Response {
  if (error instanceof HttpRefusal) return refusalResponse(error);
  throw error;
}

function isStream({ headers }: Response): boolean {
  return headers.get("content-type") === "text/event-stream";
}

/** Sends the headers at once. Node would wait for the first bytes of the body, which can take 15 seconds. */
function flushHeaders(response: ServerResponse): void {
  if (response.headersSent && !response.writableEnded) response.flushHeaders();
}

/** Answers a refusal. For any other error the client gets no details: it has gone, or the error is in the server. */
function fail(response: ServerResponse, error: unknown): void {
  if (response.headersSent) response.destroy();
  else if (error instanceof HttpRefusal) refuse(response, error);
  else refuse(response, new HttpRefusal(500, ProtocolErrorCode.InternalError, "internal error"));
}
