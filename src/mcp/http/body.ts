import type { IncomingMessage, ServerResponse } from "node:http";
import { isJsonContentType, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { JsonBounds } from "../json-bounds.js";
import type { HttpRefusal } from "./guard.js";

export type ParsedBody = { value: unknown; sizeBytes: number } | { refusal: HttpRefusal };

/** The bodies of all requests that are under way may hold so many times `maxBodyBytes`. */
const maxLargestBodies = 16;

/** Reads bodies, each up to a limit, and all that are held at once up to another one. */
export class RequestBodies {
  readonly #maxBodyBytes: number;
  #heldBytes = 0;

  constructor(maxBodyBytes: number) {
    this.#maxBodyBytes = maxBodyBytes;
  }

  /**
   * The JSON of a request's body, which counts until `response` is closed. The rest of a body that is refused is read
   * and dropped: a client that still writes reads no answer.
   */
  async readJson(request: IncomingMessage, response: ServerResponse): Promise<ParsedBody> {
    if (!isJsonContentType(request.headers["content-type"] ?? null)) {
      return refusal(415, ProtocolErrorCode.InvalidRequest, "the Content-Type must be application/json");
    }
    const body = await this.#read(request, response);
    if ("refusal" in body) return body;
    try {
      const text = new TextDecoder("utf-8", { fatal: true }).decode(body.bytes);
      return { value: JSON.parse(text) as unknown, sizeBytes: body.bytes.length };
    } catch {
      return refusal(
        400,
        ProtocolErrorCode.ParseError,
        "the body is not valid JSON in UTF-8; it must be one JSON-RPC 2.0 message",
      );
    }
  }

  async #read(
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<{ bytes: Buffer } | { refusal: HttpRefusal }> {
    const bounds = new JsonBounds();
    const pieces: Buffer[] = [];
    let [sizeBytes, heldBytes] = [0, 0];
    let isCrowded = false;
    response.once("close", () => {
      this.#heldBytes -= heldBytes;
    });
    for await (const piece of request as AsyncIterable<Buffer>) {
      sizeBytes += piece.length;
      isCrowded ||= this.#heldBytes + piece.length > maxLargestBodies * this.#maxBodyBytes;
      if (isCrowded || sizeBytes > this.#maxBodyBytes || bounds.excess !== undefined) {
        pieces.length = 0;
        continue;
      }
      bounds.add(piece);
      pieces.push(piece);
      heldBytes += piece.length;
      this.#heldBytes += piece.length;
    }
    if (sizeBytes > this.#maxBodyBytes) {
      return refusal(
        413,
        ProtocolErrorCode.InvalidRequest,
        `the body has ${sizeBytes} bytes; at most ${this.#maxBodyBytes} are accepted`,
      );
    }
    if (bounds.excess !== undefined)
      return refusal(
        400,
        ProtocolErrorCode.InvalidRequest,
        `the body holds ${bounds.excess}; no message needs so many`,
      );
    if (isCrowded) return refusal(503, serverBusy, "the server is reading as much as it can hold; try again later");
    return { bytes: Buffer.concat(pieces) };
  }
}

const serverBusy = -32_000;

function refusal(status: number, code: number, message: string): { refusal: HttpRefusal } {
  return { refusal: { status, code, message } };
}
