import { isUtf8 } from "node:buffer";
import { constants, type Stats } from "node:fs";
import { type FileHandle, lstat, open } from "node:fs/promises";
import { MemoryError } from "../../core/values/errors.js";
import { memoryBytesCeiling } from "../../core/memory-options.js";
import type { Place } from "./folder.js";
import { io, ioOrNull, isForbidden, linkInTheWay, notAFile } from "./fs-errors.js";

/** Only another program can have created a larger file. Such a file is not read. */
const maxReadableBytes = memoryBytesCeiling;

/**
 * Flags for a file that was checked before it is opened. If a link or a pipe has replaced the file since, the flags
 * refuse the link, and do not wait for the pipe.
 */
const readFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Reads the text of a file, with its byte order mark. Returns null if the file is gone. If only this file cannot be
 * read, it returns the error, so that the caller can go on with the others.
 */
export async function readFileText(place: Place, stats: Stats): Promise<string | MemoryError | null> {
  if (stats.size > maxReadableBytes) return tooLarge(stats.size);
  try {
    const handle = await ioOrNull(open(place.parent.pathTo(place.name), readFlags));
    if (handle === null) return null;
    try {
      await assertOpened(handle, place);
      return decodeText((await readExactBytes(handle, stats.size)) ?? (await readBytes(handle)));
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (MemoryError.isInstance(error) && (isForbidden(error) || error.code === "EINVAL")) return error;
    throw error;
  }
}

/** Reads a file in one call. Returns null if its size has changed. */
async function readExactBytes(handle: FileHandle, sizeBytes: number): Promise<Buffer | null> {
  const bytes = Buffer.allocUnsafe(sizeBytes + 1);
  const { bytesRead } = await io(handle.read(bytes, 0, bytes.length, 0));
  return bytesRead === sizeBytes ? bytes.subarray(0, sizeBytes) : null;
}

async function readBytes(handle: FileHandle): Promise<Buffer | MemoryError> {
  const stats = await io(handle.stat());
  if (!stats.isFile()) throw notAFile();
  if (stats.size > maxReadableBytes) return tooLarge(stats.size);
  const bytes = Buffer.allocUnsafe(stats.size);
  let length = 0;
  while (length < bytes.length) {
    const { bytesRead } = await io(handle.read(bytes, length, bytes.length - length, length));
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.subarray(0, length);
}

function decodeText(bytes: Buffer | MemoryError): string | MemoryError {
  if (!Buffer.isBuffer(bytes)) return bytes;
  return isUtf8(bytes) ? bytes.toString() : new MemoryError("EIO", "EIO: the file is not UTF-8 text");
}

/**
 * Compares the opened file with the file at the path. Only systems without handles of directories need this: a
 * difference shows that the file was opened through a link.
 */
async function assertOpened(handle: FileHandle, { parent, name }: Place): Promise<void> {
  if (!parent.isChecked) return;
  const [opened, there] = await Promise.all([
    io(handle.stat({ bigint: true })),
    ioOrNull(lstat(parent.pathTo(name), { bigint: true })),
  ]);
  await parent.check();
  if (there?.ino !== opened.ino || there.dev !== opened.dev) throw linkInTheWay();
}

function tooLarge(sizeBytes: number): MemoryError {
  return new MemoryError(
    "EFBIG",
    `EFBIG: the file has ${sizeBytes} bytes; a memory reads files of at most ${maxReadableBytes} bytes`,
  );
}
