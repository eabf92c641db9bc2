import type { VNode } from "preact";
import type { WireAddress, WireHit, WireHits } from "../wire.js";
import { useData } from "./api.js";
import { countText } from "./format.js";
import { Empty, Fault, Loading } from "./parts.js";
import { fieldsOf } from "./route.js";
import { Name, Shown } from "./shown.js";
import { queryOf, type Sought, useSettled } from "./sought.js";

/** Where a hit leads. */
export type HitHref = (path: string, line: number) => string;

/** What one memory holds of what is sought. */
export function SearchResults({
  address,
  sought,
  mark,
  hrefOf,
}: {
  address: WireAddress;
  sought: Sought;
  mark: string;
  hrefOf: HitHref;
}): VNode {
  const settled = useSettled(sought);
  const { data, error } = useData<WireHits>(
    settled.query === "" ? null : "search",
    { ...fieldsOf(address), ...queryOf(settled) },
    mark,
  );
  if (error !== null) return <Fault error={error} />;
  if (data === null) return <Loading />;
  if (data.hits.length === 0) return <NothingFound sought={settled} />;
  const files = new Set(data.hits.map(({ path }) => path));
  const noun = settled.kind === "words" ? "passage" : "line";
  return (
    <div class="results">
      <p class="muted" role="status">
        {data.more ? "The first " : ""}
        {countText(data.hits.length, noun)} in {countText(files.size, "file")}
        {settled.kind === "words" ? ", best first" : ""}
      </p>
      <Hits hits={data.hits} sought={settled} hrefOf={hrefOf} />
    </div>
  );
}

export function NothingFound({ sought: { kind, ignoreCase } }: { sought: Sought }): VNode {
  if (kind === "words")
    return <Empty title="Nothing found">Words are compared by their stems. “Exact” finds any part of a line.</Empty>;
  return (
    <Empty title="Nothing found">
      {ignoreCase ? "A match lies within one line." : "Upper and lower case count, and a match lies within one line."}
    </Empty>
  );
}

/** Of ranked passages the later ones are mostly neighbours of the first. */
const maxOfFile = { words: 3, text: 5, regex: 5 } as const;

/** By file, in the order in which files come. */
export function Hits({ hits, sought, hrefOf }: { hits: readonly WireHit[]; sought: Sought; hrefOf: HitHref }): VNode {
  const count = maxOfFile[sought.kind];
  return (
    <ul>
      {Array.from(
        Map.groupBy(hits, ({ path }) => path),
        ([path, ofFile]) => (
          <li key={path}>
            <a class="found-file" href={hrefOf(path, ofFile[0]?.line ?? 1)}>
              <Name text={path} />
            </a>
            {ofFile.slice(0, count).map(({ line, text }, index) => (
              <a key={index} class="match" href={hrefOf(path, line)}>
                <span class="line-number">{line}</span>
                <Marked text={text} sought={sought} />
              </a>
            ))}
            {ofFile.length > count && <div class="muted">{ofFile.length - count} more</div>}
          </li>
        ),
      )}
    </ul>
  );
}

/** A literal text, where the line has it. The server alone knows where words and expressions lie. */
function Marked({ text, sought: { query, kind, ignoreCase } }: { text: string; sought: Sought }): VNode {
  const place =
    kind !== "text" ? -1 : ignoreCase ? text.toLowerCase().indexOf(query.toLowerCase()) : text.indexOf(query);
  if (place === -1)
    return (
      <bdi>
        <Shown text={text} />
      </bdi>
    );
  const end = place + query.length;
  return (
    <bdi>
      <Shown text={text.slice(0, place)} />
      <mark>
        <Shown text={text.slice(place, end)} />
      </mark>
      <Shown text={text.slice(end)} />
    </bdi>
  );
}
