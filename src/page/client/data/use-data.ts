import { useEffect, useState } from "preact/hooks";
import { type ApiError, get, toApiError } from "./api.js";
import type { Query } from "./route.js";

export interface Loaded<T> {
  /** Null until the data is loaded, and after an error. */
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

const createKey = (name: string | null, query: Query): string | null => name && `${name}?${new URLSearchParams(query)}`;

/**
 * Loads data of the page, and loads it again when the query or `version` changes. The old data stays while a new
 * version loads.
 * @param name null requests nothing
 */
export function useData<T>(name: string | null, query: Query, version: unknown = 0): Loaded<T> {
  const key = createKey(name, query);
  const [loaded, setLoaded] = useState<Loaded<T> & { key: string | null }>({ key, data: null, error: null });
  useEffect(() => {
    if (name === null) return undefined;
    return load(
      (signal) => get<T>(name, query, signal),
      (data) => setLoaded({ key, data, error: null }),
      (error) => setLoaded({ key, data: null, error }),
    );
  }, [key, version]);
  return loaded.key === key ? loaded : { data: null, error: null };
}

interface Page {
  /** Start of the next page, or null at the end. */
  next: number | string | null;
}

interface LoadedPages<T extends Page> {
  /** Empty until the first page is loaded. */
  pages: readonly T[];
  error: ApiError | null;
  /** Loads the next page. Null at the end. */
  more: (() => void) | null;
}

/**
 * Loads a list in pages. Loads the first page again when `version` changes, and keeps the other pages if they still
 * follow it.
 * @param position the field of a query that contains the start of a page
 */
export function usePages<T extends Page>(
  name: string,
  query: Query,
  position: "offset" | "olderThan",
  version: unknown,
): LoadedPages<T> {
  const key = createKey(name, query);
  const [state, setState] = useState<{ key: string | null; pages: T[]; error: ApiError | null }>({
    key,
    pages: [],
    error: null,
  });
  const { pages, error } = state.key === key ? state : { pages: [], error: null };
  const fail = (failure: ApiError): void => setState({ key, pages: [], error: failure });
  useEffect(() => {
    const showFirst = (first: T): void =>
      setState((old) => {
        const [oldFirst, ...others] = old.key === key ? old.pages : [];
        return { key, pages: first.next === oldFirst?.next ? [first, ...others] : [first], error: null };
      });
    return load((signal) => get<T>(name, query, signal), showFirst, fail);
  }, [key, version]);
  const next = pages.at(-1)?.next ?? null;
  const more = (): void => {
    const showNext = (page: T): void => setState({ key, pages: [...pages, page], error: null });
    load((signal) => get<T>(name, { ...query, [position]: String(next) }, signal), showNext, fail);
  };
  return { pages, error, more: next === null ? null : more };
}
