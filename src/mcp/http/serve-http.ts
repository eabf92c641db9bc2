import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { NodeIncomingMessageLike } from "@modelcontextprotocol/node";
import {
  createMcpHandler,
  type McpRequestContext,
  type McpServer,
  ProtocolErrorCode,
} from "@modelcontextprotocol/server";
import { type ServerBounds, serverBounds } from "../bounds.js";
import { RequestBodies } from "./body.js";
import { asHostname, isLoopback } from "../../core/values/hostnames.js";
import { createNameGuard, createTokenGuard, HttpRefusal, refuse } from "./guard.js";
import { OptionsError } from "../../core/settings/check-options.js";
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
   * Stops listening and ends every stream. Resolves when the running calls have ended, or after 5 seconds.
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
  const { host, port, token, allowedHosts, allowedOrigins, maxBodyBytes } = settings;
  const hostname = asHostname(host);
  if (token === undefined && !isLoopback(hostname)) {
    const reason = `required to listen on ${host}; only loopback addresses (127.0.0.1) need none`;
    throw new OptionsError("McpHttpOptions", "token", reason);
  }
  const service = new MemoryService(settings, bounds);
  // Imported here, because nothing else needs this optional package.
  const { toNodeHandler } = await import("@modelcontextprotocol/node").catch((error: unknown) => {
    throw missingPackage(error) ?? error;
  });
  const handler = createMcpHandler((context) => createServerForRequest(service, context));
  const serve = toNodeHandler(handler);
  const bodies = new RequestBodies(maxBodyBytes);
  const guardNames = createNameGuard({ host, allowedHosts, allowedOrigins });
  const guardToken = createTokenGuard(token);
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      guardNames(request);
      if (allowedOrigins !== undefined && admitPage(request, response)) return;
      guardToken(request);
      guardEndpoint(request);
      const body = await bodies.readJson(request, response);
      // The type of the SDK differs in optional properties (exactOptionalPropertyTypes).
      await serve(request as IncomingMessage & NodeIncomingMessageLike, response, body);
    } catch (error) {
      if (error instanceof HttpRefusal) refuse(response, error);
      // The client has gone in the middle of its body.
      else response.destroy();
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
      await handler.close();
      http.closeAllConnections();
      await closed;
      await service.close();
    },
  };
}

/** The SDK uses one server for each request. It has checked that the header names the method of the body. */
function createServerForRequest(service: MemoryService, { era, requestInfo }: McpRequestContext): McpServer {
  return createServerFor(service, era === "legacy" ? undefined : requestInfo?.headers.get("mcp-method"));
}

/** @throws HttpRefusal */
function guardEndpoint({ url = "", method = "" }: IncomingMessage): void {
  const { InvalidRequest } = ProtocolErrorCode;
  if (url.split("?")[0] !== endpointPath)
    throw new HttpRefusal(404, InvalidRequest, `there is nothing here; the endpoint is ${endpointPath}`);
  if (method !== "POST")
    throw new HttpRefusal(405, InvalidRequest, `method ${method} is not allowed; use POST`, { Allow: "POST" });
}
