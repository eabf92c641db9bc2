import type { CheckedAddress } from "../../../core/values/address.js";
import type { MemorySnapshot } from "../../../core/memory.js";
import { utf8Bytes } from "../../../core/values/text.js";
import { keyOfPath, parentKeys } from "./page-document.js";
import { getHeadId } from "./page-ids.js";
import type { Expression } from "./expressions.js";

/*
 * Sizes in BSON. A field takes one byte for its type and one to end its name, beside name and value. So an entry of
 * `dirs` takes three bytes with its value; an entry of `data` and one of `meta` take 52 beside their names and the
 * text.
 */

/** Returns the size in bytes of a new file without its text: its key and times, and the parents that may be new. */
export function newFileBytes(path: string): number {
  const key = keyOfPath(path);
  return fileKeyBytes(key) + parentKeys(key).reduce((sum, parent) => sum + directoryKeyBytes(parent), 0);
}

/** Returns the size in bytes of a file without its text and parents. */
export function fileKeyBytes(key: string): number {
  return 2 * utf8Bytes(key) + 52;
}

export function directoryKeyBytes(key: string): number {
  return utf8Bytes(key) + 3;
}

/** The fields of the document itself, and each part of the address with its name. */
function emptyDocumentBytes(address: CheckedAddress): number {
  const ids = Object.entries(address).reduce((sum, [name, id]) => sum + name.length + utf8Bytes(id) + 7, 0);
  return 117 + utf8Bytes(getHeadId(address)) + ids;
}

/** Returns the size in bytes of the document that a first write of these files creates. */
export function newMemoryBytes(address: CheckedAddress, files: readonly { path: string; content: string }[]): number {
  const texts = files.map(({ path, content }) => newFileBytes(path) + utf8Bytes(content));
  return texts.reduce((sum, bytes) => sum + bytes, emptyDocumentBytes(address));
}

/** The bytes of some content in a page, without the fields of the page itself. */
export function measureContent({ files, directories }: Pick<MemorySnapshot, "files" | "directories">): number {
  return (
    files.reduce((sum, { path, sizeBytes }) => sum + fileKeyBytes(keyOfPath(path)) + sizeBytes, 0) +
    directories.reduce((sum, path) => sum + directoryKeyBytes(keyOfPath(path)), 0)
  );
}

/**
 * Returns the size in bytes of the document without recorded history, calls and its receipt. The 5 is the size of an empty
 * document.
 * @param document the document, as an expression
 */
export function contentBytes(document: string): Expression {
  const prefix = document === "$$ROOT" ? "$" : `${document}.`;
  const rest = Object.fromEntries(
    ["outbox", "outboxActors", "recorded", "lastVersion", "calls", "lastChange"].map((field) => [
      field,
      prefix + field,
    ]),
  );
  return { $subtract: [{ $add: [{ $bsonSize: document }, 5] }, { $bsonSize: rest }] };
}
