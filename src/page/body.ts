import { memoryDefaults } from "../core/memory-options.js";
import { callLimits, JsonBounds } from "../core/values/json-bounds.js";
import { PageRefusal } from "./refusal.js";

/** The most bytes of a request body, by its content. */
export const maxBodyBytes = {
  /** An address, names and the ids of a thousand versions. */
  call: 100_000,
  /** A file of the default size too, however JSON escapes it. */
  text: 6 * memoryDefaults.maxFileBytes + 100_000,
} as const;

/** The JSON of a body. It reads no more than it accepts, and parses nothing that is too large or too deep. */
export async function readJson(request: Request, maxBytes: number): Promise<unknown> {
  const bytes = await readBytes(request, maxBytes);
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return value;
  } catch {
    throw new PageRefusal(400, "EINVAL", "the body is not valid JSON in UTF-8");
  }
}

async function readBytes({ headers, body }: Request, maxBytes: number): Promise<Uint8Array> {
  const tooLarge = (): PageRefusal => new PageRefusal(413, "EFBIG", `the body has more than ${maxBytes} bytes`);
  if (Number(headers.get("content-length")) > maxBytes) throw tooLarge();
  const bounds = new JsonBounds(callLimits);
  const pieces: Uint8Array[] = [];
  let sizeBytes = 0;
  const stream: ReadableStream<Uint8Array> | null = body;
  // A server that cancels a body can no longer send the answer.
  for await (const piece of stream?.values({ preventCancel: true }) ?? []) {
    sizeBytes += piece.length;
    if (sizeBytes > maxBytes) throw tooLarge();
    bounds.add(piece);
    if (bounds.excess !== undefined)
      throw new PageRefusal(400, "EINVAL", `the body contains ${bounds.excess}; no request needs so many`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
