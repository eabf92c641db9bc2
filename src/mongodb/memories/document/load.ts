import type { CallContext } from "../../../core/runtime/call.js";
import { MemoryTree } from "../../../core/tree/memory-tree.js";
import type { SnapshotFile } from "../../../core/tree/snapshot.js";
import { getParents, ROOT } from "../../../core/values/paths.js";
import { utf8Bytes } from "../../../core/values/text.js";
import { type Expression } from "../expressions.js";
import type { StorageScope } from "../contract/tree-storage.js";
import { keyOfPath, type MemoryDocument, pathOfKey, snapshotOfDocument } from "./document.js";
import type { DocumentReads } from "./document-reads.js";
import { entriesWhere, keyIsWithin, mapEntries, valueAt } from "./expressions.js";
import { bytesWithoutOutbox } from "./outbox/outbox.js";

/** How many paths one projection reads. Each takes three expressions, and the server limits their number. */
const maxPaths = 100;

/** The part of a document that `transact` has read. */
export interface LoadedDocument {
  tree: MemoryTree;
  /** 0 if there is no document, or one of the earlier system. */
  revision: number;
  isMissing: boolean;
  /** Without the outbox. */
  sizeBytes: number;
  /** The whole document if it is of the earlier system. */
  legacy: MemoryDocument | null;
  isApplied: boolean;
}

/** The result of the projection. */
type Loaded = MemoryDocument & DocumentPart & { sizeBytes: number; isApplied?: true };

export async function loadDocument(
  reads: DocumentReads,
  scope: StorageScope,
  call: CallContext,
): Promise<LoadedDocument> {
  const found = await reads.find<Loaded>(loadProjection(scope), call);
  if (found === null) {
    const tree = new MemoryTree({ files: [], directories: [], revision: 0 });
    return { tree, revision: 0, isMissing: true, sizeBytes: 0, legacy: null, isApplied: false };
  }
  const { revision, sizeBytes, isApplied = false } = found;
  const rest = { isMissing: false, sizeBytes, isApplied };
  if (revision === undefined) return loadLegacy(reads, scope, rest, call);
  const tree = needsWhole(scope) ? new MemoryTree(snapshotOfDocument(found)) : treeOfPart(scope, found);
  return { ...rest, tree, revision, legacy: null };
}

async function loadLegacy(
  reads: DocumentReads,
  scope: StorageScope,
  rest: Pick<LoadedDocument, "isMissing" | "sizeBytes" | "isApplied">,
  call: CallContext,
): Promise<LoadedDocument> {
  const legacy = await reads.findWhole(call);
  // Somebody has rewritten or removed the document meanwhile.
  if (legacy === null || legacy.revision !== undefined) return loadDocument(reads, scope, call);
  return { ...rest, tree: new MemoryTree(snapshotOfDocument(legacy)), revision: 0, legacy };
}

/** The result of a projection of a part, in the order of the paths. */
interface DocumentPart extends Pick<MemoryDocument, "revision"> {
  texts: (string | null)[];
  times: (Partial<Pick<SnapshotFile, "createdAt" | "updatedAt">> | null)[];
  isDirectory: (true | null)[];
  parentIsFile: boolean[];
  parentIsDirectory: (true | null)[];
  filesBelow: string[];
  directoriesBelow: string[];
}

/** Whether a scope needs the whole document. Otherwise a projection reads a part. */
function needsWhole({ paths, below, needsTexts = false }: StorageScope): boolean {
  return (needsTexts && below.length > 0) || paths.length > maxPaths;
}

function loadProjection(scope: StorageScope): Record<string, Expression> {
  const { approvalId } = scope;
  return {
    revision: 1,
    sizeBytes: bytesWithoutOutbox("$$ROOT"),
    ...(approvalId !== undefined && { isApplied: valueAt("$applied", approvalId) }),
    ...(needsWhole(scope) ? { data: 1, meta: 1, dirs: 1, createdAt: 1, updatedAt: 1 } : partProjection(scope)),
  };
}

function partProjection({ paths, below }: StorageScope): Record<string, Expression> {
  const keys = namedPaths(paths).map(keyOfPath);
  const parents = parentPaths(paths).map(keyOfPath);
  const directories = below.filter((path) => path !== ROOT).map((path) => keyIsWithin(keyOfPath(path)));
  const isBelow: Expression = below.includes(ROOT) ? true : { $or: directories };
  const keysBelow = (record: string): Expression =>
    below.length === 0 ? [] : mapEntries(entriesWhere(record, isBelow), "$$entry.k");
  return {
    texts: keys.map((key) => valueAt("$data", key)),
    times: keys.map((key) => valueAt("$meta", key)),
    isDirectory: keys.map((key) => valueAt("$dirs", key)),
    parentIsFile: parents.map((key) => ({ $gt: [valueAt("$data", key), null] })),
    parentIsDirectory: parents.map((key) => valueAt("$dirs", key)),
    filesBelow: keysBelow("$data"),
    directoriesBelow: keysBelow("$dirs"),
  };
}

function treeOfPart({ paths }: StorageScope, part: DocumentPart): MemoryTree {
  const named = namedPaths(paths);
  const parents = parentPaths(paths);
  const files = [
    ...part.filesBelow.map((key) => fileAt(pathOfKey(key), "", null)),
    ...parents.filter((_path, index) => part.parentIsFile[index] === true).map((path) => fileAt(path, "", null)),
    ...named.flatMap((path, index) => {
      const text = part.texts[index] ?? null;
      return text === null ? [] : [fileAt(path, text, part.times[index] ?? null)];
    }),
  ];
  const directories = [
    ...part.directoriesBelow.map(pathOfKey),
    ...named.filter((_path, index) => part.isDirectory[index] === true),
    ...parents.filter((_path, index) => part.parentIsDirectory[index] === true),
  ];
  return new MemoryTree({ files, directories, revision: part.revision ?? 0 });
}

function fileAt(path: string, content: string, times: DocumentPart["times"][number]): SnapshotFile {
  const unknown = new Date(0);
  const { createdAt = unknown, updatedAt = unknown } = times ?? {};
  return { path, kind: "file", content, sizeBytes: utf8Bytes(content), createdAt, updatedAt };
}

function namedPaths(paths: readonly string[]): string[] {
  return [...new Set(paths)].filter((path) => path !== ROOT);
}

function parentPaths(paths: readonly string[]): string[] {
  return [...new Set(paths.flatMap(getParents))];
}
