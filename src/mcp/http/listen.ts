import { ProtocolError } from "@modelcontextprotocol/server";
import { z } from "zod";
import { parseUri, tooManySubscriptions, toUri } from "../resources.js";
import { HttpRefusal } from "./guard.js";

export function isListen(body: unknown): boolean {
  return typeof body === "object" && body !== null && "method" in body && body.method === "subscriptions/listen";
}

const listenSchema = z
  .object({
    id: z.union([z.string(), z.number()]),
    params: z
      .object({ notifications: z.object({ resourceSubscriptions: z.array(z.string()) }).passthrough() })
      .passthrough(),
  })
  .passthrough();

/**
 * Checks a request to listen. Returns it with each URI in the one spelling in which changes are reported.
 * @throws HttpRefusal
 */
export function checkListen(body: unknown, maxSubscriptions: number): unknown {
  const { data: request } = listenSchema.safeParse(body);
  // The request names no files, or is malformed. The SDK answers it.
  if (request === undefined) return body;
  const { id, params } = request;
  try {
    const uris = new Set(params.notifications.resourceSubscriptions.map((uri) => toUri(parseUri(uri))));
    if (uris.size > maxSubscriptions) throw tooManySubscriptions(maxSubscriptions);
    const notifications = { ...params.notifications, resourceSubscriptions: [...uris] };
    return { ...request, params: { ...params, notifications } };
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    // This is an answer of the protocol, so its status is 200.
    throw new HttpRefusal(200, error.code, error.message, {}, id);
  }
}
