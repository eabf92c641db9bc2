/**
 * Why a command was refused or failed. The codes never change; the messages may.
 * ENOENT missing · EISDIR a directory where a file is needed · ENOTDIR a file where a directory is needed · EEXIST
 * already there · EINVAL a bad argument · EACCES a command this tool does not offer, or a change that a rule or a guard
 * refuses · EFBIG a file over its limit · ENOSPC a memory over its limit · ENOTMEM no memory connected · ECONFLICT an edit
 * that kept losing its race · EXDEV a rename from one mounted memory into another · EIO the storage failed.
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

const brand = Symbol.for("langgraph-mongo-memory.MemoryError");

/** Every refusal and failure of a memory. Programming mistakes (wrong options, wrong types) are `TypeError`s instead. */
export class MemoryError extends Error {
  override readonly name = "MemoryError";
  /**
   * ENOENT missing · EISDIR a directory where a file is needed · ENOTDIR a file where a directory is needed · EEXIST already
   * there · EINVAL a bad argument · EACCES a command this tool does not offer, or a change that a rule or a guard refuses ·
   * EFBIG a file over its limit · ENOSPC a memory over its limit · ENOTMEM no memory connected · ECONFLICT an edit that kept
   * losing its race · EXDEV a rename from one mounted memory into another · EIO the storage failed.
   */
  readonly code: MemoryErrorCode;
  /** The path, normalised, where one call on one path of a memory was refused or failed. */
  declare path?: string;
  /** The id of the proposal, where the change was not made but proposed to a person. The code is EACCES. */
  declare proposal?: string;

  /** An error as the memories throw it, for backends and tests. @param message free text. It begins with the code, except for EINVAL */
  constructor(code: MemoryErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
    Object.defineProperty(this, brand, { value: true });
  }

  /** Recognises a MemoryError made by any copy of this package: the ESM and CommonJS builds have a class each. */
  static isInstance(value: unknown): value is MemoryError {
    return typeof value === "object" && value !== null && brand in value;
  }
}

export const invalid = (message: string): MemoryError => new MemoryError("EINVAL", message);

// The refusals a backend answers with, in the words of specification section 3.

/** ENOENT: no file is at the path, and the command needs one. */
export const fileNotFound = (): MemoryError => new MemoryError("ENOENT", "ENOENT: file not found");
/** ENOENT: nothing is at the path that `list` was given. */
export const directoryNotFound = (): MemoryError => new MemoryError("ENOENT", "ENOENT: directory not found");
/** EISDIR: a directory is at the path, and the command needs a file. The root is a directory. */
export const pathIsDirectory = (): MemoryError => new MemoryError("EISDIR", "EISDIR: path is a directory");
/** ENOTDIR: a file is at the path that `list` was given. */
export const pathIsFile = (): MemoryError => new MemoryError("ENOTDIR", "ENOTDIR: path is a file");
/** ENOTDIR: a file cannot be created below another file. */
export const parentIsFile = (): MemoryError =>
  new MemoryError("ENOTDIR", "ENOTDIR: a parent of the path is a file");
/** EEXIST: the file exists and may not be replaced, or the destination of a rename exists. */
export const alreadyExists = (): MemoryError => new MemoryError("EEXIST", "EEXIST: path already exists");

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
