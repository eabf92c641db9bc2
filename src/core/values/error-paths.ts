import { MemoryError, type MemoryErrorCode } from "./errors.js";

/** An error whose message begins with its path. */
export function errorOnPath(code: MemoryErrorCode, path: string, reason: string): MemoryError {
  return withPath(new MemoryError(code, `${code}: ${path} ${reason}`), path);
}

/** Returns the error with a path. An error keeps the path that it has already, which is the innermost one. */
export function withPath(error: MemoryError, path: string): MemoryError {
  return error.path === undefined ? copyError(error, path) : error;
}

/** Returns the error with the path that a tree shows, also at the start of its message. */
export function placeError(error: MemoryError, place: (path: string) => string): MemoryError {
  const { code, path, message } = error;
  if (path === undefined) return error;
  const start = `${code}: ${path} `;
  const shown = place(path);
  return copyError(
    error,
    shown,
    message.startsWith(start) ? `${code}: ${shown} ${message.slice(start.length)}` : message,
  );
}

/** Copies an error instead of changing it, because a guard may throw one object several times. */
function copyError(error: MemoryError, path: string, message = error.message): MemoryError {
  const copy = new MemoryError(error.code, message);
  Object.setPrototypeOf(copy, Object.getPrototypeOf(error) as object | null);
  return Object.defineProperties(copy, {
    ...Object.getOwnPropertyDescriptors(error),
    message: field(message),
    stack: field(error.stack?.replace(error.message, () => message)),
    path: { ...field(path), enumerable: true },
  });
}

function field(value: unknown): PropertyDescriptor {
  return { value, writable: true, configurable: true };
}
