import type { MemorySnapshot, SnapshotFile } from "../../../core/tree/snapshot.js";
import { getParents, ROOT } from "../../../core/values/paths.js";
import { utf8Bytes } from "../../../core/values/text.js";
import {
  entriesWhere,
  type Expression,
  isText,
  keyIsWithin,
  mapEntries,
  textBytes,
  textOrNull,
  valueAt,
  where,
} from "../documents/expressions.js";
import type { PageRange } from "./known-pages.js";
import { keyOfPath, pathOfKey } from "../documents/page-document.js";
import { contentBytes } from "../documents/page-sizes.js";

/** The part of a memory to load. */
export interface LoadScope extends PageRange {
  /**
   * The parts to load below the directories: all paths; the paths of their children; all paths with sizes; or whole
   * pages. Files at `paths` have their times, and their texts unless sizes are wanted. @default "paths"
   */
  want?: "paths" | "children" | "sizes" | "pages";
  /** Whether to load the head too. @default false */
  needsHead?: boolean;
  /** Whether the change needs the kinds of all directories above the paths, and sizes of pages. @default false */
  forChange?: boolean;
  /** The id of an approved change, to find out whether the head has recorded it. */
  approvalId?: string | undefined;
  /** The identities of changes, to find out which of them a page keeps. */
  changeIds?: readonly string[] | undefined;
  /** Fields to load besides. */
  fields?: Record<string, Expression>;
}

/** The most paths that one projection reads. Each takes three expressions, and the server limits their number. */
const maxPaths = 100;

/** Whether a scope reads whole pages. */
export function readsPages({ paths, want }: LoadScope): boolean {
  return want === "pages" || paths.length > maxPaths;
}

/** The part of a page in the order of the paths. */
export interface PagePart {
  texts?: (string | null)[];
  sizes?: (number | null)[];
  times: (Partial<Pick<SnapshotFile, "createdAt" | "updatedAt">> | null)[];
  isDirectory: (true | null)[];
  parentIsFile?: boolean[];
  parentIsDirectory?: (true | null)[];
  filesBelow?: string[];
  sizesBelow?: number[];
  directoriesBelow?: string[];
}

export function projectScope(scope: LoadScope): Record<string, Expression> {
  const { forChange = false, approvalId, changeIds = [], fields } = scope;
  return {
    ...pageFields,
    ...(forChange && { splitAtBytes: 1, measuredBytes: contentBytes("$$ROOT") }),
    ...(approvalId !== undefined && { isApplied: valueAt("$applied", approvalId) }),
    ...(changeIds.length > 0 && { made: changeIds.map((id) => valueAt("$calls", id)) }),
    ...(readsPages(scope) ? { ...wholePage, ...(forChange && { calls: 1 }) } : projectPart(scope)),
    ...fields,
  };
}

const pageFields = { key: 1, lo: 1, hi: 1, revision: 1, updatedAt: 1 } as const;

export const wholePage = { data: 1, meta: 1, dirs: 1, createdAt: 1 } as const;

function projectPart({ paths, below, want, forChange = false }: LoadScope): Record<string, Expression> {
  const keys = namedPaths(paths).map(keyOfPath);
  const parents = forChange ? parentPaths(paths).map(keyOfPath) : [];
  const texts = keys.map((key) => valueAt("$data", key));
  return {
    ...(want === "sizes" ? { sizes: texts.map(sizeOfText) } : { texts }),
    times: keys.map((key) => valueAt("$meta", key)),
    isDirectory: keys.map((key) => valueAt("$dirs", key)),
    ...(parents.length > 0 && {
      parentIsFile: parents.map((key) => ({ $gt: [valueAt("$data", key), null] })),
      parentIsDirectory: parents.map((key) => valueAt("$dirs", key)),
    }),
    ...(below.length > 0 && projectBelow(below, want)),
  };
}

function projectBelow(below: readonly string[], want: LoadScope["want"]): Record<string, Expression> {
  const isWanted: Expression = { $or: below.map((path) => (want === "children" ? isChild(path) : isBelow(path))) };
  // Nothing is below a file, so the server then looks at no other key.
  const areFiles: Expression = {
    $and: below.map((path) => path !== ROOT && isText(valueAt("$data", keyOfPath(path)))),
  };
  const entries = (record: string): Expression => where(areFiles, [], entriesWhere(record, isWanted));
  const files = entries("$data");
  return {
    filesBelow: mapEntries(files, "$$entry.k"),
    ...(want === "sizes" && { sizesBelow: mapEntries(files, sizeOfText("$$entry.v")) }),
    directoriesBelow: mapEntries(entries("$dirs"), "$$entry.k"),
  };
}

/** Whether the key of `$$entry` is a directory or below it. */
function isBelow(directory: string): Expression {
  return directory === ROOT ? true : keyIsWithin(keyOfPath(directory));
}

/** Whether the key of `$$entry` is directly in a directory. The directory itself fits too, except the root. */
function isChild(directory: string): Expression {
  const start = directory === ROOT ? 0 : utf8Bytes(keyOfPath(directory)) + 1;
  return { $and: [isBelow(directory), { $lt: [{ $indexOfBytes: ["$$entry.k", ".", start] }, 0] }] };
}

function sizeOfText(value: Expression): Expression {
  return textBytes(textOrNull(value));
}

/** Returns the content of a page that `projectScope` has asked for, unless it reads whole pages. */
export function readPart({ paths, forChange = false }: LoadScope, part: PagePart): Omit<MemorySnapshot, "revision"> {
  const named = namedPaths(paths);
  const parents = forChange ? parentPaths(paths) : [];
  const { filesBelow = [], sizesBelow = [], directoriesBelow = [] } = part;
  return {
    files: [
      ...filesBelow.map((key, index) => createFile(pathOfKey(key), "", null, sizesBelow[index])),
      ...parents.filter((_, index) => part.parentIsFile?.[index] === true).map((path) => createFile(path, "", null)),
      ...named.flatMap((path, index) => {
        const [text, sizeBytes] = [part.texts?.[index] ?? null, part.sizes?.[index] ?? undefined];
        if (text === null && sizeBytes === undefined) return [];
        return [createFile(path, text ?? "", part.times[index] ?? null, sizeBytes)];
      }),
    ],
    directories: [
      ...directoriesBelow.map(pathOfKey),
      ...named.filter((_, index) => part.isDirectory[index] === true),
      ...parents.filter((_, index) => part.parentIsDirectory?.[index] === true),
    ],
  };
}

function createFile(
  path: string,
  content: string,
  times: PagePart["times"][number],
  sizeBytes = utf8Bytes(content),
): SnapshotFile {
  const unknown = new Date(0);
  const { createdAt = unknown, updatedAt = unknown } = times ?? {};
  return { path, kind: "file", content, sizeBytes, createdAt, updatedAt };
}

function namedPaths(paths: readonly string[]): string[] {
  return [...new Set(paths)].filter((path) => path !== ROOT);
}

function parentPaths(paths: readonly string[]): string[] {
  return [...new Set(paths.flatMap(getParents))];
}
