import type { IncomingMessage, ServerResponse } from "node:http";

/**
 * Lets a web page of another origin read the answers (CORS), which its browser would otherwise hide. Before a call the
 * browser sends OPTIONS without the token, to ask whether it may send its headers. This function answers that request.
 *
 * @param request a request of an allowed origin
 * @returns whether the request is answered
 */
export function admitPage({ method, headers }: IncomingMessage, response: ServerResponse): boolean {
  if (headers.origin === undefined) return false;
  response.setHeader("Access-Control-Allow-Origin", headers.origin);
  response.setHeader("Access-Control-Expose-Headers", "WWW-Authenticate");
  response.setHeader("Vary", "Origin");
  if (method !== "OPTIONS" || headers["access-control-request-method"] === undefined) return false;
  const wanted = headers["access-control-request-headers"];
  // Allows all requested headers: each revision of the protocol adds some, and no header grants any right.
  response.writeHead(204, {
    "Access-Control-Allow-Methods": "POST",
    ...(wanted !== undefined && { "Access-Control-Allow-Headers": wanted }),
  });
  response.end();
  return true;
}
