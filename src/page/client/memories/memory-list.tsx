import type { VNode } from "preact";
import type { Answers } from "../../answers.js";
import { memoriesHref, memoryHref } from "../data/route.js";
import { useSession } from "../data/session.js";
import type { Summary } from "../data/types.js";
import { countText } from "../../../core/display/count-text.js";
import { bytesText } from "../parts/format.js";
import { MoreButton, Owner, Time } from "../parts/parts.js";
import { Name } from "../parts/shown.js";
import { WaitingIn } from "../proposals/waiting.js";

interface MemoryListProps {
  pages: readonly Answers["memories"][];
  more: (() => void) | null;
}

/** Lists memories in the order of the store. Where a node has several, they follow its name. */
export function MemoryList({ pages, more }: MemoryListProps): VNode {
  const groups = Map.groupBy(
    pages.flatMap((page) => page.memories),
    ({ address }) => address.nodeId,
  );
  return (
    <div class="memory-list">
      <ul aria-label="Memories">
        {Array.from(groups, ([nodeId, memories]) => (
          <li key={nodeId}>
            {memories.length > 1 && (
              <h2 class="node-head">
                <a href={memoriesHref({ nodeId })}>
                  <Name text={nodeId} class="node" />
                </a>
              </h2>
            )}
            {memories.map((memory) => (
              <MemoryRow key={JSON.stringify(memory.address)} memory={memory} isInGroup={memories.length > 1} />
            ))}
          </li>
        ))}
      </ul>
      {more !== null && <MoreButton words="Show more memories" more={more} />}
    </div>
  );
}

/** @param isInGroup whether the name of the node is above */
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
      <span class="number">{countText(files, "file")}</span>
      <span class="number">{bytesText(textBytes)}</span>
      <span class="number muted">
        <Time time={updatedAt} />
      </span>
    </a>
  );
}
