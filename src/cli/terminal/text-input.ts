import { memoryDefaults } from "../../core/memory-options.js";
import { fileTooLarge } from "../../core/values/errors.js";
import { nameSubject, inputError } from "../errors.js";
import type { CliIo } from "./io.js";

/** Returns the argument, or reads the standard input if the argument is missing or `-`. */
export async function readText(given: string | undefined, stdin: CliIo["stdin"]): Promise<string> {
  if (given !== undefined && given !== "-") return given;
  const maxBytes = memoryDefaults.maxFileBytes;
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of stdin) {
    const bytes = toBytes(chunk);
    chunks.push(bytes);
    sizeBytes += bytes.length;
    if (sizeBytes > maxBytes) throw nameSubject("standard input", fileTooLarge(sizeBytes, maxBytes));
  }
  return decodeUtf8(Buffer.concat(chunks), "standard input");
}

export function toBytes(chunk: Uint8Array | string): Uint8Array {
  return typeof chunk === "string" ? Buffer.from(chunk) : chunk;
}

/** @throws CommandError EINPUT for bytes that are not UTF-8, because a memory could not return them unchanged */
export function decodeUtf8(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw inputError(`${name}: the bytes are not UTF-8; a memory holds text only`, cause);
  }
}
