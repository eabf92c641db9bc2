import { useEffect, useState } from "preact/hooks";
import type { Answers } from "../../answers.js";
import { type ApiError, get, toApiError } from "./api.js";
import type { Query } from "./route.js";

export interface Loaded<T> {
  /** Null until the data is loaded, and after a refusal. */
  data: T | null;
  error: ApiError | null;
}

const isOutage = ({ status }: ApiError): boolean => status === 0 || status === 503;

const createKey = (path: string | null, query: Query): string | null => path && `${path}?${new URLSearchParams(query)}`;

interface Reading<T> extends Loaded<T> {
  /** Reads data, and shows it unless the reading is ended before. @returns a function that ends the reading */
  start: (read: (signal: AbortSignal) => Promise<T>) => () => void;
}

/** Keeps the data that was read for a key. While the server does not answer, the data and a typed text stay. */
function useReading<T>(key: string | null): Reading<T> {
  const [loaded, setLoaded] = useState<Loaded<T> & { key: string | null }>({ key, data: null, error: null });
  const fail = (error: ApiError): void =>
    setLoaded((old) => (isOutage(error) && old.key === key && old.data !== null ? old : { key, data: null, error }));
  const start: Reading<T>["start"] = (read) => {
    const end = new AbortController();
    read(end.signal).then(
      (data) => end.signal.aborted || setLoaded({ key, data, error: null }),
      (error: unknown) => end.signal.aborted || fail(toApiError(error)),
    );
    return () => end.abort();
  };
  return { ...(loaded.key === key ? loaded : { data: null, error: null }), start };
}

/**
 * Loads data of the page, and loads it again when the query or `version` changes. The old data stays while a new
 * version loads.
 * @param path null requests nothing
 */
export function useData<Path extends keyof Answers>(
  path: Path | null,
  query: Query,
  version: unknown = 0,
): Loaded<Answers[Path]> {
  const key = createKey(path, query);
  const { data, error, start } = useReading<Answers[Path]>(key);
  useEffect(() => (path === null ? undefined : start((signal) => get(path, query, signal))), [key, version]);
  return { data, error };
}

interface Page {
  /** Start of the next page, or null at the end. */
  next: number | string | null;
}

type PagedPath = { [Path in keyof Answers]: Answers[Path] extends Page ? Path : never }[keyof Answers];

interface LoadedPages<T> {
  /** Empty until the first page is loaded. */
  pages: readonly T[];
  error: ApiError | null;
  /** Loads the next page. Null at the end. */
  more: (() => void) | null;
}

/**
 * Loads a list in pages. Loads the shown pages again when `version` changes.
 * @param path null requests nothing
 * @param position the field of a query that contains the start of a page
 */
export function usePages<Path extends PagedPath>(
  path: Path | null,
  query: Query,
  position: "offset" | "olderThan",
  version: unknown,
): LoadedPages<Answers[Path]> {
  const key = createKey(path, query);
  const { data, error, start } = useReading<readonly Answers[Path][]>(key);
  const pages = data ?? [];
  const readOn = async (from: Path, shown: readonly Answers[Path][], count: number, signal: AbortSignal) => {
    const read = [...shown];
    do {
      const next: Page["next"] = read.at(-1)?.next ?? null;
      read.push(await get(from, next === null ? query : { ...query, [position]: String(next) }, signal));
    } while (read.length < count && (read.at(-1)?.next ?? null) !== null);
    return read;
  };
  useEffect(
    () => (path === null ? undefined : start((signal) => readOn(path, [], pages.length, signal))),
    [key, version],
  );
  const hasMore = (pages.at(-1)?.next ?? null) !== null;
  const more = (from: Path) => () => void start((signal) => readOn(from, pages, pages.length + 1, signal));
  return { pages, error, more: path !== null && hasMore ? more(path) : null };
}
