import {
  type ListResourcesResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
  type ResourceTemplateType,
} from "@modelcontextprotocol/server";
import { MemoryError } from "../core/values/errors.js";
import type { Memory, OutlineFile } from "../core/memory.js";
import { maxPathChars, normalizePath, splitPath } from "../core/values/paths.js";
import { shorten } from "../core/values/text.js";

const scheme = "memory://";
const maxEchoChars = 1024;
/** Of a path as long as can be, each character of which takes three bytes, percent-encoded. */
const maxUriChars = scheme.length + 9 * maxPathChars;

export const fileTemplate: ResourceTemplateType = {
  name: "file",
  title: "File of the memory",
  uriTemplate: `${scheme}/{+path}`,
  description: "One text file of the memory by its path, each segment percent-encoded.",
};

/** `memory:///notes/to%20do` of `/notes/to do`. */
export function toUri(path: string): string {
  return `${scheme}/${splitPath(path).map(encodeURIComponent).join("/")}`;
}

/** @throws ProtocolError InvalidParams for what is no URI of a file */
export function parseUri(uri: string): string {
  const path = parseUriPart(uri, scheme, normalizePath);
  if (path !== null) return path;
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `invalid uri: ${shorten(uri, maxEchoChars)}; a file of the memory is ${scheme}/ and its path, percent-encoded`,
  );
}

/**
 * What follows the scheme, from the first slash on, decoded; null where it is not legal. @param parse throws
 * MemoryError for what is not
 */
export function parseUriPart(uri: string, uriScheme: string, parse: (decoded: string) => string): string | null {
  try {
    if (uri.length > maxUriChars || !uri.startsWith(`${uriScheme}/`)) return null;
    return parse(decodeURIComponent(uri.slice(uriScheme.length)));
  } catch (error) {
    if (error instanceof URIError || MemoryError.isInstance(error)) return null;
    throw error;
  }
}

export function tooManySubscriptions(maxSubscriptions: number): ProtocolError {
  return new ProtocolError(
    ProtocolErrorCode.InvalidRequest,
    `at most ${maxSubscriptions} files can be subscribed to at once; unsubscribe from others first`,
  );
}

/** Files after the one that `cursor` names, so that a page is right whatever has come or gone since the last one. */
export async function listFiles(
  memory: Memory,
  cursor: string | undefined,
  pageSize: number,
): Promise<ListResourcesResult> {
  const after = cursor === undefined ? "" : parseCursor(cursor);
  const { files } = await inProtocol(undefined, () => memory.outline());
  const rest = files.filter(({ path }) => path > after);
  const page = rest.slice(0, pageSize);
  const last = page.at(-1);
  const nextCursor = last !== undefined && rest.length > page.length ? { nextCursor: toCursor(last.path) } : {};
  return { resources: page.map(describeFile), ...nextCursor };
}

function describeFile({ path, sizeBytes }: OutlineFile): ListResourcesResult["resources"][number] {
  return { uri: toUri(path), name: path, mimeType: getMimeType(path), size: sizeBytes };
}

export async function readFile(memory: Memory, uri: string): Promise<ReadResourceResult> {
  const path = parseUri(uri);
  // By the wider rule, so that a name that `plain` does not allow is answered as missing.
  const text = await inProtocol(uri, () => memory.with({ paths: "posix" }).read(path));
  return { contents: [{ uri, mimeType: getMimeType(path), text }] };
}

export function getMimeType(path: string): string {
  return /\.(?:md|markdown)$/i.test(path) ? "text/markdown" : "text/plain";
}

function toCursor(path: string): string {
  return Buffer.from(path).toString("base64url");
}

function parseCursor(cursor: string): string {
  const path = Buffer.from(cursor, "base64url").toString();
  if (path.startsWith("/") && toCursor(path) === cursor) return path;
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    "invalid cursor: pass the nextCursor of the last answer, or none",
  );
}

/** Runs a command of the memory; its refusals become errors of the protocol, which hold its message and code alone. */
export async function inProtocol<T>(uri: string | undefined, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!MemoryError.isInstance(error)) {
      throw new ProtocolError(ProtocolErrorCode.InternalError, "the memory could not be opened");
    }
    if (error.code === "ENOENT" && uri !== undefined)
      throw new ResourceNotFoundError(uri, `${error.message}: ${shorten(uri, maxEchoChars)}`);
    const isOurs = error.code === "EIO" || error.code === "ECONFLICT";
    const code = isOurs ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams;
    throw new ProtocolError(code, error.message, { code: error.code });
  }
}
