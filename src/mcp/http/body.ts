import type { IncomingMessage, ServerResponse } from "node:http";
import { isJsonContentType, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { callLimits, JsonBounds } from "../../core/values/json-bounds.js";
import { HttpRefusal, serverError } from "./guard.js";

const { InvalidRequest, ParseError } = ProtocolErrorCode;

/** The bodies of all running requests may together have so many times `maxBodyBytes`. */
const maxLargestBodies = 16;

/**
 * Reads request bodies. Each body has limits, and all bodies in memory together have another one. The SDK only limits
 * the length of each body.
 */
export class RequestBodies {
  readonly #maxBodyBytes: number;
  #heldBytes = 0;

  constructor(maxBodyBytes: number) {
    this.#maxBodyBytes = maxBodyBytes;
  }

  /**
   * Reads the JSON of a request's body. The body counts against the limit until `response` is closed.
   * @throws HttpRefusal
   */
  async readJson(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    if (!isJsonContentType(request.headers["content-type"] ?? null))
      throw new HttpRefusal(415, InvalidRequest, "the Content-Type must be application/json");
    const bytes = await this.#read(request, response);
    try {
      return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    } catch {
      const message = "the body is not valid JSON in UTF-8; it must be one JSON-RPC 2.0 message";
      throw new HttpRefusal(400, ParseError, message);
    }
  }

  /** A refused body is read to its end and dropped, because a client reads no answer while it still writes. */
  async #read(request: IncomingMessage, response: ServerResponse): Promise<Buffer> {
    const bounds = new JsonBounds(callLimits);
    const pieces: Buffer[] = [];
    let [sizeBytes, heldBytes] = [0, 0];
    let isCrowded = false;
    response.once("close", () => {
      this.#heldBytes -= heldBytes;
    });
    // No encoding is set on the request, so it yields buffers.
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
    if (sizeBytes > this.#maxBodyBytes)
      throw new HttpRefusal(
        413,
        InvalidRequest,
        `the body has ${sizeBytes} bytes; at most ${this.#maxBodyBytes} are accepted`,
      );
    if (bounds.excess !== undefined)
      throw new HttpRefusal(400, InvalidRequest, `the body contains ${bounds.excess}; no message needs so many`);
    if (isCrowded)
      throw new HttpRefusal(503, serverError, "the server is reading as much as it can at once; try again later");
    return Buffer.concat(pieces);
  }
}
