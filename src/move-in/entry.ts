/** A text that moves in. */
export interface MoveInEntry {
  /** Tells an entry from a note. @default "entry" */
  kind?: "entry";
  /** The path of the file below `into`, such as `/notes/today.md`. */
  path: string;
  content: string;
  /**
   * With an id, such as `mem0:1a2b`, the text is one of many in its file: it becomes an item of a list there, once. Without,
   * it is the whole file.
   */
  id?: string | undefined;
  /** The time of the last change, if the source has it. */
  at?: Date | undefined;
  /** The time of the first version. @default `at` */
  createdAt?: Date | undefined;
  /** The author of the text, in the words of the source. */
  author?: string | undefined;
  /** The origins of the text of a whole file, for its front matter. */
  sources?: string[] | undefined;
  /**
   * The person whose memory this is, in the source: a memory of another user does not take it. Null if the source names
   * persons, but none here: no memory of a user takes it.
   */
  userId?: string | null | undefined;
  /** The name in the source, for the report. @default the path */
  what?: string;
  /** Names the parts that were shortened, if there are any. */
  shortened?: string | undefined;
}

/** Something that cannot be taken, and the reason. */
export interface MoveInNote {
  kind: "note";
  what: string;
  why: string;
}

export function createNote(what: string, why: string): MoveInNote {
  return { kind: "note", what, why };
}

/** The path of a file, a stream of its bytes, a BaseStore, or a collection of MongoDB. */
export type MoveInSource = string | object;
