/** A file that moves in. */
export interface MoveInEntry {
  /** Where the file goes, below `into`, such as `/notes/today.md`. */
  path: string;
  content: string;
  /** When the text was last changed, if the source says so. */
  at?: Date | undefined;
  /** When the text was written first. @default `at` */
  createdAt?: Date | undefined;
  /** Who wrote the text, in the words of the source. */
  author?: string | undefined;
  /** What the text comes from, such as `mem0:` and an id. */
  sources?: string[] | undefined;
  /** The person whose memory this is, in the source. A memory of another user does not take it. */
  userId?: string | undefined;
  /** The name in the source, for the report. @default the path */
  what?: string;
  /** What was shortened, in words, if anything was. */
  shortened?: string | undefined;
}

/** What one side of a conversation said. */
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
  /** What was shortened, in words, if anything was. */
  shortened?: string | undefined;
}

/** Something that cannot be taken, and the reason. */
export interface MoveInNote {
  what: string;
  why: string;
}

export type MoveInItem = MoveInEntry | MoveInConversation | MoveInNote;

/** Where a format reads: the path of a file or folder, a stream of bytes, a BaseStore, or a collection of MongoDB. */
export type MoveInSource = string | object;

/** What a format may need to know besides its source. */
export interface MoveInReading {
  /** The first labels of the namespaces of items to read. Empty: all. */
  namespace: readonly string[];
}

/** One format of other memories. */
export interface MoveInFormat {
  /** The versions of the other program that the reader was written for. */
  readonly version: string;
  /** What a source is: a file, a folder, either of them, or items in a store or a collection. */
  readonly takes: readonly ("file" | "folder" | "items")[];
  /**
   * Reads a source from its start, with a bounded part of it in memory. What cannot be taken is an item too.
   * @throws MemoryError EINVAL for a source of another kind, and the errors of the file system
   */
  read(source: MoveInSource, reading: MoveInReading): AsyncIterable<MoveInItem>;
}
