import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Choice } from "./parts.js";
import type { Query } from "../data/route.js";

const kinds = [
  ["words", "Words"],
  ["text", "Exact"],
] as const;

/** A search: the query and its kind. */
export interface Search extends Query {
  query: string;
  /** Words are ranked. An exact text must occur in a line, in any case. */
  kind: (typeof kinds)[number][0];
}

export const noSearch: Search = { query: "", kind: "words" };

interface SearchFieldProps {
  label: string;
  search: Search;
  setSearch: (search: Search) => void;
}

/** Shows the search field. Once it contains a text, the kinds of search appear below. */
export function SearchField({ label, search, setSearch }: SearchFieldProps): VNode {
  const { query, kind } = search;
  return (
    <div class="search" role="search">
      <input
        type="search"
        placeholder={label}
        aria-label={label}
        value={query}
        maxLength={1000}
        onInput={(event) => setSearch({ ...search, query: event.currentTarget.value })}
      />
      {query !== "" && (
        <Choice
          label="How to search"
          value={kind}
          options={kinds}
          choose={(chosen) => setSearch({ ...search, kind: chosen })}
        />
      )}
    </div>
  );
}

const pauseMs = 200;

/** Returns a value after it has not changed for a moment, and the first one before. */
export function useSettled<T>(value: T, first: T): T {
  const [settled, setSettled] = useState(first);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pauseMs);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
