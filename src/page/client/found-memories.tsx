import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { WireFound } from "../wire.js";
import { asApiError, type ApiError, get } from "./api.js";
import { countText } from "./format.js";
import { Fault, Loading, Owner } from "./parts.js";
import { memoryHref, type Query } from "./route.js";
import { Hits, NothingFound } from "./search-results.js";
import { Name } from "./shown.js";
import { queryOf, type Sought, useSettled } from "./sought.js";

/** What several memories hold of what is sought. */
export function FoundMemories({ filter, sought }: { filter: Query; sought: Sought }): VNode {
  const settled = useSettled(sought);
  const { found, searched, isDone, error, further } = useFound(filter, settled);
  return (
    <div class="results wide">
      <p class="muted" role="status">
        {found.length === 0 ? "" : `Found in ${countText(found.length, "memory")}. `}
        {countText(searched, "memory")} searched{isDone || further !== null ? "" : " so far…"}
      </p>
      {error !== null && <Fault error={error} />}
      {found.length === 0 && isDone && <NothingFound sought={settled} />}
      {found.length === 0 && !isDone && error === null && further === null && <Loading />}
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
            sought={settled}
            hrefOf={(path, line) => memoryHref(address, { path, line: String(line) })}
          />
        </section>
      ))}
      {further !== null && (
        <button type="button" class="button" onClick={further}>
          Search further memories
        </button>
      )}
    </div>
  );
}

/** After so many memories, or found ones, a person decides whether to go on. */
const maxSearched = 1000;
const maxFound = 30;

interface Searching {
  found: WireFound["found"];
  searched: number;
  next: number | null;
}

/** The answers so far: each searches some memories. */
function useFound(
  filter: Query,
  sought: Sought,
): Omit<Searching, "next"> & { isDone: boolean; error: ApiError | null; further: (() => void) | null } {
  const [state, setState] = useState<Searching>({ found: [], searched: 0, next: 0 });
  const [limits, setLimits] = useState({ searched: maxSearched, found: maxFound });
  const [error, setError] = useState<ApiError | null>(null);
  const asked = JSON.stringify([filter, sought]);
  useEffect(() => {
    setState({ found: [], searched: 0, next: 0 });
    setLimits({ searched: maxSearched, found: maxFound });
    setError(null);
  }, [asked]);
  const isOver = state.next === null || state.searched >= limits.searched || state.found.length >= limits.found;
  useEffect(() => {
    if (isOver || sought.query === "") return undefined;
    const gone = new AbortController();
    get<WireFound>("search-memories", { ...filter, ...queryOf(sought), offset: String(state.next) }, gone.signal).then(
      ({ found, searched, next }) =>
        setState((old) => ({ found: ranked([...old.found, ...found]), searched: old.searched + searched, next })),
      (failure: unknown) => {
        if (!gone.signal.aborted) setError(asApiError(failure));
      },
    );
    return () => gone.abort();
  }, [asked, state.next, isOver]);
  const isDone = state.next === null;
  const further = (): void =>
    setLimits({ searched: state.searched + maxSearched, found: state.found.length + maxFound });
  return { found: state.found, searched: state.searched, isDone, error, further: isOver && !isDone ? further : null };
}

/** The memory with the best hit first; without scores as they came. */
function ranked(found: WireFound["found"]): WireFound["found"] {
  const scoreOf = ({ hits }: WireFound["found"][number]): number => hits[0]?.score ?? 0;
  return found.toSorted((a, b) => scoreOf(b) - scoreOf(a));
}
