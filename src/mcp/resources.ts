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
/** The length for the longest path, if each character is three percent-encoded bytes. */
const maxUriChars = scheme.length + 9 * maxPathChars;

export const fileTemplate: ResourceTemplateType = {
  name: "file",
  title: "File of the memory",
  uriTemplate: `${scheme}/{+path}`,
  description: "One text file of the memory by its path, each segment percent-encoded.",
};

/** Returns `memory:///notes/to%20do` for `/notes/to do`. */
export function toUri(path: string): string {
  return `${scheme}/${splitPath(path).map(encodeURIComponent).join("/")}`;
}

/** @throws ProtocolError InvalidParams if the text is not the URI of a file */
export function parseUri(uri: string): string {
  try {
    if (uri.length <= maxUriChars && uri.startsWith(`${scheme}/`))
      return normalizePath(decodeURIComponent(uri.slice(scheme.length)));
  } catch (error) {
    if (!(error instanceof URIError) && !MemoryError.isInstance(error)) throw error;
  }
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `invalid uri: ${shorten(uri, maxEchoChars)}; a file of the memory is ${scheme}/ and its path, percent-encoded`,
  );
}

/** Lists the files after the path in `cursor`. So a page is right even if files were created or deleted meanwhile. */
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
  // Uses the wider rule, so that a file whose name `plain` does not allow is reported as missing.
  const text = await inProtocol(uri, () => memory.with({ paths: "posix" }).read(path));
  return { contents: [{ uri, mimeType: getMimeType(path), text }] };
}

function getMimeType(path: string): string {
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

/** Runs a command of the memory. Its errors become errors of the protocol, which contain only message and code. */
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
