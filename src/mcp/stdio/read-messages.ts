import {
  type JSONRPCMessage,
  parseJSONRPCMessage,
  ProtocolErrorCode,
  type RequestId,
} from "@modelcontextprotocol/server";
import { callLimits, JsonBounds } from "../../core/values/json-bounds.js";

/** The refusal of a line. */
export interface Refusal {
  /** The id of the request, or null if it is not known. */
  id: RequestId | null;
  code: number;
  reason: string;
}

const newline = 0x0a;
/** An id at the end of a line belongs to the message, not to an object in it. The official client writes it last. */
const lastId = /"id"\s*:\s*(\d{1,15}|"[^"\\]{1,128}")\s*\}\s*$/;
const maxTailBytes = 200;

/**
 * Reads lines, and yields the message of each line, or its refusal. Blank lines are skipped. The SDK's own transport
 * stops at a message that is too long, and does not report a malformed message, so the client would wait in vain.
 */
export async function* readMessages(
  input: AsyncIterable<Buffer>,
  maxMessageBytes: number,
): AsyncGenerator<JSONRPCMessage | Refusal> {
  let pieces: Buffer[] = [];
  let sizeBytes = 0;
  const takeLine = (): JSONRPCMessage | Refusal | null => {
    const message = parseLine(Buffer.concat(pieces), sizeBytes, maxMessageBytes);
    pieces = [];
    sizeBytes = 0;
    return message;
  };
  for await (const chunk of input) {
    for (let start = 0; start <= chunk.length;) {
      const newlineAt = chunk.indexOf(newline, start);
      const end = newlineAt === -1 ? chunk.length : newlineAt;
      pieces.push(chunk.subarray(start, end));
      sizeBytes += end - start;
      // Only the end of a line that is too long is stored.
      if (sizeBytes > maxMessageBytes) pieces = [Buffer.from(Buffer.concat(pieces).subarray(-maxTailBytes))];
      start = end + 1;
      const message = newlineAt === -1 ? null : takeLine();
      if (message !== null) yield message;
    }
  }
  // A last line without a newline counts as a line.
  const last = takeLine();
  if (last !== null) yield last;
}

/** @param line the line, or only its end if it is too long. @returns null for a blank line */
function parseLine(line: Buffer, sizeBytes: number, maxMessageBytes: number): JSONRPCMessage | Refusal | null {
  const refuse = (id: RequestId | null, reason: string): Refusal => {
    return { id, code: ProtocolErrorCode.InvalidRequest, reason: `the message ${reason}` };
  };
  if (sizeBytes > maxMessageBytes)
    return refuse(idAtEnd(line), `has ${sizeBytes} bytes; at most ${maxMessageBytes} are accepted`);
  const bounds = new JsonBounds(callLimits);
  bounds.add(line);
  if (bounds.excess !== undefined) return refuse(idAtEnd(line), `holds ${bounds.excess}; none needs so many`);
  let value: unknown;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(line);
    if (text.trim() === "") return null;
    value = JSON.parse(text);
  } catch {
    const refusal = refuse(null, "is not valid JSON in UTF-8; each line must hold one JSON-RPC 2.0 message");
    return { ...refusal, code: ProtocolErrorCode.ParseError };
  }
  try {
    return parseJSONRPCMessage(value);
  } catch {
    const id: unknown = typeof value === "object" && value !== null && "id" in value ? value.id : null;
    return refuse(
      typeof id === "string" || typeof id === "number" ? id : null,
      "is no JSON-RPC 2.0 message: an object with jsonrpc, method and, for a request, id",
    );
  }
}

function idAtEnd(line: Buffer): RequestId | null {
  const id = lastId.exec(line.subarray(-maxTailBytes).toString())?.[1];
  // The pattern matches only numbers and texts.
  return id === undefined ? null : (JSON.parse(id) as RequestId);
}
