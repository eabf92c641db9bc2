import { MemoryError, type MemoryErrorCode } from "../core/values/errors.js";
import { getField } from "../core/values/unknown-values.js";

/** The exit codes of the program. They never change. */
export const exitCodes = { done: 0, refused: 1, usage: 2, storage: 3, bug: 70 } as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

export const exitCodeMeanings: readonly (readonly [code: ExitCode, meaning: string])[] = [
  [exitCodes.done, "done, also if the reader of a pipe ended"],
  [exitCodes.refused, "refused, not found, nothing matched, or doctor found a fault"],
  [exitCodes.usage, "a wrong command, option, argument or input"],
  [exitCodes.storage, "the storage failed or could not be reached"],
  [exitCodes.bug, "a fault of this program"],
];

/**
 * `EUSAGE` the command line · `EINPUT` a file or text that it names · `EPROTO` the input of an MCP client · `EBUG` the
 * program · others: errors of a memory.
 */
type CommandErrorCode = MemoryErrorCode | "EUSAGE" | "EINPUT" | "EPROTO" | "EBUG";

/** Ends a command. The message is one sentence: what is wrong, where, and what would be right. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  readonly code: CommandErrorCode;
  /** Whether the command `doctor` can say more. */
  readonly suggestsDoctor: boolean;

  constructor(code: CommandErrorCode, message: string, options: { cause?: unknown; suggestsDoctor?: boolean } = {}) {
    super(message, options);
    this.code = code;
    this.suggestsDoctor = options.suggestsDoctor ?? false;
  }

  get exitCode(): ExitCode {
    if (this.code === "EIO") return exitCodes.storage;
    if (this.code === "EBUG") return exitCodes.bug;
    return ["EUSAGE", "EINPUT", "EINVAL"].includes(this.code) ? exitCodes.usage : exitCodes.refused;
  }
}

export const usageError = (message: string, cause?: unknown): CommandError =>
  new CommandError("EUSAGE", message, { cause });
export const inputError = (message: string, cause?: unknown): CommandError =>
  new CommandError("EINPUT", message, { cause });

export type Advice = Partial<Record<MemoryErrorCode, string>>;

export const storageAdvice = "check that the storage is up and that you may use it";

/** Advice by error code, for messages that do not say what would be right. */
const defaultAdvice: Advice = {
  EINVAL: "pass a path such as /notes/today",
  ENOENT: "`tree` shows what there is",
  EISDIR: "name a file in it, or `ls` it",
  ENOTDIR: "name a directory, or another place",
  EEXIST: "choose another name, or remove what is there first",
  ECONFLICT: "run the command again",
  EIO: storageAdvice,
};

/**
 * Runs calls of a memory, and makes their errors name `subject`, such as the path.
 * @param advice what would be right, by error code
 */
export async function about<T>(subject: string, run: () => Promise<T>, advice: Advice = defaultAdvice): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw MemoryError.isInstance(error) ? nameSubject(subject, error, advice) : error;
  }
}

/** Converts an error of a memory to one that names `subject`. @param advice as in `about` */
export function nameSubject(subject: string, error: MemoryError, advice: Advice = defaultAdvice): CommandError {
  const hint = advice[error.code];
  const message = `${subject || '""'}: ${error.message}${hint === undefined ? "" : `; ${hint}`}`;
  return new CommandError(error.code, message, { cause: error, suggestsDoctor: hint === storageAdvice });
}

/** Runs a check of the core. Its errors are mistakes of the command line. @throws CommandError EUSAGE */
export function asUsage<T>(flags: string, check: () => T, advice?: string): T {
  try {
    return check();
  } catch (error) {
    if (!MemoryError.isInstance(error) && !(error instanceof TypeError)) throw error;
    throw usageError(`${flags}: ${error.message}${advice === undefined ? "" : `; ${advice}`}`, error);
  }
}

/** Converts any failure to an error of a command. */
export function toCommandError(error: unknown): CommandError {
  if (error instanceof CommandError) return error;
  if (MemoryError.isInstance(error)) return new CommandError(error.code, error.message, { cause: error });
  const message = error instanceof Error ? error.message : String(error);
  return new CommandError("EBUG", `unexpected failure (${message}); please report it`, { cause: error });
}

const plainWords: Record<string, string> = {
  ENOENT: "there is no such file or folder",
  EACCES: "access is denied",
  EPERM: "access is denied",
  EISDIR: "it is a folder, not a file",
  ENOTDIR: "a part of the path is a file, not a folder",
  EEXIST: "it is there already",
  ENOSPC: "the disk is full",
  EROFS: "the file system is read-only",
  ENAMETOOLONG: "the name is too long",
  ELOOP: "it is a link, or a loop of links",
};

/**
 * Runs file operations on a path that the user named.
 * @throws CommandError EINPUT if the path cannot be read, EIO if it cannot be written
 */
export async function withFile<T>(name: string, act: "read" | "write", run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const words = plainWords[error.code] ?? "the file system failed";
    const wanted = act === "read" ? "name one that can be read" : "name a place that can be written";
    const message = `${name}: ${words} (${error.code}); ${wanted}`;
    throw new CommandError(act === "read" ? "EINPUT" : "EIO", message, { cause: error });
  }
}

/** Checks the shape, because errors of Node are instances of another realm's class in a `vm` context. */
export function isSystemError(error: unknown): error is Error & { code: string; syscall: string } {
  return typeof getField(error, "code") === "string" && typeof getField(error, "syscall") === "string";
}
