import type { OutlineOptions } from "../../../core/memory.js";
import { ROOT } from "../../../core/values/paths.js";
import { keyOfPath } from "./document.js";
import { textBytes, type Expression, where } from "../expressions.js";
import {
  entriesWhere,
  isDirectory,
  keyIsBelow,
  keyIsDirectlyBelow,
  mapEntries,
  orEmpty,
  textOrNull,
  valueAt,
} from "./expressions.js";

/*
 * Each projection includes the revision, which a document of the earlier layout lacks. Asking the server for the layout
 * would take 1% longer for a small read.
 */

export function readProjection(path: string): Record<string, Expression> {
  return { _id: 0, text: valueAt("$data", keyOfPath(path)), isDirectory: isDirectory(path), revision: 1 };
}

export function readFilesProjection(paths: readonly string[]): Record<string, Expression> {
  return { _id: 0, texts: paths.map((path) => valueAt("$data", keyOfPath(path))), revision: 1 };
}

export function listProjection(path: string): Record<string, Expression> {
  const key = keyOfPath(path);
  const childKeys = (record: Expression): Expression =>
    mapEntries(entriesWhere(record, keyIsDirectlyBelow(key)), "$$entry.k");
  return {
    _id: 0,
    isFile: { $gt: [valueAt("$data", key), null] },
    isDirectory: isDirectory(path),
    files: childKeys("$data"),
    directories: childKeys("$dirs"),
    revision: 1,
  };
}

export function statProjection(path: string): Record<string, Expression> {
  const key = keyOfPath(path);
  const entries = entriesWhere("$data", path === ROOT ? true : keyIsBelow(key));
  return {
    _id: 0,
    fileBytes: textBytes(textOrNull(valueAt("$data", key))),
    directoryBytes: where(isDirectory(path), { $sum: mapEntries(entries, entryBytes) }, "$$REMOVE"),
    meta: valueAt("$meta", key),
    revision: 1,
  };
}

const entryBytes = textBytes(textOrNull("$$entry.v"));

export function outlineProjection({
  maxContentBytes,
  leadChars,
}: Required<OutlineOptions>): Record<string, Expression> {
  const entries: Expression = { $objectToArray: orEmpty("$data") };
  const withContents: Record<string, Expression> =
    maxContentBytes > 0
      ? { data: where({ $lte: [{ $sum: mapEntries(entries, entryBytes) }, maxContentBytes] }, "$data", "$$REMOVE") }
      : {};
  // A code point is one or two UTF-16 units.
  const lead: Record<string, Expression> =
    leadChars > 0 ? { lead: { $substrCP: [textOrNull("$$entry.v"), 0, leadChars] } } : {};
  return {
    _id: 0,
    files: mapEntries(entries, { key: "$$entry.k", sizeBytes: entryBytes, ...lead }),
    directories: mapEntries({ $objectToArray: orEmpty("$dirs") }, "$$entry.k"),
    revision: 1,
    ...withContents,
  };
}
