import type { VNode } from "preact";
import type { WireHit, WireHits } from "../../wire.js";
import { useMemoryData } from "../data/memory.js";
import { countText } from "../parts/format.js";
import { Empty, Pending } from "../parts/parts.js";
import { createQuery, type Search, useSettled } from "../parts/search-field.js";
import { Name, Shown } from "../parts/shown.js";

interface HitsProps {
  search: Search;
  /** Where a hit leads. */
  createHref: (path: string, line: number) => string;
}

/** What one memory holds of what is searched for. */
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

/** How many hits of a file are shown. Of ranked passages the later ones are mostly neighbours of the first. */
const maxPerFile = { words: 3, text: 5, regex: 5 } as const;

/** By file, in the order in which files come. */
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

/** A literal text is marked where the line has it. The server alone knows where words and expressions match. */
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
