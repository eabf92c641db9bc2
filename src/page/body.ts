import { memoryDefaults } from "../core/memory-options.js";
import { PageRefusal } from "./answers.js";

/** Enough for a file of the default size, however JSON escapes it. */
const maxBodyBytes = 6 * memoryDefaults.maxFileBytes + 100_000;

/** The JSON of a body of limited size. @throws PageRefusal */
export async function readJson({ body }: Request): Promise<unknown> {
  const pieces: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const piece of (body ?? []) as AsyncIterable<Uint8Array>) {
    sizeBytes += piece.length;
    if (sizeBytes > maxBodyBytes) throw new PageRefusal(413, "EFBIG", `the body has more than ${maxBodyBytes} bytes`);
    pieces.push(piece);
  }
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(pieces))) as unknown;
  } catch {
    throw new PageRefusal(400, "EINVAL", "the body is not valid JSON in UTF-8");
  }
}
