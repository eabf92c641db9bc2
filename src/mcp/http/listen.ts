import { ProtocolError, type RequestId } from "@modelcontextprotocol/server";
import { z } from "zod";
import { pathOfUri, tooManySubscriptions, uriOf } from "../resources.js";
import type { HttpRefusal } from "./guard.js";

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
 * A request to listen with the URIs of files in their one spelling, in which changes are told; or why it is refused.
 */
export function checkListen(body: unknown, maxSubscriptions: number): { body: unknown } | HttpRefusal {
  const { data: request } = listenSchema.safeParse(body);
  // Without files, or malformed, which the SDK answers.
  if (request === undefined) return { body };
  const { id, params } = request;
  try {
    const uris = new Set(params.notifications.resourceSubscriptions.map((uri) => uriOf(pathOfUri(uri))));
    if (uris.size > maxSubscriptions) throw tooManySubscriptions(maxSubscriptions);
    return {
      body: {
        ...request,
        params: { ...params, notifications: { ...params.notifications, resourceSubscriptions: [...uris] } },
      },
    };
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    return refusalTo(id, error);
  }
}

/** Within the protocol, and so with 200. */
function refusalTo(id: RequestId, { code, message }: ProtocolError): HttpRefusal {
  return { status: 200, id, code, message };
}
