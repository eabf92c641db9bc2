import { randomUUID } from "node:crypto";
import { InvalidNamespaceError } from "@langchain/langgraph-checkpoint";
import { MemoryError } from "../../src/core/values/errors.js";

/** Lies wherever other tenants keep something. No input holds it, so no answer may. */
export const canary = `canary-${randomUUID()}`;

const codes = new Set([
  "ENOENT",
  "EISDIR",
  "ENOTDIR",
  "EEXIST",
  "EINVAL",
  "EACCES",
  "EFBIG",
  "ENOSPC",
  "ENOTMEM",
  "ECONFLICT",
  "EIO",
]);

/** A stack, a connection string, an address of the server, a module of this machine. */
const leaks = [
  /\n\s+at \S/,
  /mongodb(?:\+srv)?:\/\//,
  /127\.0\.0\.1:\d/,
  /node_modules\//,
  /ECONNREFUSED/,
  /\bMongo\w*Error/,
];

/** Set where a run begins: folders and addresses that only this machine has. */
const secrets: string[] = [canary, process.cwd()];

export function keepSecret(text: string): void {
  secrets.push(text);
}

/** @throws where a text that somebody is shown holds what belongs to others, or to the machine */
export function assertClean(text: string, allowed: readonly string[] = []): void {
  const shown = allowed.reduce((rest, each) => rest.replaceAll(each, ""), text);
  const secret = secrets.find((each) => shown.includes(each));
  if (secret !== undefined)
    throw new Error(secret === canary ? "an answer holds what belongs to another" : `an answer holds ${secret}`);
  const leak = leaks.find((each) => each.test(shown));
  if (leak !== undefined) throw new Error(`an answer matches ${leak.source}: ${shown.slice(0, 500)}`);
}

/** The code of an error that is documented. @throws it where it is none */
export function getErrorCode(error: unknown): string {
  if (!(error instanceof Error)) throw new Error(`what is thrown is no error: ${typeof error}`);
  assertClean(error.message);
  if (!error.message.isWellFormed()) throw new Error("a message is not well-formed");
  if (error.message.length > 5000) throw new Error(`a message has ${error.message.length} characters`);
  if (MemoryError.isInstance(error)) {
    if (!codes.has(error.code)) throw new Error(`unknown code ${error.code}`);
    if (error.code === "EIO")
      throw new Error(`EIO, though the storage works: ${error.message}`, { cause: error.cause });
    return error.code;
  }
  if (error instanceof InvalidNamespaceError || error.name === "InvalidNamespaceError") return "InvalidNamespaceError";
  // What the language itself throws is a TypeError too, and is in no words of ours.
  const isOwn =
    error instanceof TypeError &&
    !/^Cannot |is not (?:a function|iterable|defined|a constructor)|^Invalid (?:array|typed)/.test(error.message);
  if (isOwn) return "TypeError";
  throw error;
}

/** @returns `ok`, or the code of the documented error */
export async function getOutcome(call: () => Promise<unknown>): Promise<string> {
  try {
    await call();
    return "ok";
  } catch (error) {
    return getErrorCode(error);
  }
}
