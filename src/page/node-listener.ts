import type { IncomingMessage, ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { parseHostHeader } from "../core/values/hostnames.js";

/** Answers a request. It never rejects. @param nodeRequest the request of `node:http` from which it was made */
export type AnswerRequest = (request: Request, nodeRequest?: IncomingMessage) => Promise<Response>;

const unknownHost = "unknown.invalid";

/** Creates a listener of `node:http`, which Express and Connect accept as a handler, too. */
export function createNodeListener(
  answer: AnswerRequest,
): (request: IncomingMessage, response: ServerResponse) => void {
  const listener = getRequestListener(
    (request, { incoming }) => answer(toPlainRequest(request), incoming as IncomingMessage),
    { overrideGlobalObjects: false },
  );
  return (request: IncomingMessage & { originalUrl?: string }, response) => {
    // Express removes the mount path from `url`.
    request.url = request.originalUrl ?? request.url;
    // The page itself refuses the header. Without a host there is no URL, and so no request to refuse.
    if (parseHostHeader(request.headers.host ?? "") === null) request.headers.host = unknownHost;
    void listener(request, response);
  };
}

/** Converts the listener's lightweight request to a Request of the process's own class. */
function toPlainRequest({ url, method, headers, signal, body }: Request): Request {
  return new Request(url, { method, headers, signal, body, duplex: "half" });
}
