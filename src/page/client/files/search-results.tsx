import { Fragment, type VNode } from "preact";
import type { Answers } from "../../answers.js";
import type { Hit } from "../data/types.js";
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
  const { data, error } = useMemoryData(settled.query === "" ? null : "search", createQuery(settled));
  if (data === null) return <Pending error={error} />;
  if (data.hits.length === 0) return <NothingFound search={settled} />;
  return (
    <div class="results" data-query={settled.query}>
      <p class="muted" role="status">
        {countWords(data, settled)}
      </p>
      <Hits hits={data.hits} search={settled} createHref={createHref} />
    </div>
  );
}

/** Counts the hits that hold what was searched for. Their neighbours are no hits of their own. */
function countWords({ hits, more }: Answers["search"], { kind }: Search): string {
  const holding = hits.filter(({ isNear }) => isNear !== true);
  if (holding.length === 0) return "No passage holds these words. These are near them in meaning or by their place";
  const files = new Set(holding.map(({ path }) => path)).size;
  const isRanked = kind === "words";
  const counted = `${countText(holding.length, isRanked ? "passage" : "line")} in ${countText(files, "file")}`;
  return `${more ? "The first " : ""}${counted}${isRanked ? ", best first" : ""}`;
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

/** Number of hits that are shown for each file. */
const maxPerFile = { words: 3, text: 5, regex: 5 } as const;

/** Shows hits by file, in the order of the first hits. */
export function Hits({ hits, search, createHref }: HitsProps & { hits: readonly Hit[] }): VNode {
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
  hits: readonly Hit[];
  max: number;
}

function HitsInFile({ path, hits, max, createHref }: HitsInFileProps): VNode {
  const holding = hits.filter(({ isNear }) => isNear !== true);
  const rows = listRows(hits, holding.slice(0, max));
  return (
    <li>
      <a class="found-file" href={createHref(path, (holding[0] ?? hits[0])?.line ?? 1)}>
        <Name text={path} />
      </a>
      {rows.map(({ line, text, marks, isNear }) =>
        isNear === true ? (
          <div key={line} class="near">
            <span class="line-number">{line}</span>
            <Marked text={text} marks={marks} />
          </div>
        ) : (
          <a key={line} class="match" href={createHref(path, line)}>
            <span class="line-number">{line}</span>
            <Marked text={text} marks={marks} />
          </a>
        ),
      )}
      {holding.length > max && <div class="muted">{holding.length - max} more</div>}
    </li>
  );
}

/** Lines between a passage and its neighbour, with an empty line between paragraphs. */
const maxDistance = 2;

/** Lists hits with one neighbour before and after each. A file that holds none of the words shows its best passage. */
function listRows(hits: readonly Hit[], shown: readonly Hit[]): Hit[] {
  if (shown.length === 0) return hits.slice(0, 1);
  const near = hits.filter(({ isNear }) => isNear === true);
  const rows = new Set<Hit>();
  const addNearest = ({ line }: Hit, direction: 1 | -1): void => {
    for (let distance = 1; distance <= maxDistance; distance += 1) {
      const other = line + direction * distance;
      if (shown.some((each) => each.line === other)) return;
      const neighbour = near.find((each) => each.line === other);
      if (neighbour !== undefined) return void rows.add(neighbour);
    }
  };
  for (const hit of shown) {
    addNearest(hit, -1);
    rows.add(hit);
    addNearest(hit, 1);
  }
  return [...rows];
}

/** Shows a text with marked parts. */
function Marked({ text, marks }: { text: string; marks: readonly Hit["marks"][number][] }): VNode {
  let end = 0;
  return (
    <bdi>
      {marks.map(([start, stop]) => {
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
