import { Transform, type TransformCallback } from "node:stream";
import {
  type JSONRPCMessage,
  parseJSONRPCMessage,
  ProtocolErrorCode,
  type RequestId,
} from "@modelcontextprotocol/server";
import { JsonBounds } from "../json-bounds.js";

/** Why a line is not passed on. */
export interface Refusal {
  /** Of the request, null where it cannot be known. */
  id: RequestId | null;
  code: number;
  reason: string;
}

export interface MessageLinesOptions {
  maxMessageBytes: number;
  /** Told of what is not passed on. */
  refuse: (refusal: Refusal) => void;
  /** Sees each message before it is passed on; never rejects. */
  beforeMessage: (message: JSONRPCMessage) => Promise<void>;
  /** Awaited between the last message and the end; never rejects. */
  beforeEnd: () => Promise<void>;
}

const newline = 0x0a;
/** An id at the end of a line is that of the message, not of an object in it. The official client writes it last. */
const lastId = /"id"\s*:\s*(\d{1,15}|"[^"\\]{1,128}")\s*\}\s*$/;
const maxTailBytes = 200;

/**
 * Passes on the lines that hold a message, and has the others refused. The SDK's own transport gives up at a message
 * that is too long, and says nothing of one that is malformed, for which the client then waits in vain.
 */
export class MessageLines extends Transform {
  readonly #options: MessageLinesOptions;
  #pieces: Buffer[] = [];
  #sizeBytes = 0;

  constructor(options: MessageLinesOptions) {
    // One message a chunk, so that no buffer of the transport holds more than one.
    super({ readableObjectMode: true });
    this.#options = options;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    void this.#take(chunk, done);
  }

  override _flush(done: TransformCallback): void {
    void this.#end(done);
  }

  /** A last line without a newline counts as a line. */
  async #end(done: TransformCallback): Promise<void> {
    await this.#endLine();
    await this.#options.beforeEnd();
    done();
  }

  async #take(chunk: Buffer, done: TransformCallback): Promise<void> {
    let rest = chunk;
    for (let end = rest.indexOf(newline); end !== -1; end = rest.indexOf(newline)) {
      this.#hold(rest.subarray(0, end));
      await this.#endLine();
      rest = rest.subarray(end + 1);
    }
    this.#hold(rest);
    done();
  }

  /** Of a line that is too long only the end is kept. */
  #hold(piece: Buffer): void {
    this.#pieces.push(piece);
    this.#sizeBytes += piece.length;
    if (this.#sizeBytes > this.#options.maxMessageBytes) {
      this.#pieces = [Buffer.from(Buffer.concat(this.#pieces).subarray(-maxTailBytes))];
    }
  }

  async #endLine(): Promise<void> {
    const { maxMessageBytes, refuse, beforeMessage } = this.#options;
    const [line, sizeBytes] = [Buffer.concat(this.#pieces), this.#sizeBytes];
    this.#pieces = [];
    this.#sizeBytes = 0;
    if (sizeBytes > maxMessageBytes) {
      const reason = `the message has ${sizeBytes} bytes; at most ${maxMessageBytes} are accepted`;
      refuse({ id: idAtEnd(line.toString()), code: ProtocolErrorCode.InvalidRequest, reason });
      return;
    }
    const bounds = new JsonBounds();
    bounds.add(line);
    if (bounds.excess !== undefined) {
      const reason = `the message holds ${bounds.excess}; none needs so many`;
      refuse({ id: idAtEnd(line.subarray(-maxTailBytes).toString()), code: ProtocolErrorCode.InvalidRequest, reason });
      return;
    }
    const message = parse(line);
    if (message === null) return;
    if ("reason" in message) {
      refuse(message);
      return;
    }
    await beforeMessage(message);
    this.push(Buffer.concat([line, Buffer.of(newline)]));
  }
}

/** Null for a line that is blank. */
function parse(line: Buffer): JSONRPCMessage | Refusal | null {
  let value: unknown;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(line);
    if (text.trim() === "") return null;
    value = JSON.parse(text);
  } catch {
    const reason = "the message is not valid JSON in UTF-8; each line must hold one JSON-RPC 2.0 message";
    return { id: null, code: ProtocolErrorCode.ParseError, reason };
  }
  try {
    return parseJSONRPCMessage(value);
  } catch {
    const reason = "the message is no JSON-RPC 2.0 message: an object with jsonrpc, method and, for a request, id";
    return { id: requestIdOf(value), code: ProtocolErrorCode.InvalidRequest, reason };
  }
}

function requestIdOf(value: unknown): RequestId | null {
  const id: unknown = typeof value === "object" && value !== null && "id" in value ? value.id : null;
  return typeof id === "string" || typeof id === "number" ? id : null;
}

function idAtEnd(tail: string): RequestId | null {
  const id = lastId.exec(tail)?.[1];
  return id === undefined ? null : (JSON.parse(id) as RequestId);
}
