import { useEffect, useState } from "preact/hooks";
import type { Answers } from "../../answers.js";
import { type ApiError, get, toApiError } from "./api.js";
import type { Query } from "./route.js";

export interface Loaded<T> {
  /** Null until the data is loaded, and after a refusal. */
  data: T | null;
  error: ApiError | null;
}

/** Loads until it is ended. @returns a function that ends it. Afterwards neither `show` nor `fail` is called */
export function load<T>(
  request: (signal: AbortSignal) => Promise<T>,
  show: (data: T) => void,
  fail: (error: ApiError) => void,
): () => void {
  const end = new AbortController();
  const run = async (): Promise<void> => {
    try {
      const data = await request(end.signal);
      if (!end.signal.aborted) show(data);
    } catch (error) {
      if (!end.signal.aborted) fail(toApiError(error));
    }
  };
  void run();
  return () => end.abort();
}

const isOutage = ({ status }: ApiError): boolean => status === 0 || status === 503;

const createKey = (path: string | null, query: Query): string | null => path && `${path}?${new URLSearchParams(query)}`;

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
  const [loaded, setLoaded] = useState<Loaded<Answers[Path]> & { key: string | null }>({
    key,
    data: null,
    error: null,
  });
  useEffect(() => {
    if (path === null) return undefined;
    return load(
      (signal) => get(path, query, signal),
      (data) => setLoaded({ key, data, error: null }),
      (error) =>
        // What is shown stays, with what a person is typing there, while nobody answers.
        setLoaded((old) =>
          isOutage(error) && old.key === key && old.data !== null ? old : { key, data: null, error },
        ),
    );
  }, [key, version]);
  return loaded.key === key ? loaded : { data: null, error: null };
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
 * Loads a list in pages. Loads the first page again when `version` changes, and keeps the other pages if they still
 * follow it.
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
  const [state, setState] = useState<{ key: string | null; pages: Answers[Path][]; error: ApiError | null }>({
    key,
    pages: [],
    error: null,
  });
  const { pages, error } = state.key === key ? state : { pages: [], error: null };
  const fail = (failure: ApiError): void =>
    setState((old) =>
      isOutage(failure) && old.key === key && old.pages.length > 0 ? old : { key, pages: [], error: failure },
    );
  useEffect(() => {
    if (path === null) return undefined;
    const showFirst = (first: Answers[Path]): void =>
      setState((old) => {
        const [oldFirst, ...others] = old.key === key ? old.pages : [];
        return { key, pages: first.next === oldFirst?.next ? [first, ...others] : [first], error: null };
      });
    return load((signal) => get(path, query, signal), showFirst, fail);
  }, [key, version]);
  const next = pages.at(-1)?.next ?? null;
  const more = (): void => {
    const showNext = (page: Answers[Path]): void => setState({ key, pages: [...pages, page], error: null });
    if (path !== null) load((signal) => get(path, { ...query, [position]: String(next) }, signal), showNext, fail);
  };
  return { pages, error, more: path === null || next === null ? null : more };
}
