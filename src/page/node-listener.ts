import type { IncomingMessage, ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { parseHostHeader } from "../core/values/hostnames.js";

/** Answers a request. It never rejects. @param nodeRequest the request of `node:http` that it was made of */
export type AnswerRequest = (request: Request, nodeRequest?: IncomingMessage) => Promise<Response>;

const unknownHost = "unknown.invalid";

/** Creates a listener of `node:http`, which Express and Connect accept as a handler, too. */
export function createNodeListener(
  answer: AnswerRequest,
): (request: IncomingMessage, response: ServerResponse) => void {
  const listener = getRequestListener(
    async (request, { incoming }) =>
      compress(request, await answer(toPlainRequest(request), incoming as IncomingMessage)),
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

/**
 * Compresses the files of the client, which contain nothing secret. Other servers compress themselves, and Next.js
 * removes the header that marks a compressed answer.
 */
function compress(request: Request, response: Response): Response {
  const { body, status, headers } = response;
  const isFile = status === 200 && headers.has("etag");
  if (!isFile || body === null || !/\bgzip\b/.test(request.headers.get("accept-encoding") ?? "")) return response;
  const compressed = new Response(body.pipeThrough(new CompressionStream("gzip")), response);
  compressed.headers.set("Content-Encoding", "gzip");
  compressed.headers.append("Vary", "Accept-Encoding");
  return compressed;
}
