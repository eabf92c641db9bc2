import type { IncomingMessage, ServerResponse } from "node:http";
import { isJsonContentType, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { callLimits, JsonBounds } from "../../core/values/json-bounds.js";
import { HttpRefusal, serverError } from "./guard.js";

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
   * @throws HttpRefusal
   */
  async readJson(request: IncomingMessage, response: ServerResponse): Promise<{ value: unknown; sizeBytes: number }> {
    if (!isJsonContentType(request.headers["content-type"] ?? null))
      throw new HttpRefusal(415, ProtocolErrorCode.InvalidRequest, "the Content-Type must be application/json");
    const bytes = await this.#read(request, response);
    try {
      const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
      const value: unknown = JSON.parse(text);
      return { value, sizeBytes: bytes.length };
    } catch {
      const message = "the body is not valid JSON in UTF-8; it must be one JSON-RPC 2.0 message";
      throw new HttpRefusal(400, ProtocolErrorCode.ParseError, message);
    }
  }

  async #read(request: IncomingMessage, response: ServerResponse): Promise<Buffer> {
    const bounds = new JsonBounds(callLimits);
    const pieces: Buffer[] = [];
    let [sizeBytes, heldBytes] = [0, 0];
    let isCrowded = false;
    response.once("close", () => {
      this.#heldBytes -= heldBytes;
    });
    // A request without an encoding is read as buffers.
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
    const { InvalidRequest } = ProtocolErrorCode;
    if (sizeBytes > this.#maxBodyBytes) {
      const message = `the body has ${sizeBytes} bytes; at most ${this.#maxBodyBytes} are accepted`;
      throw new HttpRefusal(413, InvalidRequest, message);
    }
    if (bounds.excess !== undefined)
      throw new HttpRefusal(400, InvalidRequest, `the body holds ${bounds.excess}; no message needs so many`);
    if (isCrowded)
      throw new HttpRefusal(503, serverError, "the server is reading as much as it can hold; try again later");
    return Buffer.concat(pieces);
  }
}
