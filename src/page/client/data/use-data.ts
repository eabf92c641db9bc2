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
  const [wanted, setWanted] = useState({ key, count: 1 });
  const { data, error, start } = useReading<{ version: unknown; pages: readonly Answers[Path][] }>(key);
  const pages = data?.pages ?? [];
  const readPages = async (from: Path, signal: AbortSignal) => {
    const count = wanted.key === key ? wanted.count : 1;
    const read = data?.version === version ? [...pages] : [];
    let next: Page["next"] | undefined = read.at(-1)?.next;
    while (read.length < count && next !== null) {
      const page = await get(from, next === undefined ? query : { ...query, [position]: String(next) }, signal);
      read.push(page);
      next = page.next;
    }
    return { version, pages: read };
  };
  // One reading at a time: of two, the later answer would take away what the other has shown.
  useEffect(() => (path === null ? undefined : start((signal) => readPages(path, signal))), [key, version, wanted]);
  const hasMore = (pages.at(-1)?.next ?? null) !== null;
  return { pages, error, more: hasMore ? () => setWanted({ key, count: pages.length + 1 }) : null };
}
