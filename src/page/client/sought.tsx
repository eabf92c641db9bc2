import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Choice } from "./parts.js";
import type { Query } from "./route.js";

const kinds = [
  ["words", "Words"],
  ["text", "Exact"],
  ["regex", "Regex"],
] as const;

/** What is searched for, and how. */
export interface Sought {
  query: string;
  /** Words are ranked; an exact text is in a line as it is; a regular expression has the syntax of RE2. */
  kind: (typeof kinds)[number][0];
  ignoreCase: boolean;
}

export const nothingSought: Sought = { query: "", kind: "words", ignoreCase: false };

/** As the server is asked for it. */
export function queryOf({ query, kind, ignoreCase }: Sought): Query {
  return { query, kind, ...(kind !== "words" && { ignoreCase: String(ignoreCase) }) };
}

interface SearchFieldProps {
  label: string;
  sought: Sought;
  seek: (sought: Sought) => void;
}

/** A field, and below it the ways to search once something stands in it. */
export function SearchField({ label, sought, seek }: SearchFieldProps): VNode {
  const { query, kind, ignoreCase } = sought;
  return (
    <div class="search" role="search">
      <input
        type="search"
        placeholder={label}
        aria-label={label}
        value={query}
        maxLength={1000}
        onInput={(event) => seek({ ...sought, query: event.currentTarget.value })}
      />
      {query !== "" && (
        <div class="ways">
          <Choice
            label="How to search"
            value={kind}
            options={kinds}
            choose={(chosen) => seek({ ...sought, kind: chosen })}
          />
          {kind !== "words" && (
            <button
              type="button"
              class="toggle"
              aria-pressed={!ignoreCase}
              aria-label="Match case"
              title="Match upper and lower case"
              onClick={() => seek({ ...sought, ignoreCase: !ignoreCase })}
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

/** What is sought once it has not changed for a moment. */
export function useSettled(sought: Sought): Sought {
  const [settled, setSettled] = useState(nothingSought);
  const { query, kind, ignoreCase } = sought;
  useEffect(() => {
    const timer = setTimeout(() => setSettled(sought), pauseMs);
    return () => clearTimeout(timer);
  }, [query, kind, ignoreCase]);
  return settled;
}
