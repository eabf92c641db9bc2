import { isWithin } from "../values/paths.js";
import type { DeletedCounts, FileStat, MadeOnce } from "./snapshot.js";

/**
 * The treatment of line ends by an append or an update. `exact`: like any other character. `file`: "\n" and "\r\n"
 * match each other, and new lines get the line end that the file has there.
 */
export type LineEnds = "exact" | "file";

/** A checked and normalised change of a memory. Plain data, except `edit`. */
export type Change =
  | { type: "append"; path: string; content: string; create: boolean; lineEnds?: LineEnds | undefined }
  | { type: "write"; path: string; content: string; ifExists: "replace" | "fail"; ifMissing: "create" | "fail" }
  | { type: "update"; path: string; oldContent: string; content: string; lineEnds?: LineEnds | undefined }
  | {
      type: "edit";
      path: string;
      /** Returns the new text of the file. May run again after a lost race. */
      edit: (text: string) => string;
    }
  | {
      type: "delete";
      path: string;
      ifDirectory: "delete" | "fail";
      /** Paths that stay, each with everything above and below it. @default none */
      keeps?: readonly string[] | undefined;
    }
  | { type: "rename"; path: string; to: string };

/** The result of a change. All changes have one result type, so that no caller needs a type parameter. */
export interface ChangeResult extends MadeOnce {
  /** The file after the change. Set by write and edit; a storage may leave it out after append and update. */
  file: FileStat | null;
  /** Number of occurrences that an update replaced. */
  replaced: number;
  deleted: DeletedCounts;
}

/** A change that creates its file if it is missing. */
type CreatingChange = Extract<Change, { type: "append" | "write" }>;

export function createsMissing(change: Change): change is CreatingChange {
  return (change.type === "append" && change.create) || (change.type === "write" && change.ifMissing === "create");
}

/** Whether a change did nothing, because it found nothing to change. */
export function foundNothing({ type }: Change, { replaced, deleted }: ChangeResult): boolean {
  return (type === "update" && replaced === 0) || (type === "delete" && deleted.files + deleted.dirs === 0);
}

export const noResult: ChangeResult = { file: null, replaced: 0, deleted: { files: 0, dirs: 0 } };

/** Conditions that are checked in the step that makes a change. */
export interface ChangeOptions {
  /**
   * Receives each path below a deleted or moved directory, and each new path. Throws if the path may not be changed.
   */
  checkPath?: ((path: string) => void) | undefined;
  /** The change is refused with ECONFLICT if `digestTree` returns another digest. */
  expectedDigest?: string | undefined;
}

/** Whether a delete keeps a path. Some file systems treat both spellings of an accented letter as the same name. */
export function isKept(path: string, keeps: readonly string[] = []): boolean {
  if (keeps.length === 0) return false;
  const own = path.normalize("NFC");
  return keeps.some((each) => {
    const kept = each.normalize("NFC");
    return isWithin(own, kept) || isWithin(kept, own);
  });
}

/** The part of a memory that a storage must load to make a change. */
export interface ChangeScope {
  /** Paths that are needed, each with its parents. */
  paths: readonly string[];
  /** Paths of which all contents are needed if they are directories. */
  below: readonly string[];
}

export function getScope(change: Change): ChangeScope {
  switch (change.type) {
    case "append":
    case "write":
    case "update":
    case "edit":
      return { paths: [change.path], below: [] };
    case "delete":
      return { paths: [change.path], below: change.ifDirectory === "delete" ? [change.path] : [] };
    case "rename":
      return { paths: [change.path, change.to], below: [change.path] };
  }
}
