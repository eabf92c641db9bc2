import type { HistoryView } from "./history-view.js";
import { getPathBefore, type VersionDocument } from "./version-document.js";

/** A file with all its versions from one on. */
export interface ChangedFile {
  /** Newest first. */
  versions: readonly VersionDocument[];
  newest: VersionDocument;
  oldest: VersionDocument;
  /** The version before them. Undefined if there is none, or if it is no longer kept. */
  before: VersionDocument | undefined;
  /** The first version of the file, if it is kept. */
  first: VersionDocument | undefined;
}

/** @param lineages the versions of each file, newest first */
export async function findChangedFiles(
  view: HistoryView,
  lineages: readonly (readonly VersionDocument[])[],
): Promise<ChangedFile[]> {
  const files = lineages.flatMap((versions) => {
    const [newest, oldest] = [versions[0], versions.at(-1)];
    return newest === undefined || oldest === undefined ? [] : [{ versions, newest, oldest }];
  });
  const ids = files.flatMap(({ oldest: { since, file } }) => [since, file]).filter((id) => id !== undefined);
  const earlier = await view.several(ids);
  return files.map((file) => ({
    ...file,
    before: earlier.get(file.oldest.since ?? ""),
    first: earlier.get(file.oldest.file ?? ""),
  }));
}

/** Returns the present path of a file. Undefined if it is deleted, or if the path is redacted. */
export function getPresentPath({ newest: { operation, path } }: Pick<ChangedFile, "newest">): string | undefined {
  return operation === "deleted" ? undefined : path;
}

/** Returns the path of a file before its versions. Undefined if there was no file, or if the path is redacted. */
export function getFormerPath({ oldest, before }: ChangedFile): string | undefined {
  return oldest.operation === "created" ? undefined : getPathBefore(oldest, before);
}

/** Lists the paths of a file before and after its versions. */
export function listPaths(file: ChangedFile): string[] {
  return [getPresentPath(file), getFormerPath(file)].filter((path) => path !== undefined);
}
