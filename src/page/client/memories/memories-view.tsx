import type { VNode } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Summary } from "../data/types.js";
import { useTicks } from "../data/live.js";
import { memoriesHref, memoryHref, type Query, replace } from "../data/route.js";
import { useSession } from "../data/session.js";
import { usePages } from "../data/use-data.js";
import { WaitingIn } from "../inbox/waiting.js";
import { bytesText, countText, numberText, ownerText } from "../parts/format.js";
import { Choice, Empty, Owner, Pending, Time } from "../parts/parts.js";
import { noSearch, SearchField } from "../parts/search-field.js";
import { Name } from "../parts/shown.js";
import { VirtualList } from "../parts/virtual-list.js";
import { ForgetMenu } from "./forget.js";
import { FoundMemories } from "./found-memories.js";

/** Row heights of the style sheet. */
const rowPx = { wide: 44, narrow: 52 };

const pollMs = 4000;

const scopes = [
  ["", "All"],
  ["global", "Shared"],
  ["perThread", "Threads"],
  ["perUser", "Users"],
] as const;

/** Shows all memories, or the memories of a node, a thread or a user. */
export function MemoriesView({ query }: { query: Query }): VNode {
  const { nodeId, threadId, userId } = query;
  const scope = scopes.find(([name]) => name === query["scope"])?.[0] ?? "";
  const filter = filterQuery(query);
  const order = parseOrder(query);
  const { pages, error, more } = usePages("memories", { ...filter, ...order }, "offset", useTicks(pollMs));
  const memories = useMemo(() => pages.flatMap((page) => page.memories), [pages]);
  const [named, setNamed] = useState("");
  const [search, setSearch] = useState(noSearch);
  const { access } = useSession();
  const owner = threadId ?? userId;
  const whose = nodeId ?? owner;
  const chooseScope = (chosen: string): void =>
    replace(memoriesHref({ ...query, scope: chosen, ...(chosen !== "" && { threadId: "", userId: "" }) }));
  return (
    <div class="memories">
      <div class="title-row">
        <h1>
          Memories
          {whose !== undefined && (
            <>
              {" of "}
              <Name text={whose} />
            </>
          )}
        </h1>
        {owner !== undefined && nodeId === undefined && access === "write" && (
          <ForgetMenu who={threadId === undefined ? { userId: owner } : { threadId: owner }} />
        )}
        {pages[0] !== undefined && (
          <span class="muted">
            {pages[0].isAll ? "" : "the first "}
            {countText(pages[0].total, "memory")}
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
        <Choice label="Scope" value={scope} options={scopes} choose={chooseScope} />
        {named !== "" && <LookUp id={named} />}
        {whose !== undefined && (
          <a class="button quiet" href={memoriesHref()}>
            Show all
          </a>
        )}
        <SearchField
          label={`Search in the texts of ${Object.keys(filter).length === 0 ? "all" : "these"} memories`}
          search={search}
          setSearch={setSearch}
        />
      </div>
      {search.query !== "" ? (
        <FoundMemories filter={filter} search={search} />
      ) : pages.length === 0 ? (
        <Pending error={error} />
      ) : (
        <MemoryList
          memories={memories}
          named={named}
          more={more}
          order={order}
          sortBy={(sort) => replace(memoriesHref({ ...query, ...turnOrder(order, sort) }))}
        />
      )}
    </div>
  );
}

/** Returns the fields of a query that select memories. */
function filterQuery(query: Query): Query {
  return Object.fromEntries(
    Object.entries(query).filter(
      ([name, value]) => ["scope", "nodeId", "threadId", "userId"].includes(name) && value !== "",
    ),
  );
}

interface MemoryListProps {
  memories: readonly Summary[];
  named: string;
  more: (() => void) | null;
  order: Order;
  sortBy: (sort: Sort) => void;
}

type Sort = "node" | "owner" | "files" | "size" | "changed";

interface Order extends Query {
  sort: Sort;
  order: "up" | "down";
}

const columns = [
  ["node", "Node"],
  ["owner", "Whose"],
  ["files", "Files"],
  ["size", "Size"],
  ["changed", "Changed"],
] as const satisfies [Sort, string][];

/** Names start with the first, and numbers and times with the largest. */
const firstOrders = { node: "up", owner: "up", files: "down", size: "down", changed: "down" } as const;

function parseOrder({ sort, order }: Query): Order {
  const [column] = columns.find(([name]) => name === sort) ?? ["changed"];
  return { sort: column, order: order === "up" || order === "down" ? order : firstOrders[column] };
}

function turnOrder(order: Order, sort: Sort): Order {
  if (order.sort !== sort) return { sort, order: firstOrders[sort] };
  return { sort, order: order.order === "up" ? "down" : "up" };
}

/** Shows the loaded memories whose ids contain a text. */
function MemoryList({ memories, named, more, order, sortBy }: MemoryListProps): VNode {
  const rows = useMemo(() => memories.filter((memory) => isNamed(memory, named)), [memories, named]);
  const isNarrow = useNarrow();
  if (memories.length === 0)
    return <Empty title="No memories here">A memory appears with the first thing an agent writes.</Empty>;
  return (
    <>
      {rows.length === 0 && <Empty title="Nothing fits">No loaded memory has “{named}” in its ids.</Empty>}
      {rows.length > 0 && (
        <>
          <div class="memory-row head" role="group" aria-label="Sort by">
            {columns.map(([sort, words], index) => (
              <button
                key={sort}
                type="button"
                class={`sort ${index > 1 ? "number" : ""}`}
                aria-pressed={order.sort === sort}
                title={`Sort by: ${words}`}
                onClick={() => sortBy(sort)}
              >
                {words}
                {order.sort === sort && (
                  <span role="img" aria-label={order.order === "up" ? "ascending" : "descending"}>
                    {order.order === "up" ? "↑" : "↓"}
                  </span>
                )}
              </button>
            ))}
          </div>
          <VirtualList
            class="memory-list"
            role="list"
            aria-label="Memories"
            rows={rows}
            rowPx={isNarrow ? rowPx.narrow : rowPx.wide}
            render={(memory, index) => (
              <div key={index} role="listitem" aria-posinset={index + 1} aria-setsize={rows.length}>
                <MemoryRow memory={memory} />
              </div>
            )}
          />
        </>
      )}
      {more !== null && (
        <button type="button" class="button" onClick={more}>
          Load more
        </button>
      )}
    </>
  );
}

function MemoryRow({ memory: { address, files, sizeBytes, updatedAt } }: { memory: Summary }): VNode {
  return (
    <a class="memory-row" href={memoryHref(address)}>
      <Name text={address.nodeId} class="node" />
      <span class="whose">
        <Owner address={address} />
        <WaitingIn address={address} />
      </span>
      <span class="number">
        {numberText(files)}
        <span class="only-narrow"> {files === 1 ? "file" : "files"}</span>
      </span>
      <span class="number">{bytesText(sizeBytes)}</span>
      <span class="number muted">
        <Time time={updatedAt} />
      </span>
    </a>
  );
}

function useNarrow(): boolean {
  const query = useMemo(() => matchMedia("(max-width: 760px)"), []);
  const [isNarrow, setNarrow] = useState(query.matches);
  useEffect(() => {
    const update = (): void => setNarrow(query.matches);
    query.addEventListener("change", update);
    return () => query.removeEventListener("change", update);
  }, []);
  return isNarrow;
}

/** Offers to look up an exact id in the database, because more memories may exist than are loaded. */
function LookUp({ id }: { id: string }): VNode {
  return (
    <span class="look-up">
      Exactly this:
      {["node", "user", "thread"].map((kind) => (
        <a key={kind} class="button quiet" href={memoriesHref({ [`${kind}Id`]: id })}>
          {kind}
        </a>
      ))}
    </span>
  );
}

function isNamed({ address }: Summary, text: string): boolean {
  return `${address.nodeId}\n${ownerText(address) ?? ""}`.toLowerCase().includes(text.toLowerCase());
}
