import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Choice } from "./parts.js";
import type { Query } from "../data/route.js";

const kinds = [
  ["words", "Words"],
  ["text", "Exact"],
  ["regex", "Regex"],
] as const;

/** A search: the query and its kind. */
export interface Search {
  query: string;
  /** Words are ranked. An exact text must occur in a line unchanged. A regular expression has the syntax of RE2. */
  kind: (typeof kinds)[number][0];
  ignoreCase: boolean;
}

export const noSearch: Search = { query: "", kind: "words", ignoreCase: false };

/** Converts a search to the server's query. */
export function createQuery({ query, kind, ignoreCase }: Search): Query {
  return { query, kind, ignoreCase: String(ignoreCase) };
}

interface SearchFieldProps {
  label: string;
  search: Search;
  setSearch: (search: Search) => void;
}

/** Shows the search field. Once it contains a text, the kinds of search appear below. */
export function SearchField({ label, search, setSearch }: SearchFieldProps): VNode {
  const { query, kind, ignoreCase } = search;
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
        <div class="ways">
          <Choice
            label="How to search"
            value={kind}
            options={kinds}
            choose={(chosen) => setSearch({ ...search, kind: chosen })}
          />
          {kind !== "words" && (
            <button
              type="button"
              class="toggle"
              aria-pressed={!ignoreCase}
              aria-label="Match case"
              title="Match upper and lower case"
              onClick={() => setSearch({ ...search, ignoreCase: !ignoreCase })}
            >
              Aa
            </button>
          )}
        </div>
      )}
    </div>
  );
}

const pauseMs = 200;

/** Returns the search after it has not changed for a moment. */
export function useSettled(search: Search): Search {
  const [settled, setSettled] = useState(noSearch);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(search), pauseMs);
    return () => clearTimeout(timer);
  }, [search]);
  return settled;
}
