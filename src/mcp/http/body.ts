import type { IncomingMessage } from "node:http";
import { isJsonContentType, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { HttpRefusal } from "./guard.js";

export type ParsedBody = { value: unknown } | { refusal: HttpRefusal };

/** The JSON of a request's body. The rest of a body that is too long is read and dropped: a client that still writes reads no answer. */
export async function readJson(request: IncomingMessage, maxBodyBytes: number): Promise<ParsedBody> {
  if (!isJsonContentType(request.headers["content-type"] ?? null)) {
    return refusal(415, ProtocolErrorCode.InvalidRequest, "the Content-Type must be application/json");
  }
  const pieces: Buffer[] = [];
  let sizeBytes = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    sizeBytes += piece.length;
    if (sizeBytes <= maxBodyBytes) pieces.push(piece);
    else pieces.length = 0;
  }
  if (sizeBytes > maxBodyBytes) {
    return refusal(413, ProtocolErrorCode.InvalidRequest, `the body has ${sizeBytes} bytes; at most ${maxBodyBytes} are accepted`);
  }
  try {
    return { value: JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(pieces))) as unknown };
  } catch {
    return refusal(400, ProtocolErrorCode.ParseError, "the body is not valid JSON in UTF-8; it must be one JSON-RPC 2.0 message");
  }
}

function refusal(status: number, code: number, message: string): ParsedBody {
  return { refusal: { status, code, message } };
}
