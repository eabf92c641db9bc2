import { MemoryError, type MemoryErrorCode, type MemoryErrorDetails } from "./errors.js";

/** Translates a path of a memory to the path in the tree that shows the error. */
type Place = (path: string) => string;

/** A message that names paths. */
type Wording = (place: Place) => string;

/** A registered symbol, because the other build of this package has a module of its own. */
const wording = Symbol.for("langgraph-mongo-memory.wording");

/** An error whose message names paths. In a tree of mounts it names the paths of the tree. */
export function errorOnPaths(
  code: MemoryErrorCode,
  say: Wording,
  path?: string,
  details?: MemoryErrorDetails,
): MemoryError {
  const error = new MemoryError(code, say(asItIs), { ...(details && { details }) });
  return copyError(error, { say, ...(path !== undefined && { path }) });
}

/** Returns the error with a path. An error keeps the path that it has already, which is the innermost one. */
export function withPath(error: MemoryError, path: string): MemoryError {
  return error.path === undefined ? copyError(error, { path }) : error;
}

/** Returns the error with the paths that a tree shows. */
export function placeError(error: MemoryError, place: Place): MemoryError {
  const { path } = error;
  const say = getWording(error);
  if (path === undefined && say === undefined) return error;
  return copyError(error, {
    ...(path !== undefined && { path: place(path) }),
    ...(say && { message: say(place), say: (outer) => say((inner) => outer(place(inner))) }),
  });
}

/** Copies an error instead of changing it, because a guard may throw one object several times. */
function copyError(
  error: MemoryError,
  { message = error.message, path, say }: { message?: string; path?: string; say?: Wording },
): MemoryError {
  const copy = new MemoryError(error.code, message);
  Object.setPrototypeOf(copy, Object.getPrototypeOf(error) as object | null);
  const fields = { ...Object.getOwnPropertyDescriptors(error) };
  return Object.defineProperties(copy, {
    ...fields,
    message: field(message),
    stack: field(error.stack?.replace(error.message, () => message)),
    ...(path !== undefined && { path: { ...field(path), enumerable: true } }),
    ...(say !== undefined && { [wording]: field(say) }),
  });
}

function field(value: unknown): PropertyDescriptor {
  return { value, writable: true, configurable: true };
}

function getWording(error: MemoryError): Wording | undefined {
  const say: unknown = Reflect.get(error, wording);
  // Only `copyError` sets it.
  return typeof say === "function" ? (say as Wording) : undefined;
}

function asItIs(path: string): string {
  return path;
}
