import type { MemoryActor } from "./actor.js";

/**
 * The reason why a command was refused or failed. The codes do not change. The messages may change. ENOENT the path
 * does not exist · EISDIR a directory where a file is needed · ENOTDIR a file where a directory is needed · EEXIST the
 * path exists already · EINVAL a bad argument · EACCES a command that this tool does not offer, or a change that an
 * access rule, a guard, a mount or a person refuses · EFBIG a file over its limit · ENOSPC a memory over its limit ·
 * ENOTMEM no memory connected · ECONFLICT an edit that kept losing its race, or a revert or an approval whose base has
 * changed · EXDEV a rename from one mounted memory into another · EIO the storage failed.
 */
export type MemoryErrorCode =
  | "ENOENT"
  | "EISDIR"
  | "ENOTDIR"
  | "EEXIST"
  | "EINVAL"
  | "EACCES"
  | "EFBIG"
  | "ENOSPC"
  | "ENOTMEM"
  | "ECONFLICT"
  | "EXDEV"
  | "EIO";

/** Facts about an error. A fact that does not apply is absent. */
export interface MemoryErrorDetails {
  /** EINVAL: no name rule allows the path. `"climbs"`: it is or hides a path with `..`. `"other"`: any other reason. */
  invalidPath?: "climbs" | "other";
  /** EINVAL: the address of a thread's or user's memory names no thread or user. */
  missingOwner?: true;
  /** EIO: the change may have been made. */
  outcomeUnknown?: true;
  /** ECONFLICT of a revert: the later version that `force` would undo too. Its path is the `path` of the error. */
  laterVersion?: { id: string; operation: string; actor: MemoryActor | null; isRedacted: boolean };
  /** ECONFLICT: the proposal is decided already. */
  decision?: { proposal: string; status: "approved" | "rejected" };
  /** Numbers of entries that `moveIn` had written, skipped and so on, as in its report. They stay. */
  moved?: Readonly<Record<"written" | "unchanged" | "skipped" | "shortened", number>>;
  /** ECONFLICT of an approval: what the change would be now, as a diff, or why it would be refused. */
  presentChange?: string;
}

const brand = Symbol.for("langgraph-mongo-memory.MemoryError");

/**
 * Every refusal and failure of a memory. Programming mistakes (wrong options, wrong types) are `TypeError`s instead.
 */
export class MemoryError extends Error {
  override readonly name = "MemoryError";
  /**
   * ENOENT the path does not exist · EISDIR a directory where a file is needed · ENOTDIR a file where a directory is
   * needed · EEXIST the path exists already · EINVAL a bad argument · EACCES a command that this tool does not offer,
   * or a change that an access rule, a guard, a mount or a person refuses · EFBIG a file over its limit · ENOSPC a
   * memory over its limit · ENOTMEM no memory connected · ECONFLICT an edit that kept losing its race, or a revert or
   * an approval whose base has changed · EXDEV a rename from one mounted memory into another · EIO the storage failed.
   */
  readonly code: MemoryErrorCode;
  /** The normalised path, if the error is about one path. */
  declare path?: string;
  /** Facts for programs, in place of the words of the message. */
  declare readonly details?: MemoryErrorDetails;
  /** The id of the proposal, if the change was proposed to a person instead of made. The code is then EACCES. */
  declare proposal?: string;

  /**
   * For backends and tests: an error as memories throw it. @param message free text. It begins with the code, except
   * for EINVAL
   */
  constructor(code: MemoryErrorCode, message: string, options?: { cause?: unknown; details?: MemoryErrorDetails }) {
    super(message, options);
    this.code = code;
    if (options?.details !== undefined) this.details = options.details;
    Object.defineProperty(this, brand, { value: true });
  }

  /** Recognises a MemoryError made by any copy of this package: the ESM and CommonJS builds have a class each. */
  static isInstance(value: unknown): value is MemoryError {
    return typeof value === "object" && value !== null && brand in value;
  }
}

/** Whether an error is a MemoryError with one of the codes. */
export function hasCode(error: unknown, ...codes: readonly MemoryErrorCode[]): error is MemoryError {
  return MemoryError.isInstance(error) && codes.includes(error.code);
}

