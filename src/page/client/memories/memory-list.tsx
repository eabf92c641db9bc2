import type { VNode } from "preact";
import type { Answers } from "../../answers.js";
import { memoriesHref, memoryHref, type Query } from "../data/route.js";
import { useSession } from "../data/session.js";
import type { Summary } from "../data/types.js";
import { bytesText, countText, numberText } from "../parts/format.js";
import { MoreButton, Owner, Time } from "../parts/parts.js";
import { Name } from "../parts/shown.js";
import { WaitingIn } from "../proposals/waiting.js";

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

export function parseOrder({ sort, order }: Query): Order {
  const [column] = columns.find(([name]) => name === sort) ?? ["changed"];
  return { sort: column, order: order === "up" || order === "down" ? order : firstOrders[column] };
}

export function turnOrder(order: Order, sort: Sort): Order {
  if (order.sort !== sort) return { sort, order: firstOrders[sort] };
  return { sort, order: order.order === "up" ? "down" : "up" };
}

interface MemoryListProps {
  pages: readonly Answers["memories"][];
  more: (() => void) | null;
  order: Order;
  sortBy: (sort: Sort) => void;
}

/** Lists memories. Where a node has several, they follow its name. */
export function MemoryList({ pages, more, order, sortBy }: MemoryListProps): VNode {
  const { owner } = useSession();
  const groups = Map.groupBy(
    pages.flatMap((page) => page.memories),
    ({ address }) => address.nodeId,
  );
  const counts = new Map(pages.flatMap(({ nodes }) => nodes.map(({ nodeId, count }) => [nodeId, count])));
  return (
    <div class={`memory-list ${owner === undefined ? "" : "own"}`}>
      {owner === undefined && (
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
      )}
      <ul aria-label="Memories">
        {Array.from(groups, ([nodeId, memories]) => {
          const count = counts.get(nodeId) ?? 1;
          return (
            <li key={nodeId}>
              {count > 1 && (
                <h2 class="node-head">
                  <a href={memoriesHref({ nodeId })}>
                    <Name text={nodeId} class="node" />
                  </a>
                  <span class="muted">{countText(count, "memory")}</span>
                </h2>
              )}
              {memories.map((memory) => (
                <MemoryRow key={JSON.stringify(memory.address)} memory={memory} isInGroup={count > 1} />
              ))}
            </li>
          );
        })}
      </ul>
      {more !== null && <MoreButton words="Show more memories" more={more} />}
    </div>
  );
}

/** @param isInGroup whether the name of the node stands above */
function MemoryRow({ memory, isInGroup }: { memory: Summary; isInGroup: boolean }): VNode {
  const { owner } = useSession();
  const { address, files, textBytes, updatedAt } = memory;
  return (
    <a class="memory-row" href={memoryHref(address)}>
      <span>
        <Name text={address.nodeId} class={`node ${isInGroup ? "spoken" : ""}`} />
      </span>
      <span class="whose">
        {owner === undefined && <Owner address={address} />}
        <WaitingIn address={address} />
      </span>
      <span class="number">
        {numberText(files)}
        <span class="file-word"> {files === 1 ? "file" : "files"}</span>
      </span>
      <span class="number">{bytesText(textBytes)}</span>
      <span class="number muted">
        <Time time={updatedAt} />
      </span>
    </a>
  );
}
