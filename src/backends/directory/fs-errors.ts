import { invalid, MemoryError } from "../../core/values/errors.js";

/** What file systems refuse, in words that name no path of the host. */
const reasons: Record<string, string> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  EMFILE: "too many open files",
  ENFILE: "too many open files",
  ENOTDIR: "the memory's folder is not a folder",
  EXDEV: "a folder of the memory is on another file system",
};

/** By its shape, for in another realm (a `vm` context) Node's errors are none of that realm's. */
export function getErrorCode(error: unknown): string | undefined {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}

/** @param cause what a function of `node:fs` threw */
export function fileSystemError(cause: unknown): MemoryError {
  if (MemoryError.isInstance(cause)) return cause;
  const code = getErrorCode(cause) ?? "unknown";
  if (code === "ENOSPC" || code === "EDQUOT") {
    return new MemoryError("ENOSPC", "ENOSPC: the disk is full; nothing was changed", { cause });
  }
  if (code === "ENAMETOOLONG") {
    return new MemoryError("EINVAL", "invalid path: too long for the file system", { cause });
  }
  // O_NOFOLLOW met a link that was not there a moment ago.
  if (code === "ELOOP") return linkInTheWay(cause);
  return new MemoryError("EIO", `EIO: ${reasons[code] ?? `the file system failed (${code})`}`, { cause });
}

/** Whether the rights of one file or directory are at fault, not the storage. */
export const isForbidden = (error: MemoryError): boolean =>
  ["EACCES", "EPERM", "EROFS"].includes(getErrorCode(error.cause) ?? "");

export const linkInTheWay = (cause?: unknown): MemoryError =>
  new MemoryError("EINVAL", "invalid path: it leads through a link, which a memory does not follow", { cause });

export const notAFile = (): MemoryError => invalid("invalid path: neither a file nor a directory");

/** The outcome of a call to `node:fs`, whose errors become MemoryErrors. */
export async function io<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw fileSystemError(error);
  }
}

const missing = ["ENOENT", "ENOTDIR", "ENAMETOOLONG"];

/**
 * As `io`, but null for what is not there. A name that no file system could hold is not there either.
 *
 * @param inFolder whether it is the memory's folder or right in it: where that is no folder, nothing is known of the
 * memory
 * @param linkIsMissing whether a link in the place of what `O_NOFOLLOW` is to open counts as nothing
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
