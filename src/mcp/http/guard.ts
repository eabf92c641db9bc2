import type { IncomingMessage, ServerResponse } from "node:http";
import { validateHostHeader, validateOriginHeader } from "@modelcontextprotocol/server";
import { createSecretMatcher } from "../../core/values/sha256.js";
import { shorten } from "../../core/values/text.js";
import { asHostname, loopbackNames, parseHostHeader } from "../../core/values/hostnames.js";

/** Thrown to answer a request with an HTTP error instead of an answer of the protocol. */
export class HttpRefusal extends Error {
  readonly status: number;
  /** The code of the JSON-RPC error. */
  readonly code: number;
  readonly headers: Record<string, string>;

  constructor(status: number, code: number, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

/** @throws HttpRefusal */
export type Guard = (request: IncomingMessage) => void;

export interface NameOptions {
  host: string;
  allowedHosts: readonly string[] | undefined;
  allowedOrigins: readonly string[] | undefined;
}

/** The JSON-RPC code for errors that have no other code. */
export const serverError = -32_000;

/**
 * Returns a guard that refuses requests of foreign web pages by the headers Host and Origin. This also stops pages
 * whose host name was changed to point to this server.
 */
export function createNameGuard({ host, allowedHosts, allowedOrigins }: NameOptions): Guard {
  const hosts = hostnames(allowedHosts ?? [...loopbackNames, host]);
  const origins = hostnames(allowedOrigins ?? loopbackNames);
  return ({ headers }) => {
    // The SDK reads the header as a part of a URL, where `evil.example@127.0.0.1` names 127.0.0.1.
    const isHost = parseHostHeader(headers.host ?? "") !== null;
    if (!isHost || !validateHostHeader(headers.host, hosts).ok) throw forbidden("Host", headers.host, hosts);
    if (!validateOriginHeader(headers.origin, origins).ok) throw forbidden("Origin", headers.origin, origins);
  };
}

/** Returns a guard that refuses requests without the token. It refuses nothing if the server has no token. */
export function createTokenGuard(token: string | undefined): Guard {
  if (token === undefined) return () => {};
  const isHeader = createSecretMatcher(`Bearer ${token}`);
  return ({ headers: { authorization: given } }) => {
    if (given !== undefined && isHeader(given.replace(/^bearer +/i, "Bearer "))) return;
    const message =
      given === undefined
        ? "an Authorization header with the server's bearer token is required"
        : "the bearer token is not this server's";
    const challenge = given === undefined ? "Bearer" : 'Bearer error="invalid_token"';
    throw new HttpRefusal(401, serverError, message, { "WWW-Authenticate": challenge });
  };
}

/** @param hosts `scheme://*` means all hosts of a scheme */
function hostnames(hosts: readonly string[]): string[] {
  return [...new Set(hosts.map((host) => (host.endsWith("://*") ? host.toLowerCase() : asHostname(host))))];
}

function forbidden(name: string, given: string | undefined, allowed: readonly string[]): HttpRefusal {
  const message = `${name} ${shorten(given ?? "(none)", 256)} is not allowed; allowed: ${allowed.join(", ")}`;
  return new HttpRefusal(403, serverError, message);
}

export function refuse(response: ServerResponse, { status, headers, code, message }: HttpRefusal): void {
  response.writeHead(status, { "Content-Type": "application/json", ...headers });
  response.end(JSON.stringify({ jsonrpc: "2.0", id: null, error: { code, message } }));
}
