import type { IncomingMessage, ServerResponse } from "node:http";

/**
 * Lets a web page of another origin read the answers (CORS), which its browser would otherwise hide from it. Before a
 * call the browser asks by OPTIONS, without the token, whether it may send its headers; that is answered here.
 *
 * @param request of an origin that is allowed
 * @returns whether the request is answered
 */
export function admitPage({ method, headers }: IncomingMessage, response: ServerResponse): boolean {
  if (headers.origin === undefined) return false;
  response.setHeader("Access-Control-Allow-Origin", headers.origin);
  response.setHeader("Access-Control-Expose-Headers", "Mcp-Session-Id, WWW-Authenticate");
  response.setHeader("Vary", "Origin");
  if (method !== "OPTIONS" || headers["access-control-request-method"] === undefined) return false;
  const wanted = headers["access-control-request-headers"];
  // All headers that are asked for: each revision of the protocol adds some, and none of them grants anything.
  response.writeHead(204, {
    "Access-Control-Allow-Methods": "GET, POST, DELETE",
    ...(wanted !== undefined && { "Access-Control-Allow-Headers": wanted }),
  });
  response.end();
  return true;
}
