import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Answers } from "../../answers.js";
import { MemoryContext } from "../data/memory.js";
import { inboxHref, memoryHref, type Query, readAddress } from "../data/route.js";
import { useData } from "../data/use-data.js";
import type { Address } from "../data/types.js";
import { countText } from "../parts/format.js";
import { Actor, Empty, Owner, Pending, Time } from "../parts/parts.js";
import { Name } from "../parts/shown.js";
import { createTitle, ProposalView } from "../proposals/proposals-view.js";
import { useInboxVersion } from "./waiting.js";

/** Shows the proposals of all memories that wait for a person, oldest first. */
export function InboxView({ query }: { query: Query }): VNode {
  const version = useInboxVersion();
  const { data, error } = useData("inbox", {}, version);
  const chosen = useChosen(query, data);
  return (
    <div class={`panes ${query["proposal"] === undefined ? "" : "has-detail"}`}>
      <section class="side" aria-label="Inbox">
        <h1 class="spoken">Inbox</h1>
        {data === null && <Pending error={error} />}
        {data?.proposals.length === 0 && (
          <Empty title="Nothing waits">Agents propose changes where a path has the access “ask”.</Empty>
        )}
        {data !== null && data.proposals.length > 0 && (
          <p class="muted inbox-count" role="status">
            {data.more ? "The first " : ""}
            {countText(data.proposals.length, "change")}, oldest first
          </p>
        )}
        <ul class="timeline">
          {data?.proposals.map((each) => (
            <InboxRow key={each.id} proposal={each} isChosen={each.id === chosen?.id} />
          ))}
        </ul>
        {data?.more === true && <p class="muted">More follow when these are decided.</p>}
      </section>
      <section class="detail" aria-label="Proposal">
        {chosen === null ? (
          <Empty title="No proposal is chosen" />
        ) : (
          <MemoryContext.Provider value={{ address: chosen.address, query: {}, version }}>
            <ProposalView key={chosen.id} id={chosen.id} version={version} back={{ href: inboxHref(), words: "Inbox" }}>
              <a class="inbox-memory" href={memoryHref(chosen.address, { tab: "proposals" })}>
                <Name text={chosen.address.nodeId} class="node" /> <Owner address={chosen.address} />
              </a>
            </ProposalView>
          </MemoryContext.Provider>
        )}
      </section>
    </div>
  );
}

interface Chosen {
  id: string;
  address: Address;
}

/**
 * Returns the proposal of the address, or the first one when the list was loaded. It stays when it leaves the list, so
 * that nobody decides about another one by mistake.
 */
function useChosen(query: Query, data: Answers["inbox"] | null): Chosen | null {
  const [first, setFirst] = useState<Chosen | null>(null);
  useEffect(() => {
    if (first === null) setFirst(data?.proposals[0] ?? null);
  }, [data]);
  const address = readAddress(query);
  return query["proposal"] === undefined || address === null ? first : { id: query["proposal"], address };
}

function InboxRow({
  proposal,
  isChosen,
}: {
  proposal: Answers["inbox"]["proposals"][number];
  isChosen: boolean;
}): VNode {
  const { id, address, command, actor, at } = proposal;
  return (
    <li>
      <a
        class="version-row"
        href={inboxHref({ ...address, proposal: id })}
        aria-current={isChosen ? "true" : undefined}
      >
        <span class="version-what">
          <span class="operation">{command}</span>
          <Name text={createTitle(proposal)} class="file" />
        </span>
        <span class="inbox-memory">
          <Name text={address.nodeId} class="node" /> <Owner address={address} />
        </span>
        <span class="version-who muted">
          <Actor actor={actor} />
          <Time time={at} />
        </span>
      </a>
    </li>
  );
}
