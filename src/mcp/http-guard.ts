import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { isIPv4 } from "node:net";
import { localhostAllowedHostnames, localhostAllowedOrigins, validateHostHeader, validateOriginHeader } from "@modelcontextprotocol/server";
import { shorten } from "../core/text.js";

/** An answer in place of the protocol's own. */
export interface HttpRefusal {
  status: number;
  /** Of the JSON-RPC error. */
  code: number;
  message: string;
  headers?: Record<string, string>;
}

export interface GuardOptions {
  host: string;
  token: string | undefined;
  allowedHosts: readonly string[] | undefined;
  allowedOrigins: readonly string[] | undefined;
}

const serverError = -32_000;

/** Why a request is refused before anything of it is read; undefined where it may pass. */
export function createGuard({ host, token, allowedHosts, allowedOrigins }: GuardOptions): (request: IncomingMessage) => HttpRefusal | undefined {
  const hosts = hostnames(allowedHosts ?? [...localhostAllowedHostnames(), host]);
  const origins = hostnames(allowedOrigins ?? localhostAllowedOrigins());
  const tokenDigest = token === undefined ? undefined : digestOf(`Bearer ${token}`);
  return ({ headers }) => {
    // A web page whose name was made to point here (DNS rebinding) shows in one of the two.
    if (!validateHostHeader(headers.host, hosts).ok) return forbidden("Host", headers.host, hosts);
    if (!validateOriginHeader(headers.origin, origins).ok) return forbidden("Origin", headers.origin, origins);
    if (tokenDigest === undefined) return undefined;
    const given = headers.authorization;
    if (given !== undefined && timingSafeEqual(digestOf(given.replace(/^bearer +/i, "Bearer ")), tokenDigest)) return undefined;
    const message = given === undefined ? "an Authorization header with the server's bearer token is required" : "the bearer token is not this server's";
    const challenge = given === undefined ? "Bearer" : 'Bearer error="invalid_token"';
    return { status: 401, code: serverError, message, headers: { "WWW-Authenticate": challenge } };
  };
}

function hostnames(hosts: readonly string[]): string[] {
  return [...new Set(hosts.map(asHostname))];
}

function forbidden(name: string, given: string | undefined, allowed: readonly string[]): HttpRefusal {
  const message = `${name} ${shorten(given ?? "(none)", 256)} is not allowed; allowed: ${allowed.join(", ")}`;
  return { status: 403, code: serverError, message };
}

export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host === "[::1]" || (isIPv4(host) && host.startsWith("127."));
}

/** As it stands in a URL: IPv6 addresses in brackets. */
export function asHostname(host: string): string {
  return host.includes(":") && !host.startsWith("[") && !host.includes("//") ? `[${host}]` : host.toLowerCase();
}

/** Of one length, whatever was given, so that the comparison tells nothing. */
function digestOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

export function refuse(response: ServerResponse, refusal: HttpRefusal): void {
  response.writeHead(refusal.status, { "Content-Type": "application/json", ...refusal.headers });
  response.end(JSON.stringify(errorOf(refusal)));
}

export function responseOf(refusal: HttpRefusal): Response {
  return Response.json(errorOf(refusal), { status: refusal.status, ...(refusal.headers && { headers: refusal.headers }) });
}

function errorOf({ code, message }: HttpRefusal): object {
  return { jsonrpc: "2.0", id: null, error: { code, message } };
}
