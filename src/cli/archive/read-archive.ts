import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { z } from "zod";
import type { SnapshotFile } from "../../core/tree/snapshot.js";
import { memoryBytesCeiling } from "../../core/memory-options.js";
import { describeFault } from "../../core/settings/faults.js";
import { MemoryTree } from "../../core/tree/memory-tree.js";
import { checkAddress, type CheckedAddress } from "../../core/values/address.js";
import { MemoryError } from "../../core/values/errors.js";
import { JsonBounds } from "../../core/values/json-bounds.js";
import { isStoredPath } from "../../core/values/paths.js";
import { utf8Bytes } from "../../core/values/text.js";
import { isRecord } from "../../core/values/unknown-values.js";
import { inputError } from "../errors.js";
import type { CliIo } from "../terminal/io.js";
import { decodeUtf8, toBytes } from "../terminal/text-input.js";

/** A memory that is imported. Its address is null if its files come from a folder. */
export interface ImportedMemory {
  address: CheckedAddress | null;
  files: SnapshotFile[];
}

export type ImportedMemories = AsyncIterable<ImportedMemory> | Iterable<ImportedMemory>;

/** Opens an archive, or the standard input (`-`). @throws CommandError EINPUT */
export async function openArchive(file: string, stdin: CliIo["stdin"]): Promise<ImportedMemories> {
  if (file === "-") return readArchive(stdin, "standard input");
  if ((await stat(file)).isFile()) return readArchive(createReadStream(file), file);
  throw inputError(
    `${file}: it is not a regular file; name one that export has made, - for the standard input, or --dir for a folder`,
  );
}

/**
 * Reads the memories one after another. The lines of a memory follow one another. Only after the last line it is known
 * that the archive is complete.
 * @throws CommandError EINPUT at the first fault
 */
async function* readArchive(chunks: AsyncIterable<Uint8Array | string>, name: string): AsyncGenerator<ImportedMemory> {
  const seen = new Set<string>();
  let memory: ImportedMemory | null = null;
  let [number, hasEnded] = [0, false];
  for await (const bytes of readLines(chunks, name)) {
    number += 1;
    const where = `${name}: line ${number}`;
    if (hasEnded) throw inputError(`${where}: there is more after the end; import one archive at a time`);
    const line = parseJson(bytes, where);
    if ("end" in line) {
      if (parseLine(endLine, line, where).files !== number - 1)
        throw inputError(`${where}: lines before it are missing; export it again`);
      hasEnded = true;
      continue;
    }
    const { path, content, createdAt, updatedAt } = parseLine(fileLine, line, where);
    const address = parseAddress(line["memory"], where);
    const key = JSON.stringify(address);
    if (memory === null || JSON.stringify(memory.address) !== key) {
      if (memory !== null) yield checkMemory(memory, name);
      if (seen.has(key)) throw inputError(`${where}: the same memory came before; export it again`);
      seen.add(key);
      memory = { address, files: [] };
    }
    memory.files.push({ path, kind: "file", content, sizeBytes: utf8Bytes(content), createdAt, updatedAt });
  }
  if (memory !== null && hasEnded) yield checkMemory(memory, name);
  if (!hasEnded) throw inputError(`${name}: it ends after line ${number}, before its last line; export it again`);
}

function checkMemory(memory: ImportedMemory, name: string): ImportedMemory {
  const twice = findTwice(memory);
  if (twice === undefined) return memory;
  throw inputError(`${name}: ${twice} is there twice; export it again`);
}

/** Returns the path of a file that another file or directory of the memory has too. */
export function findTwice(memory: ImportedMemory): string | undefined {
  const { files, directories } = new MemoryTree({ ...memory, directories: [] });
  return memory.files.find((file) => files.get(file.path) !== file || directories.has(file.path))?.path;
}

/** JSON takes at most six bytes for a byte of the largest file. The rest is for its path and times. */
const maxLineBytes = 6 * memoryBytesCeiling + 100_000;

/** Splits a stream into lines without their newlines. Keeps one line in memory. @throws CommandError EINPUT */
async function* readLines(chunks: AsyncIterable<Uint8Array | string>, name: string): AsyncGenerator<Uint8Array> {
  /** The pieces of the line that has not ended yet. */
  let pieces: Uint8Array[] = [];
  let [length, number] = [0, 1];
  for await (const given of chunks) {
    const chunk = toBytes(given);
    for (let start = 0; start < chunk.length;) {
      const newline = chunk.indexOf(10, start);
      const piece = chunk.subarray(start, newline === -1 ? undefined : newline);
      pieces.push(piece);
      length += piece.length;
      start += piece.length + 1;
      if (length > maxLineBytes)
        throw inputError(
          `${name}: line ${number}: longer than ${maxLineBytes} bytes; no file of a memory is that long`,
        );
      if (newline === -1) break;
      yield Buffer.concat(pieces);
      [pieces, length, number] = [[], 0, number + 1];
    }
  }
  if (length > 0) yield Buffer.concat(pieces);
}

const lineLimits = { values: 100, keys: 100, levels: 10 } as const;

function parseJson(bytes: Uint8Array, where: string): Record<string, unknown> {
  const bounds = new JsonBounds(lineLimits);
  bounds.add(bytes);
  if (bounds.excess !== undefined)
    throw inputError(`${where}: it has ${bounds.excess}; no line that export writes has so many`);
  const text = decodeUtf8(bytes, where);
  try {
    const line: unknown = JSON.parse(text);
    if (isRecord(line)) return line;
  } catch {
    // Reported below, as other values are.
  }
  throw inputError(`${where}: it is not a JSON object; it must be as export writes it`);
}

function parseAddress(given: unknown, where: string): CheckedAddress {
  try {
    return checkAddress(given);
  } catch (error) {
    if (!MemoryError.isInstance(error)) throw error;
    throw inputError(`${where}: ${error.message}; export it again`, error);
  }
}

function parseLine<T>(schema: z.ZodType<T>, line: object, where: string): T {
  const { data, error } = schema.safeParse(line);
  if (data !== undefined) return data;
  const [issue] = error?.issues ?? [];
  throw inputError(`${where}: ${issue && describeFault({ issue })}; it must be as export writes it`);
}

const pathField = z.string().refine(isStoredPath, 'it is not a path of a memory, such as "/notes/today"');
const textField = z.string().refine((text) => text.isWellFormed(), "it has a lone surrogate");
const timeField = z.string().pipe(z.coerce.date());

const fileLine = z.object({
  path: pathField,
  content: textField,
  createdAt: timeField,
  updatedAt: timeField,
});
const endLine = z.object({ files: z.number() });
