import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Answers } from "../../answers.js";
import { type ApiError, get } from "../data/api.js";
import { memoryHref, type Query } from "../data/route.js";
import { load } from "../data/use-data.js";
import { Hits, NothingFound } from "../files/search-results.js";
import { countText } from "../parts/format.js";
import { Owner, Pending } from "../parts/parts.js";
import { createQuery, type Search, useSettled } from "../parts/search-field.js";
import { Name } from "../parts/shown.js";

/** Shows the hits of a search in several memories. */
export function FoundMemories({ filter, search }: { filter: Query; search: Search }): VNode {
  const settled = useSettled(search);
  const { found, searched, next, error, isPaused, goOn } = useFound(filter, settled);
  return (
    <div class="results wide" data-query={settled.query}>
      <p class="muted" role="status">
        {found.length === 0 ? "" : `Found in ${countText(found.length, "memory")}. `}
        {countText(searched, "memory")} searched{next === null || isPaused ? "" : " so far…"}
      </p>
      {found.length === 0 && next === null && <NothingFound search={settled} />}
      {(error !== null || (found.length === 0 && next !== null && !isPaused)) && <Pending error={error} />}
      {found.map(({ memory: { address }, hits }) => (
        <section key={JSON.stringify(address)}>
          <h2>
            <a href={memoryHref(address)}>
              <Name text={address.nodeId} class="node" />
            </a>
            <Owner address={address} />
          </h2>
          <Hits
            hits={hits}
            search={settled}
            createHref={(path, line) => memoryHref(address, { path, line: String(line) })}
          />
        </section>
      ))}
      {isPaused && (
        <button type="button" class="button" onClick={goOn}>
          Search further memories
        </button>
      )}
    </div>
  );
}

/** After this many searched memories, or matching ones, the person decides whether the search continues. */
const maxSearched = 1000;
const maxFound = 30;

type Found = Answers["search-memories"];

interface Searching extends Found {
  error: ApiError | null;
  limits: { searched: number; found: number };
}

const beginning: Searching = {
  found: [],
  searched: 0,
  next: 0,
  error: null,
  limits: { searched: maxSearched, found: maxFound },
};

/** Collects the answers so far. Each answer covers some memories. */
function useFound(filter: Query, search: Search): Searching & { isPaused: boolean; goOn: () => void } {
  const [state, setState] = useState(beginning);
  const { found, searched, next, limits } = state;
  const key = JSON.stringify([filter, search]);
  const isPaused = next !== null && (searched >= limits.searched || found.length >= limits.found);
  useEffect(() => setState(beginning), [key]);
  useEffect(() => {
    if (next === null || isPaused || search.query === "") return undefined;
    const show = (answer: Answers["search-memories"]): void =>
      setState((old) => ({
        ...old,
        found: sortByScore([...old.found, ...answer.found]),
        searched: old.searched + answer.searched,
        next: answer.next,
      }));
    const fail = (error: ApiError): void => setState((old) => ({ ...old, error }));
    const query = { ...filter, ...createQuery(search), offset: String(next) };
    return load((signal) => get("search-memories", query, signal), show, fail);
  }, [key, next, isPaused]);
  const goOn = (): void =>
    setState({ ...state, limits: { searched: searched + maxSearched, found: found.length + maxFound } });
  return { ...state, isPaused, goOn };
}

/** Sorts the memories by their best hit. Without scores they keep their order. */
function sortByScore(found: Answers["search-memories"]["found"]): Answers["search-memories"]["found"] {
  const bestScore = ({ hits }: Answers["search-memories"]["found"][number]): number => hits[0]?.score ?? 0;
  return found.toSorted((a, b) => bestScore(b) - bestScore(a));
}
