import type { IncomingMessage } from "node:http";
import { getField } from "../core/values/unknown-values.js";

/** For both builds of this package: a program may take the page from the one and the listener from the other. */
const nodeRequest: symbol = Symbol.for("langgraph-mongo-memory.nodeRequest");

/** Keeps the request of Node with the request that is made of it. */
export function withNodeRequest(request: Request, incoming: IncomingMessage): Request {
  return Object.defineProperty(request, nodeRequest, { value: incoming });
}

export function getNodeRequest(request: Request): IncomingMessage | undefined {
  // Only `withNodeRequest` sets it.
  return getField(request, nodeRequest) as IncomingMessage | undefined;
}
