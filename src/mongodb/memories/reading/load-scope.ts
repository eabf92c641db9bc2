import type { MemorySnapshot, SnapshotFile } from "../../../core/tree/snapshot.js";
import { getParents, ROOT } from "../../../core/values/paths.js";
import { utf8Bytes } from "../../../core/values/text.js";
import {
  entriesWhere,
  type Expression,
  isPresent,
  keyIsWithin,
  mapEntries,
  valueAt,
  where,
} from "../documents/expressions.js";
import type { PageRange } from "./known-pages.js";
import { keyOfPath, pathOfKey } from "../documents/page-document.js";
import { contentBytes } from "../documents/page-sizes.js";

/** The part of a memory to load. */
export interface LoadScope extends PageRange {
  /** What to load: the files at the paths, and all paths below the directories; or whole pages. @default "paths" */
  want?: "paths" | "pages";
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
  texts: (string | null)[];
  times: (Partial<Pick<SnapshotFile, "createdAt" | "updatedAt">> | null)[];
  isDirectory: (true | null)[];
  parentIsFile?: boolean[];
  parentIsDirectory?: (true | null)[];
  filesBelow?: string[];
  directoriesBelow?: string[];
}

export function projectScope(scope: LoadScope): Record<string, Expression> {
  const { forChange = false, approvalId, changeIds = [], fields } = scope;
  return {
    ...headerFields,
    ...(forChange && { splitAtBytes: 1, measuredBytes: contentBytes("$$ROOT") }),
    ...(approvalId !== undefined && { isApplied: valueAt("$applied", approvalId) }),
    ...(changeIds.length > 0 && { made: changeIds.map((id) => valueAt("$calls", id)) }),
    ...(readsPages(scope) ? { ...wholePage, ...(forChange && { calls: 1 }) } : projectPart(scope)),
    ...fields,
  };
}

const headerFields = { key: 1, lo: 1, hi: 1, revision: 1, updatedAt: 1 } as const;

export const wholePage = { data: 1, meta: 1, dirs: 1, createdAt: 1 } as const;

function projectPart({ paths, below, forChange = false }: LoadScope): Record<string, Expression> {
  const keys = namedPaths(paths).map(keyOfPath);
  const parents = forChange ? parentPaths(paths).map(keyOfPath) : [];
  return {
    texts: keys.map((key) => valueAt("$data", key)),
    times: keys.map((key) => valueAt("$meta", key)),
    isDirectory: keys.map((key) => valueAt("$dirs", key)),
    ...(parents.length > 0 && {
      parentIsFile: parents.map((key) => isPresent(valueAt("$data", key))),
      parentIsDirectory: parents.map((key) => valueAt("$dirs", key)),
    }),
    ...(below.length > 0 && projectBelow(below)),
  };
}

function projectBelow(below: readonly string[]): Record<string, Expression> {
  const isWanted: Expression = {
    $or: below.map((path) => (path === ROOT ? true : keyIsWithin(keyOfPath(path)))),
  };
  // Nothing is below a file, so the server then looks at no other key.
  const areFiles: Expression = {
    $and: below.map((path) => path !== ROOT && isPresent(valueAt("$data", keyOfPath(path)))),
  };
  const keysOf = (record: string): Expression =>
    mapEntries(where(areFiles, [], entriesWhere(record, isWanted)), "$$entry.k");
  return { filesBelow: keysOf("$data"), directoriesBelow: keysOf("$dirs") };
}

/** Returns the content of a page that `projectScope` has asked for, unless it reads whole pages. */
export function readPart({ paths, forChange = false }: LoadScope, part: PagePart): Omit<MemorySnapshot, "revision"> {
  const named = namedPaths(paths);
  const parents = forChange ? parentPaths(paths) : [];
  const { filesBelow = [], directoriesBelow = [] } = part;
  return {
    files: [
      ...filesBelow.map((key) => createFile(pathOfKey(key), "", null)),
      ...parents.filter((_, index) => part.parentIsFile?.[index] === true).map((path) => createFile(path, "", null)),
      ...named.flatMap((path, index) => {
        const text = part.texts[index] ?? null;
        return text === null ? [] : [createFile(path, text, part.times[index] ?? null)];
      }),
    ],
    directories: [
      ...directoriesBelow.map(pathOfKey),
      ...named.filter((_, index) => part.isDirectory[index] === true),
      ...parents.filter((_, index) => part.parentIsDirectory?.[index] === true),
    ],
  };
}

function createFile(path: string, content: string, times: PagePart["times"][number]): SnapshotFile {
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
