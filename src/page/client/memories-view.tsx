import type { VNode } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { WireAddress, WireMemories, WireSummary } from "../wire.js";
import { asApiError, type ApiError, get } from "./api.js";
import { ForgetButton } from "./forget.js";
import { FoundMemories } from "./found-memories.js";
import { bytesText, countText, numberText, ownerText } from "./format.js";
import { useTicks } from "./live.js";
import { Choice, Empty, Fault, Loading, Owner, Time } from "./parts.js";
import { memoriesHref, memoryHref, type Query, replace } from "./route.js";
import { useSession } from "./session.js";
import { Name } from "./shown.js";
import { nothingSought, SearchField } from "./sought.js";
import { VirtualList } from "./virtual-list.js";

/** As the style sheet has it. */
const rowPx = { wide: 44, narrow: 52 };

const scopes = [
  ["", "All"],
  ["global", "Shared"],
  ["perThread", "Threads"],
  ["perUser", "Users"],
] as const;

/** All memories, or those of a node, a thread or a user. */
export function MemoriesView({ query }: { query: Query }): VNode {
  const { scope = "", nodeId, threadId, userId } = query;
  const filter = Object.fromEntries(
    Object.entries({ scope, nodeId, threadId, userId }).flatMap(([name, value]) => (value ? [[name, value]] : [])),
  );
  const loaded = useMemories(filter);
  const { memories, next } = loaded;
  const [named, setNamed] = useState("");
  const [sought, setSought] = useState(nothingSought);
  const owner = threadId ?? userId;
  const { access } = useSession();
  return (
    <div class="memories">
      <div class="title-row">
        <h1>
          {nodeId === undefined && owner === undefined ? (
            "Memories"
          ) : (
            <>
              Memories of <Name text={nodeId ?? owner ?? ""} />
            </>
          )}
        </h1>
        {owner !== undefined && nodeId === undefined && access === "write" && (
          <ForgetButton who={threadId === undefined ? { userId: owner } : { threadId: owner }} />
        )}
        {memories !== null && (
          <span class="muted">
            {next === null ? countText(memories.length, "memory") : `the first ${numberText(memories.length)}`}
          </span>
        )}
      </div>
      <div class="tools">
        <input
          type="search"
          placeholder="Filter by node, thread or user"
          aria-label="Filter by node, thread or user"
          value={named}
          onInput={(event) => setNamed(event.currentTarget.value)}
        />
        <Choice
          label="Scope"
          value={scope as (typeof scopes)[number][0]}
          options={scopes}
          choose={(value) =>
            replace(memoriesHref({ ...query, scope: value, ...(value !== "" && { threadId: "", userId: "" }) }))
          }
        />
        {named !== "" && <LookUp id={named} />}
        {(nodeId ?? owner) !== undefined && (
          <a class="button quiet" href={memoriesHref()}>
            Show all
          </a>
        )}
        <SearchField
          label={
            Object.keys(filter).length === 0
              ? "Search in the texts of all memories"
              : "Search in the texts of these memories"
          }
          sought={sought}
          seek={setSought}
        />
      </div>
      {sought.query === "" ? (
        <MemoryList loaded={loaded} named={named} />
      ) : (
        <FoundMemories filter={filter} sought={sought} />
      )}
    </div>
  );
}

/** The loaded memories whose ids hold a text. */
function MemoryList({
  loaded: { memories, next, error, more },
  named,
}: {
  loaded: LoadedMemories;
  named: string;
}): VNode {
  const shown = useMemo(() => memories?.filter((memory) => holds(memory, named)) ?? [], [memories, named]);
  const isNarrow = useNarrow();
  if (error !== null) return <Fault error={error} />;
  if (memories === null) return <Loading />;
  if (memories.length === 0)
    return <Empty title="No memories here">A memory appears with the first thing an agent writes.</Empty>;
  return (
    <>
      {shown.length === 0 && <Empty title="Nothing fits">No loaded memory has “{named}” in its ids.</Empty>}
      {shown.length > 0 && (
        <>
          <div class="memory-row head" aria-hidden="true">
            <span>Node</span>
            <span>Whose</span>
            <span class="number">Files</span>
            <span class="number">Size</span>
            <span class="number">Changed</span>
          </div>
          <VirtualList
            class="memory-list"
            role="list"
            aria-label="Memories"
            count={shown.length}
            rowPx={isNarrow ? rowPx.narrow : rowPx.wide}
            render={(index) => <MemoryRow key={index} memory={shown[index]} index={index} count={shown.length} />}
          />
        </>
      )}
      {next !== null && (
        <button type="button" class="button" onClick={more}>
          Load more
        </button>
      )}
    </>
  );
}

