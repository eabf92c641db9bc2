import type { VNode } from "preact";
import type { WireHit, WireHits } from "../../wire.js";
import { useMemoryData } from "../data/memory.js";
import { countText } from "../parts/format.js";
import { Empty, Pending } from "../parts/parts.js";
import { createQuery, type Search, useSettled } from "../parts/search-field.js";
import { Name, Shown } from "../parts/shown.js";

interface HitsProps {
  search: Search;
  /** Returns the address of a hit. */
  createHref: (path: string, line: number) => string;
}

/** Shows the hits of a search in one memory. */
export function SearchResults({ search, createHref }: HitsProps): VNode {
  const settled = useSettled(search);
  const { data, error } = useMemoryData<WireHits>(settled.query === "" ? null : "search", createQuery(settled));
  if (data === null) return <Pending error={error} />;
  if (data.hits.length === 0) return <NothingFound search={settled} />;
  const files = new Set(data.hits.map(({ path }) => path));
  const isRanked = settled.kind === "words";
  return (
    <div class="results">
      <p class="muted" role="status">
        {data.more ? "The first " : ""}
        {countText(data.hits.length, isRanked ? "passage" : "line")} in {countText(files.size, "file")}
        {isRanked ? ", best first" : ""}
      </p>
      <Hits hits={data.hits} search={settled} createHref={createHref} />
    </div>
  );
}

export function NothingFound({ search: { kind, ignoreCase } }: { search: Search }): VNode {
  const caseWords = ignoreCase ? "A" : "Upper and lower case count, and a";
  return (
    <Empty title="Nothing found">
      {kind === "words"
        ? "Words are compared by their stems. “Exact” finds any part of a line."
        : `${caseWords} match lies within one line.`}
    </Empty>
  );
}

/** Number of hits that are shown for each file. The later ranked passages are mostly neighbours of the first. */
const maxPerFile = { words: 3, text: 5, regex: 5 } as const;

/** Shows hits by file, in the order of the first hits. */
export function Hits({ hits, search, createHref }: HitsProps & { hits: readonly WireHit[] }): VNode {
  const max = maxPerFile[search.kind];
  return (
    <ul>
      {Array.from(
        Map.groupBy(hits, ({ path }) => path),
        ([path, hitsInFile]) => (
          <li key={path}>
            <a class="found-file" href={createHref(path, hitsInFile[0]?.line ?? 1)}>
              <Name text={path} />
            </a>
            {hitsInFile.slice(0, max).map(({ line, text }, index) => (
              <a key={index} class="match" href={createHref(path, line)}>
                <span class="line-number">{line}</span>
                <Marked text={text} search={search} />
              </a>
            ))}
            {hitsInFile.length > max && <div class="muted">{hitsInFile.length - max} more</div>}
          </li>
        ),
      )}
    </ul>
  );
}

/**
 * Marks the first occurrence of a literal text in a line. For words and expressions only the server knows the matches.
 */
function Marked({ text, search: { query, kind, ignoreCase } }: { text: string; search: Search }): VNode {
  const fold = (each: string): string => (ignoreCase ? each.toLowerCase() : each);
  const start = kind === "text" ? fold(text).indexOf(fold(query)) : -1;
  const end = start + query.length;
  return (
    <bdi>
      {start === -1 ? (
        <Shown text={text} />
      ) : (
        <>
          <Shown text={text.slice(0, start)} />
          <mark>
            <Shown text={text.slice(start, end)} />
          </mark>
          <Shown text={text.slice(end)} />
        </>
      )}
    </bdi>
  );
}
