import { Fragment, type VNode } from "preact";
import { useMemoryData } from "../data/memory.js";
import { countText } from "../../../core/display/count-text.js";
import { Empty, Pending } from "../parts/parts.js";
import { noSearch, type Search, useSettled } from "../parts/search-field.js";
import { Name, Shown } from "../parts/shown.js";
import { markHits, type Match, type MatchedHit } from "./matches.js";

interface HitsProps {
  search: Search;
  /** Returns the address of a hit. */
  createHref: (path: string, line: number) => string;
}

/** Shows the hits of a search in one memory. */
export function SearchResults({ search, createHref }: HitsProps): VNode {
  const settled = useSettled(search, noSearch);
  const { data, error } = useMemoryData(settled.query === "" ? null : "search", settled);
  if (data === null) return <Pending error={error} />;
  const hits = markHits(data.hits, settled);
  if (hits.length === 0) return <NothingFound />;
  return (
    <div class="results">
      <p class="muted" role="status">
        {countWords(hits, data.more, settled)}
      </p>
      <Hits hits={hits} search={settled} createHref={createHref} />
    </div>
  );
}

function countWords(hits: readonly MatchedHit[], more: boolean, { kind }: Search): string {
  const isRanked = kind === "words";
  if (isRanked && hits.every(({ matches }) => matches.length === 0))
    return "No passage contains these words. These passages have a similar meaning";
  const files = new Set(hits.map(({ path }) => path)).size;
  const counted = `${countText(hits.length, isRanked ? "passage" : "line")} in ${countText(files, "file")}`;
  return `${more ? "The first " : ""}${counted}${isRanked ? ", best first" : ""}`;
}

export function NothingFound(): VNode {
  return <Empty title="Nothing found">“Exact” finds any part of a line.</Empty>;
}

/** Number of hits that are shown for each file. */
const maxPerFile = { words: 3, text: 5 } as const;

/** Shows hits by file, in the order of the first hits. */
export function Hits({ hits, search, createHref }: HitsProps & { hits: readonly MatchedHit[] }): VNode {
  const max = maxPerFile[search.kind];
  return (
    <ul>
      {Array.from(
        Map.groupBy(hits, ({ path }) => path),
        ([path, hitsInFile]) => (
          <HitsInFile key={path} path={path} hits={hitsInFile} max={max} createHref={createHref} />
        ),
      )}
    </ul>
  );
}

interface HitsInFileProps extends Pick<HitsProps, "createHref"> {
  path: string;
  hits: readonly MatchedHit[];
  max: number;
}

function HitsInFile({ path, hits, max, createHref }: HitsInFileProps): VNode {
  return (
    <li>
      <a class="found-file" href={createHref(path, hits[0]?.line ?? 1)}>
        <Name text={path} />
      </a>
      {hits.slice(0, max).map(({ line, text, matches }) => (
        <a key={line} class="match" href={createHref(path, line)}>
          <span class="line-number">{line}</span>
          <Marked text={text} matches={matches} />
        </a>
      ))}
      {hits.length > max && <div class="muted">{hits.length - max} more</div>}
    </li>
  );
}

/** Shows a text with marked parts. */
function Marked({ text, matches }: { text: string; matches: readonly Match[] }): VNode {
  let end = 0;
  return (
    <bdi>
      {matches.map(([start, stop]) => {
        const before = text.slice(end, start);
        end = stop;
        return (
          <Fragment key={start}>
            <Shown text={before} />
            <mark>
              <Shown text={text.slice(start, stop)} />
            </mark>
          </Fragment>
        );
      })}
      <Shown text={text.slice(end)} />
    </bdi>
  );
}
