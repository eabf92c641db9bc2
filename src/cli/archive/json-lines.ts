import type { FileHandle } from "node:fs/promises";
import { memoryBytesCeiling } from "../../core/memory-options.js";
import { inputError, withFile } from "../errors.js";

/**
 * The largest file that a memory can hold takes six times as much at most, all of it escaped; the rest is its path and
 * address.
 */
const maxLineBytes = 6 * memoryBytesCeiling + 100_000;
const chunkBytes = 256 * 1024;

/** Where a line is in a file. */
export interface LinePosition {
  offset: number;
  length: number;
  /** From 1. */
  number: number;
}

export interface JsonLine extends LinePosition {
  bytes: Uint8Array;
}

/** A file from its start, a piece at a time. */
export async function* readChunks(handle: FileHandle, name: string): AsyncGenerator<Uint8Array> {
  for (let position = 0; ;) {
    const chunk = Buffer.allocUnsafe(chunkBytes);
    const { bytesRead } = await withFile(name, "read", () => handle.read(chunk, 0, chunkBytes, position));
    if (bytesRead === 0) return;
    yield chunk.subarray(0, bytesRead);
    position += bytesRead;
  }
}

/** One line is held at a time. @throws CommandError EINPUT */
export async function* readLines(chunks: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<JsonLine> {
  /** The pieces of the line that has not ended yet. */
  let pieces: Uint8Array[] = [];
  let length = 0;
  let offset = 0;
  let number = 1;
  for await (const chunk of chunks) {
    for (let start = 0; start < chunk.length;) {
      const newline = chunk.indexOf(10, start);
      const end = newline === -1 ? chunk.length : newline;
      pieces.push(chunk.subarray(start, end));
      length += end - start;
      start = end + 1;
      if (length > maxLineBytes)
        throw inputError(
          `${name}: line ${number}: longer than ${maxLineBytes} bytes; no file of a memory is that long`,
        );
      if (newline === -1) break;
      yield {
        bytes: pieces.length === 1 ? chunk.subarray(end - length, end) : Buffer.concat(pieces),
        offset,
        length,
        number,
      };
      offset += length + 1;
      number += 1;
      pieces = [];
      length = 0;
    }
  }
  if (length > 0) throw inputError(`${name}: line ${number} does not end; export or copy it again`);
}
