import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { finished, pipeline } from "node:stream/promises";
import { compressedBody } from "./answers.js";
import type { MemoryPage } from "./memory-page.js";

/**
 * The page as a listener of `node:http`, which Express and Connect take as a handler too: `app.use("/memory",
 * nodeListener(page))`.
 *
 * @param page made with the path at which it is mounted as `basePath`
 */
export function nodeListener(page: MemoryPage): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    answer(page, request, response).catch(() => response.destroy());
  };
}

async function answer(page: MemoryPage, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const asked = webRequest(request, response);
  if (asked === null) {
    response.writeHead(400).end();
    return;
  }
  const answered = await page(asked);
  const { status, headers, body } = answered;
  if (body !== null && headers.get("content-type") === "text/event-stream") {
    await pipeline(Readable.fromWeb(body), response.writeHead(status, Object.fromEntries(headers)));
    return;
  }
  const compressed = /\bgzip\b/.test(asked.headers.get("accept-encoding") ?? "") ? compressedBody(answered) : undefined;
  // All that the page answers is in memory; to pump it through a stream takes longer than to make it.
  const whole = compressed ?? Buffer.from(await answered.arrayBuffer());
  const encoding = compressed === undefined ? {} : { "content-encoding": "gzip", vary: "Accept-Encoding" };
  response.writeHead(status, { ...Object.fromEntries(headers), ...encoding }).end(whole);
}

/** Null for what is no URL. */
function webRequest(request: IncomingMessage, response: ServerResponse): Request | null {
  const { method = "GET", headers, url = "/" } = request;
  // Express takes the path of a mount away from `url`.
  const { originalUrl = url } = request as { originalUrl?: string };
  const address = `http://${headers.host ?? ""}${originalUrl}`;
  if (!originalUrl.startsWith("/") || !URL.canParse(address)) return null;
  const gone = new AbortController();
  finished(response).catch(() => gone.abort());
  const sent = new Headers(
    Object.entries(headers).flatMap(([name, value]) =>
      [value ?? []].flat().map((one): [string, string] => [name, one]),
    ),
  );
  const init: RequestInit & { duplex: "half" } = { method, headers: sent, signal: gone.signal, duplex: "half" };
  return new Request(
    address,
    method === "GET" || method === "HEAD"
      ? init
      : { ...init, body: Readable.toWeb(request) as unknown as NonNullable<RequestInit["body"]> },
  );
}
