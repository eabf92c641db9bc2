import { MemoryError, type MemoryErrorCode } from "../core/values/errors.js";
import { type ExitCode, exitCodes } from "./exit-codes.js";

/** `EUSAGE` the command line · `EINPUT` a file or text it names · `EBUG` the program itself · else the memory's own. */
export type FaultCode = MemoryErrorCode | "EUSAGE" | "EINPUT" | "EBUG";

/** Ends a command: one sentence that says what, where, and what would be right. */
export class CommandFault extends Error {
  override readonly name = "CommandFault";
  readonly code: FaultCode;

  constructor(code: FaultCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }

  get exitCode(): ExitCode {
    return exitCodeOf(this.code);
  }
}

export const usageFault = (message: string, cause?: unknown): CommandFault =>
  new CommandFault("EUSAGE", message, { cause });
export const inputFault = (message: string, cause?: unknown): CommandFault =>
  new CommandFault("EINPUT", message, { cause });

function exitCodeOf(code: FaultCode): ExitCode {
  if (code === "EIO") return exitCodes.storage;
  if (code === "EUSAGE" || code === "EINPUT" || code === "EINVAL") return exitCodes.usage;
  return code === "EBUG" ? exitCodes.bug : exitCodes.refused;
}

const doctorHint = " (`doctor` says more)";

/** The same fault, as `doctor` itself tells it. */
export function withoutDoctorHint(fault: CommandFault): CommandFault {
  return new CommandFault(fault.code, fault.message.replace(doctorHint, ""), { cause: fault.cause });
}

export type Advice = Partial<Record<MemoryErrorCode, string>>;

export const storageAdvice = `see whether the storage is up and may be used${doctorHint}`;

/** What would be right, where the message itself does not say so. */
const advice: Advice = {
  EINVAL: "pass a path such as /notes/today",
  ENOENT: "`tree` shows what there is",
  EISDIR: "name a file in it, or `ls` it",
  ENOTDIR: "name a directory, or another place",
  EEXIST: "choose another name, or remove what is there first",
  ECONFLICT: "run the command again",
  EIO: storageAdvice,
};

/**
 * Runs a command of a memory; its refusal then names `subject`, such as the path.
 * @param advices what would be right, by the code of the refusal
 */
export async function about<T>(subject: string, run: () => Promise<T>, advices: Advice = advice): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!MemoryError.isInstance(error)) throw error;
    const hint = advices[error.code];
    const message = `${subject || '""'}: ${error.message}${hint === undefined ? "" : `; ${hint}`}`;
    throw new CommandFault(error.code, message, { cause: error });
  }
}

/** Any failure as one. */
export function faultOf(error: unknown): CommandFault {
  if (error instanceof CommandFault) return error;
  if (MemoryError.isInstance(error)) return new CommandFault(error.code, error.message, { cause: error });
  const message = error instanceof Error ? error.message : String(error);
  return new CommandFault("EBUG", `unexpected failure (${message}); please report it`, { cause: error });
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
 * Runs file operations on what the user named. @throws CommandFault EINPUT where it cannot be read, EIO where it cannot
 * be written
 */
export async function withFile<T>(name: string, act: "read" | "write", run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    // By their shape, because errors of Node are instances of another realm's class in a `vm` context.
    const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException;
    if (typeof code !== "string" || typeof syscall !== "string") throw error;
    const words = plainWords[code] ?? "the file system failed";
    const wanted = act === "read" ? "name one that can be read" : "name a place that can be written";
    throw new CommandFault(act === "read" ? "EINPUT" : "EIO", `${name}: ${words} (${code}); ${wanted}`, {
      cause: error,
    });
  }
}
