import type { IncomingMessage, ServerResponse } from "node:http";
import { type RequestId, validateHostHeader, validateOriginHeader } from "@modelcontextprotocol/server";
import { secretMatcher } from "../../core/values/secret.js";
import { shorten } from "../../core/values/text.js";
import { asHostname, isHost, loopbackNames } from "../../core/values/hostnames.js";

/** An answer in place of the protocol's own. */
export interface HttpRefusal {
  status: number;
  /** Of the request, where it is known. @default null */
  id?: RequestId;
  /** Of the JSON-RPC error. */
  code: number;
  message: string;
  headers?: Record<string, string>;
}

export type Guard = (request: IncomingMessage) => HttpRefusal | undefined;

export interface NameOptions {
  host: string;
  allowedHosts: readonly string[] | undefined;
  allowedOrigins: readonly string[] | undefined;
}

const serverError = -32_000;

/**
 * Refuses requests of other people's web pages, also of one whose host name was made to point here: Host or Origin
 * names it.
 */
export function createNameGuard({ host, allowedHosts, allowedOrigins }: NameOptions): Guard {
  const hosts = hostnames(allowedHosts ?? [...loopbackNames, host]);
  const origins = hostnames(allowedOrigins ?? loopbackNames);
  return ({ headers }) => {
    if (!isHostHeader(headers.host) || !validateHostHeader(headers.host, hosts).ok)
      return forbidden("Host", headers.host, hosts);
    if (!validateOriginHeader(headers.origin, origins).ok) return forbidden("Origin", headers.origin, origins);
    return undefined;
  };
}

/** Refuses requests without the token; none where the server has no token. */
export function createTokenGuard(token: string | undefined): Guard {
  if (token === undefined) return () => undefined;
  const isHeader = secretMatcher(`Bearer ${token}`);
  return ({ headers: { authorization: given } }) => {
    if (given !== undefined && isHeader(given.replace(/^bearer +/i, "Bearer "))) return undefined;
    const message =
      given === undefined
        ? "an Authorization header with the server's bearer token is required"
        : "the bearer token is not this server's";
    const challenge = given === undefined ? "Bearer" : 'Bearer error="invalid_token"';
    return { status: 401, code: serverError, message, headers: { "WWW-Authenticate": challenge } };
  };
}

/** The SDK reads the header as a part of a URL, where `evil.example@127.0.0.1` names 127.0.0.1. */
function isHostHeader(header: string | undefined): boolean {
  return header !== undefined && isHost(header.replace(/:\d{1,5}$/, ""));
}

/** @param hosts `scheme://*` means all hosts of a scheme */
function hostnames(hosts: readonly string[]): string[] {
  return [...new Set(hosts.map((host) => (host.endsWith("://*") ? host.toLowerCase() : asHostname(host))))];
}

function forbidden(name: string, given: string | undefined, allowed: readonly string[]): HttpRefusal {
  const message = `${name} ${shorten(given ?? "(none)", 256)} is not allowed; allowed: ${allowed.join(", ")}`;
  return { status: 403, code: serverError, message };
}

export function refuse(response: ServerResponse, refusal: HttpRefusal): void {
  response.writeHead(refusal.status, { "Content-Type": "application/json", ...refusal.headers });
  response.end(JSON.stringify(errorBody(refusal)));
}

export function refusalResponse(refusal: HttpRefusal): Response {
  return Response.json(errorBody(refusal), {
    status: refusal.status,
    ...(refusal.headers && { headers: refusal.headers }),
  });
}

function errorBody({ id = null, code, message }: Omit<HttpRefusal, "id"> & { id?: RequestId | null }): object {
  return { jsonrpc: "2.0", id, error: { code, message } };
}
