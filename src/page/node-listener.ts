import type { IncomingMessage, ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { parseHostHeader } from "../core/values/hostnames.js";
import type { MemoryPage } from "./memory-page.js";
import { withNodeRequest } from "./node-request.js";

const unknownHost = "unknown.invalid";

/**
 * Converts the page to a listener of `node:http`, which Express and Connect accept as a handler, too:
 * `app.use("/memory", nodeListener(page))`.
 *
 * @param page must have the path at which it is mounted as `basePath`
 */
export function nodeListener(page: MemoryPage): (request: IncomingMessage, response: ServerResponse) => void {
  const listener = getRequestListener(
    async (request, { incoming }) => page(withNodeRequest(toPlainRequest(request), incoming as IncomingMessage)),
    { overrideGlobalObjects: false },
  );
  return (request: IncomingMessage & { originalUrl?: string }, response) => {
    // Express removes the mount path from `url`.
    request.url = request.originalUrl ?? request.url;
    // The page refuses the header itself. Without a host there would be no URL, and no request that it could refuse.
    if (parseHostHeader(request.headers.host ?? "") === null) request.headers.host = unknownHost;
    void listener(request, response);
  };
}

/** Converts the listener's lightweight request to a Request of the process's own class. */
function toPlainRequest({ url, method, headers, signal, body }: Request): Request {
  return new Request(url, { method, headers, signal, body, duplex: "half" });
}
