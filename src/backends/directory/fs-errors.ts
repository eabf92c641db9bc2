import { invalidPath, MemoryError } from "../../core/values/errors.js";

/** Reasons by error code. They name no path of the host. */
const reasons: Record<string, string> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  EMFILE: "too many open files",
  ENFILE: "too many open files",
  ENOTDIR: "the memory's folder is not a folder",
  EXDEV: "a folder of the memory is on another file system",
};

/** Checks the shape, because Node's errors are not instances of another realm's Error (a `vm` context). */
export function getErrorCode(error: unknown): string | undefined {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}

/** @param cause an error of a function of `node:fs` */
export function fileSystemError(cause: unknown): MemoryError {
  if (MemoryError.isInstance(cause)) return cause;
  const code = getErrorCode(cause) ?? "unknown";
  if (code === "ENOSPC" || code === "EDQUOT") {
    return new MemoryError("ENOSPC", "ENOSPC: the disk is full; nothing was changed", { cause });
  }
  if (code === "ENAMETOOLONG") {
    return invalidPath("invalid path: too long for the file system", "other", cause);
  }
  // O_NOFOLLOW met a link that replaced the file a moment ago.
  if (code === "ELOOP") return linkInTheWay(cause);
  return new MemoryError("EIO", `EIO: ${reasons[code] ?? `the file system failed (${code})`}`, { cause });
}

/** Whether the rights of one file or directory are the reason of an error. */
export const isForbidden = (error: MemoryError): boolean =>
  ["EACCES", "EPERM", "EROFS"].includes(getErrorCode(error.cause) ?? "");

export const linkInTheWay = (cause?: unknown): MemoryError =>
  invalidPath("invalid path: it leads through a link, which a memory does not follow", "other", cause);

export const notAFile = (): MemoryError => invalidPath("invalid path: neither a file nor a directory");

/** Awaits a call to `node:fs`, and converts its errors to MemoryErrors. */
export async function io<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw fileSystemError(error);
  }
}

const missing = ["ENOENT", "ENOTDIR", "ENAMETOOLONG"];

/**
 * Does the same as `io`, but returns null for missing files, and for names that no file system can contain.
 *
 * @param inFolder whether the call is about the memory's folder or its children. If the folder is a file, that is an
 * error.
 * @param linkIsMissing whether a link that `O_NOFOLLOW` refuses counts as missing
 */
export async function ioOrNull<T>(
  call: Promise<T>,
  { inFolder = false, linkIsMissing = false } = {},
): Promise<T | null> {
  try {
    return await call;
  } catch (error) {
    const code = getErrorCode(error) ?? "";
    if (missing.includes(code) && !(inFolder && code === "ENOTDIR")) return null;
    if (linkIsMissing && code === "ELOOP") return null;
    throw fileSystemError(error);
  }
}
