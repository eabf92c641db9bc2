import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { JsonBounds } from "../../core/values/json-bounds.js";
import { invalid } from "../../core/values/errors.js";
import type { MoveInSource } from "../item.js";

/** A record of a file, or the reason why it cannot be read. */
export type JsonRecord = { what: string; value: unknown } | { what: string; why: string };

/** A longer record is skipped. Conversations with many messages have some MB. */
const maxRecordBytes = 32_000_000;
const recordLimits = { values: 1_500_000, levels: 100 } as const;

/** Opens a file, or takes a stream as it is. @throws MemoryError EINVAL, and the errors of the file system */
async function openBytes(source: MoveInSource): Promise<AsyncIterable<Uint8Array | string>> {
  if (typeof source === "string") {
    if ((await stat(source)).isFile()) return createReadStream(source);
    throw invalid("it is not a regular file");
  }
  if (Symbol.asyncIterator in source) return source as AsyncIterable<Uint8Array | string>;
  throw invalid("the source must be the path of a file, or a stream of its bytes");
}

/**
 * Reads the elements of a JSON array, or the values of JSONL, one after another. Keeps one of them in memory. A value
 * that is no JSON is reported, and the rest is read.
 */
export async function* readRecords(source: MoveInSource): AsyncGenerator<JsonRecord> {
  const splitter = new RecordSplitter();
  for await (const chunk of await openBytes(source)) {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    for (const piece of splitter.add(bytes)) yield parseRecord(piece);
  }
  const { isOpen } = splitter;
  const last = splitter.end();
  if (last !== null) yield parseRecord(last);
  if (isOpen) yield { what: "the end of the file", why: "the list is not closed; the file may be cut" };
}

interface Piece {
  number: number;
  /** Null: too large. */
  bytes: Uint8Array | null;
  isCut: boolean;
}

/** One for all records: making one takes as long as it takes to decode a record. */
const decoder = new TextDecoder("utf-8", { fatal: true });

function parseRecord({ number, bytes, isCut }: Piece): JsonRecord {
  const what = `record ${number}`;
  if (bytes === null) return { what, why: `it is longer than ${maxRecordBytes} bytes` };
  const bounds = new JsonBounds(recordLimits);
  bounds.add(bytes);
  if (bounds.excess !== undefined) return { what, why: `it has ${bounds.excess}` };
  try {
    const text = decoder.decode(bytes);
    try {
      return { what, value: JSON.parse(text) as unknown };
    } catch {
      return { what, why: isCut ? "the file ends inside it" : "it is not JSON" };
    }
  } catch {
    return { what, why: "its bytes are not UTF-8" };
  }
}

const [quote, backslash, comma, newline] = [0x22, 0x5c, 0x2c, 0x0a];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];
const byteOrderMark = [0xef, 0xbb, 0xbf];

const isBlank = (byte: number): boolean => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);

/** Splits bytes between the records, without parsing them. */
class RecordSplitter {
  /** `start`: no record has begun. `first`: in the first line of a file that is JSONL or one value of several lines. */
  #form: "start" | "array" | "first" | "lines" | "value" = "start";
  #pieces: Uint8Array[] = [];
  #length = 0;
  #number = 0;
  #level = 0;
  #isInString = false;
  #isEscaped = false;
  #markBytes = 0;

  *add(chunk: Uint8Array): Generator<Piece> {
    let start = 0;
    for (let index = 0; index < chunk.length; index += 1) {
      const byte = chunk[index] ?? 0;
      if (this.#form === "start" && this.#isBeforeStart(byte)) {
        start = index + 1;
        continue;
      }
      if (!this.#separates(byte)) continue;
      this.#keep(chunk.subarray(start, index));
      start = index + 1;
      const piece = this.#takePiece(false);
      if (piece !== null) yield piece;
    }
    this.#keep(chunk.subarray(start));
  }

  /** Returns the last record, if the file does not end after one. */
  end(): Piece | null {
    return this.#takePiece(true);
  }

  /** Whether the bytes so far are an array that has not ended. */
  get isOpen(): boolean {
    return this.#form === "array" && this.#level > 0;
  }

  #takePiece(isCut: boolean): Piece | null {
    const [first, second] = this.#pieces;
    const whole = second === undefined ? (first ?? new Uint8Array()) : Buffer.concat(this.#pieces);
    const bytes = this.#length > maxRecordBytes ? null : whole;
    [this.#pieces, this.#length] = [[], 0];
    if (bytes !== null && bytes.every(isBlank)) return null;
    this.#number += 1;
    return { number: this.#number, bytes, isCut };
  }

  #keep(piece: Uint8Array): void {
    this.#length += piece.length;
    if (this.#length > maxRecordBytes) this.#pieces = [];
    else if (piece.length > 0) this.#pieces.push(piece);
  }

  #isBeforeStart(byte: number): boolean {
    if (byte === byteOrderMark[this.#markBytes]) {
      this.#markBytes += 1;
      return true;
    }
    if (isBlank(byte)) return true;
    this.#form = byte === openBracket ? "array" : "first";
    return false;
  }

  /** Whether a byte stands between two records, or begins or ends the array. */
  #separates(byte: number): boolean {
    if (byte === newline && this.#form !== "array") return this.#endsLine();
    if (this.#isInString) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === backslash) this.#isEscaped = true;
      else if (byte === quote) this.#isInString = false;
      return false;
    }
    if (byte === quote) this.#isInString = true;
    else if (byte === openBracket || byte === openBrace) {
      this.#level += 1;
      return this.#form === "array" && this.#level === 1;
    } else if (byte === closeBracket || byte === closeBrace) {
      this.#level -= 1;
      return this.#form === "array" && this.#level === 0;
    }
    return byte === comma && this.#form === "array" && this.#level === 1;
  }

  /** A line of JSONL ends even if it is broken, so that the next one can be read. */
  #endsLine(): boolean {
    if (this.#form === "first") this.#form = this.#level === 0 && !this.#isInString ? "lines" : "value";
    if (this.#form !== "lines") return false;
    [this.#level, this.#isInString, this.#isEscaped] = [0, false, false];
    return true;
  }
}
