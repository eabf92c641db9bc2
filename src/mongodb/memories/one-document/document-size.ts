import type { CheckedAddress } from "../../../core/address.js";
import { utf8Bytes } from "../../../core/text.js";
import { keyOfPath, parentKeys } from "./document.js";

/*
 * Bytes of BSON. A field takes a byte for its type and one that ends its name, beside both; so an entry of `dirs` takes
 * three with its value, and one of `data` and one of `meta` 52 beside their names and the text.
 */

/** What a new file takes beside its text: its key and times, and the parents that may be new. */
export function newFileBytes(path: string): number {
  const key = keyOfPath(path);
  return 2 * utf8Bytes(key) + 52 + parentKeys(key).reduce((sum, parent) => sum + directoryKeyBytes(parent), 0);
}

/** What these directories take. */
export function directoryBytes(paths: readonly string[]): number {
  return paths.reduce((sum, path) => sum + directoryKeyBytes(keyOfPath(path)), 0);
}

export function directoryKeyBytes(key: string): number {
  return utf8Bytes(key) + 3;
}

/** The document that a first write makes, without the file. */
export function emptyDocumentBytes(address: CheckedAddress): number {
  return 160 + utf8Bytes(address.nodeId) + (address.scope === "perThread" ? utf8Bytes(address.threadId) : 0);
}