function MemoryRow({
  memory,
  index,
  count,
}: {
  memory: WireSummary | undefined;
  index: number;
  count: number;
}): VNode | null {
  if (memory === undefined) return null;
  const { address, files, sizeBytes, updatedAt } = memory;
  return (
    <div role="listitem" aria-posinset={index + 1} aria-setsize={count}>
      <a class="memory-row" href={memoryHref(address)}>
        <Name text={address.nodeId} class="node" />
        <Owner address={address} />
        <span class="number">
          {numberText(files)}
          <span class="only-narrow"> {files === 1 ? "file" : "files"}</span>
        </span>
        <span class="number">{bytesText(sizeBytes)}</span>
        <span class="number muted">
          <Time time={updatedAt} />
        </span>
      </a>
    </div>
  );
}

function useNarrow(): boolean {
  const query = useMemo(() => matchMedia("(max-width: 760px)"), []);
  const [isNarrow, setNarrow] = useState(query.matches);
  useEffect(() => {
    const look = (): void => setNarrow(query.matches);
    query.addEventListener("change", look);
    return () => query.removeEventListener("change", look);
  }, []);
  return isNarrow;
}

/** The loaded memories may not be all: these ask the database for an id as it is. */
function LookUp({ id }: { id: string }): VNode {
  return (
    <span class="look-up">
      Exactly this:
      {(["nodeId", "userId", "threadId"] as const).map((field) => (
        <a key={field} class="button quiet" href={memoriesHref({ [field]: id })}>
          {{ nodeId: "node", userId: "user", threadId: "thread" }[field]}
        </a>
      ))}
    </span>
  );
}

function holds({ address }: { address: WireAddress }, sought: string): boolean {
  const text = sought.toLowerCase();
  return address.nodeId.toLowerCase().includes(text) || (ownerText(address)?.toLowerCase().includes(text) ?? false);
}

interface LoadedMemories {
  memories: WireSummary[] | null;
  next: number | null;
  error: ApiError | null;
  more: () => void;
}

/** The pages loaded so far; the first is kept up to date. */
function useMemories(filter: Query): LoadedMemories {
  const key = JSON.stringify(filter);
  const ticks = useTicks("memories");
  const [pages, setPages] = useState<{ key: string; pages: WireMemories[] }>({ key, pages: [] });
  const [error, setError] = useState<ApiError | null>(null);
  const load = (offset: number, signal?: AbortSignal): void => {
    const { length } = offset === 0 ? [] : pages.pages;
    const show = (page: WireMemories): void => {
      setError(null);
      setPages((old) => ({ key, pages: old.key === key ? old.pages.toSpliced(length, 1, page) : [page] }));
    };
    get<WireMemories>("memories", { ...filter, offset: String(offset) }, signal).then(show, (failure: unknown) => {
      if (signal?.aborted !== true) setError(asApiError(failure));
    });
  };
  useEffect(() => {
    const gone = new AbortController();
    load(0, gone.signal);
    return () => gone.abort();
  }, [key, ticks]);
  const own = pages.key === key ? pages.pages : [];
  const memories = useMemo(() => (own.length === 0 ? null : own.flatMap((page) => page.memories)), [pages, key]);
  const next = own.at(-1)?.next ?? null;
  return { memories, next, error, more: () => next !== null && load(next) };
}