/** Whether a memory refused a call. False if its storage failed. */
export function isRefusal(error: unknown): error is MemoryError {
  return MemoryError.isInstance(error) && error.code !== "EIO";
}

/** Returns null if a call is refused with one of the codes. @param codes default: all codes of a refusal */
export async function catchRefusal<Answer>(
  call: Promise<Answer>,
  ...codes: readonly MemoryErrorCode[]
): Promise<Answer | null> {
  try {
    return await call;
  } catch (error) {
    if (codes.length === 0 ? isRefusal(error) : hasCode(error, ...codes)) return null;
    throw error;
  }
}

/** EINVAL: no name rule allows the path, or the storage cannot have it. */
export const invalidPath = (message: string, reason: "climbs" | "other" = "other", cause?: unknown): MemoryError =>
  new MemoryError("EINVAL", message, { ...(cause !== undefined && { cause }), details: { invalidPath: reason } });

export const invalid = (message: string, cause?: unknown): MemoryError =>
  new MemoryError("EINVAL", message, cause === undefined ? {} : { cause });

/** EIO: the storage failed. @param mayHaveChanged whether the call may have changed something nevertheless */
export const storageFailed = (message: string, mayHaveChanged: boolean, cause?: unknown): MemoryError =>
  new MemoryError("EIO", mayHaveChanged ? `${message}; the outcome is unknown` : message, {
    ...(cause !== undefined && { cause }),
    ...(mayHaveChanged && { details: { outcomeUnknown: true } }),
  });

/** Returns the message without the code at its start, for people. */
export function getReason({ code, message }: MemoryError): string {
  const start = `${code}: `;
  return message.startsWith(start) ? message.slice(start.length) : message;
}

// The refusals a backend answers with, in the words of specification section 3.

/** ENOENT: the command needs a file, and the path has none. */
export const fileNotFound = (): MemoryError => new MemoryError("ENOENT", "ENOENT: file not found");
/** ENOENT: `list` was given a path that does not exist. */
export const directoryNotFound = (): MemoryError => new MemoryError("ENOENT", "ENOENT: directory not found");
/** EISDIR: the command needs a file, and the path is a directory. The root is a directory. */
export const pathIsDirectory = (): MemoryError => new MemoryError("EISDIR", "EISDIR: path is a directory");
/** ENOTDIR: `list` was given the path of a file. */
export const pathIsFile = (): MemoryError => new MemoryError("ENOTDIR", "ENOTDIR: path is a file");
/** ENOTDIR: a file cannot be created below another file. */
export const parentIsFile = (): MemoryError => new MemoryError("ENOTDIR", "ENOTDIR: a parent of the path is a file");
/** EEXIST: the file exists and may not be replaced, or the destination of a rename exists. */
export const alreadyExists = (): MemoryError => new MemoryError("EEXIST", "EEXIST: path already exists");

/** ECONFLICT: the change was made for another state of the memory. */
export const baseChanged = (): MemoryError =>
  new MemoryError("ECONFLICT", "ECONFLICT: the memory has changed since the change was planned; nothing was changed");

/** EFBIG: the file would exceed its limit. Both sizes are bytes of UTF-8. */
export const fileTooLarge = (sizeBytes: number, maxFileBytes: number): MemoryError =>
  new MemoryError(
    "EFBIG",
    `EFBIG: the file would be ${sizeBytes} bytes, over its limit of ${maxFileBytes} bytes; split it into several files`,
  );

/** ENOSPC: the memory would exceed its limit. `sizeBytes` is null if the storage refused before the size was known. */
export const memoryFull = (sizeBytes: number | null, maxMemoryBytes: number, cause?: unknown): MemoryError =>
  new MemoryError(
    "ENOSPC",
    `ENOSPC: the memory would be ${sizeBytes === null ? "too large" : `${sizeBytes} bytes`}, over its limit of ` +
      `${maxMemoryBytes} bytes; delete files no longer needed`,
    { cause },
  );
