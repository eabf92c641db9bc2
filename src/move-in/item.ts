/** A file that moves in. */
export interface MoveInEntry {
  /** The path of the file below `into`, such as `/notes/today.md`. */
  path: string;
  content: string;
  /** The time of the last change, if the source has it. */
  at?: Date | undefined;
  /** The time of the first version. @default `at` */
  createdAt?: Date | undefined;
  /** The author of the text, in the words of the source. */
  author?: string | undefined;
  /** The origins of the text, such as `mem0:` and an id. */
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

/** A message of a conversation. */
export interface MoveInMessage {
  /** No other message of the conversation has it. */
  id: string;
  role: "user" | "assistant";
  text: string;
  at: Date;
}

/** A conversation that moves into the log. */
export interface MoveInConversation {
  threadId: string;
  messages: readonly MoveInMessage[];
  /** The name in the source, for the report. */
  what: string;
  /** Names the parts that were shortened, if there are any. */
  shortened?: string | undefined;
}

/** Something that cannot be taken, and the reason. */
export interface MoveInNote {
  what: string;
  why: string;
}

export type MoveInItem = MoveInEntry | MoveInConversation | MoveInNote;

/** The source of a format: the path of a file or folder, a stream of bytes, a BaseStore, or a collection of MongoDB. */
export type MoveInSource = string | object;

/** The options of a format, besides its source. */
export interface MoveInReading {
  /** The first labels of the namespaces of items to read. Empty: all. */
  namespace: readonly string[];
}

/** One format of other memories. */
export interface MoveInFormat {
  /** The versions of the other program that the reader was written for. */
  readonly version: string;
  /** The kinds of its sources: files, folders, or items in a store or a collection. */
  readonly takes: readonly ("file" | "folder" | "items")[];
  /**
   * Reads a source from its start, with a bounded part of it in memory. A part that cannot be taken is an item too.
   * @throws MemoryError EINVAL for a source of another kind, and the errors of the file system
   */
  read(source: MoveInSource, reading: MoveInReading): AsyncIterable<MoveInItem>;
}
