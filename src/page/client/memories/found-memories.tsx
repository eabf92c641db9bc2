import type { VNode } from "preact";
import type { Answers } from "../../answers.js";
import { memoryHref, type Query } from "../data/route.js";
import { usePages } from "../data/use-data.js";
import { markHits } from "../files/matches.js";
import { Hits, NothingFound } from "../files/search-results.js";
import { countText } from "../../../core/display/count-text.js";
import { MemoryName, MoreButton, Pending } from "../parts/parts.js";
import { noSearch, type Search, useSettled } from "../parts/search-field.js";

/** Shows the hits of a search in several memories. */
export function FoundMemories({ filter, search }: { filter: Query; search: Search }): VNode {
  const settled = useSettled(search, noSearch);
  const { pages, error, more } = usePages(
    settled.query === "" ? null : "search-memories",
    { ...filter, ...settled },
    "offset",
    0,
  );
  if (pages.length === 0) return <Pending error={error} />;
  const found = sortByScore(pages.flatMap((page) => page.found));
  const searched = pages.reduce((sum, page) => sum + page.searched, 0);
  return (
    <div class="results wide">
      <p class="muted" role="status">
        {found.length === 0 ? "" : `Found in ${countText(found.length, "memory")}. `}
        {countText(searched, "memory")} searched
      </p>
      {found.length === 0 && more === null && <NothingFound />}
      {found.map(({ memory: { address }, hits }) => (
        <section key={JSON.stringify(address)}>
          <h2>
            <a href={memoryHref(address)}>
              <MemoryName address={address} />
            </a>
          </h2>
          <Hits
            hits={markHits(hits, settled)}
            search={settled}
            createHref={(path, line) => memoryHref(address, { path, line: String(line) })}
          />
        </section>
      ))}
      {more !== null && <MoreButton words="Search further memories" more={more} />}
    </div>
  );
}

/** Sorts the memories by their best hit. Without scores they keep their order. */
function sortByScore(found: Answers["search-memories"]["found"]): Answers["search-memories"]["found"] {
  const bestScore = ({ hits }: Answers["search-memories"]["found"][number]): number => hits[0]?.score ?? 0;
  return found.toSorted((a, b) => bestScore(b) - bestScore(a));
}
