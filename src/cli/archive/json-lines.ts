import type { FileHandle } from "node:fs/promises";
import { memoryBytesCeiling } from "../../core/memory-options.js";
import { inputError, withFile } from "../errors.js";

/**
 * The largest file that a memory can hold takes six times as much at most, all of it escaped; the rest is its path and
 * address.
 */
const maxLineBytes = 6 * memoryBytesCeiling + 100_000;
const chunkBytes = 256 * 1024;

export interface JsonLine {
  bytes: Buffer;
  offset: number;
  /** From 1. */
  number: number;
}

/** One line is held at a time. */
export async function* readLines(handle: FileHandle, name: string): AsyncGenerator<JsonLine> {
  /** Of the line that has not ended yet. */
  let pieces: Buffer[] = [];
  let offset = 0;
  let number = 0;
  for (let position = 0; ;) {
    const chunk = Buffer.allocUnsafe(chunkBytes);
    const { bytesRead } = await withFile(name, "read", () => handle.read(chunk, 0, chunkBytes, position));
    if (bytesRead === 0) break;
    const read = chunk.subarray(0, bytesRead);
    let start = 0;
    for (let end = read.indexOf(10); end !== -1; end = read.indexOf(10, start)) {
      number += 1;
      const bytes = Buffer.concat([...pieces, read.subarray(start, end)]);
      yield { bytes, offset, number };
      offset += bytes.length + 1;
      pieces = [];
      start = end + 1;
    }
    pieces.push(read.subarray(start));
    position += bytesRead;
    if (position - offset > maxLineBytes)
      throw inputError(
        `${name}: line ${number + 1}: longer than ${maxLineBytes} bytes; no file of a memory is that long`,
      );
  }
  if (pieces.some(({ length }) => length > 0))
    throw inputError(`${name}: line ${number + 1} does not end; export or copy it again`);
}
