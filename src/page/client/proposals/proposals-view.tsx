import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Answers } from "../../answers.js";
import { useLive } from "../data/live.js";
import { useIsOwner } from "../data/session.js";
import { MemoryContext } from "../data/memory.js";
import { inboxHref, memoryHref, type Query, readAddress, replace } from "../data/route.js";
import type { Address, Proposal } from "../data/types.js";
import { useData } from "../data/use-data.js";
import { countText } from "../../../core/display/count-text.js";
import { Actor, Choice, Empty, MemoryName, Pending, Time } from "../parts/parts.js";
import { Name } from "../parts/shown.js";
import { createTitle, ProposalView } from "./proposal-view.js";
import { groupProposals, ProposalGroup } from "./run-of-proposals.js";

const statuses = [
  ["", "Waiting"],
  ["approved", "Approved"],
  ["rejected", "Rejected"],
] as const;

interface ProposalsViewProps {
  /** The memory. Without it, the inbox: the proposals of all memories. */
  address?: Address;
  query: Query;
}

/** Shows the proposals of agents, oldest first, and the effect of each. */
export function ProposalsView({ address, query }: ProposalsViewProps): VNode {
  const { version } = useLive();
  const { status = "" } = query;
  const { data, error } = useData("proposals", { ...address, ...(status !== "" && { status }) }, version);
  const proposals = data?.proposals ?? [];
  const first = useFirst(`${status} ${JSON.stringify(address)}`, proposals);
  const owner = address ?? readAddress(query);
  const opened = query["proposal"];
  const chosen = opened === undefined || owner === null ? first : { id: opened, address: owner };
  const createListHref = (more: Query): string =>
    address === undefined ? inboxHref(more) : memoryHref(address, { tab: "proposals", ...more });
  const createProposalHref = (proposal: Proposal): string =>
    createListHref({ status, ...(address === undefined && proposal.address), proposal: proposal.id });
  const next = status === "" ? proposals.find(({ id }) => id !== chosen?.id) : undefined;
  const name = address === undefined ? "Inbox" : "Proposals";
  return (
    <div class={`panes ${opened === undefined ? "" : "has-detail"}`}>
      <section class="side" aria-label={name}>
        {address === undefined && <h1 class="spoken">Inbox</h1>}
        <Choice
          label="Status"
          value={status}
          options={statuses}
          choose={(value) => replace(createListHref({ status: value }))}
        />
        {data === null ? <Pending error={error} /> : <Count data={data} isWaiting={status === ""} />}
        <ul class="timeline">
          {Array.from(groupProposals(proposals), ([key, group]) => (
            <ProposalGroup key={key} proposals={group}>
              {group.map((each) => (
                <li key={each.id}>
                  <a
                    class="version-row"
                    href={createProposalHref(each)}
                    aria-current={each.id === chosen?.id ? "true" : undefined}
                  >
                    <ProposalRow proposal={each} hasMemory={address === undefined} />
                  </a>
                </li>
              ))}
            </ProposalGroup>
          ))}
        </ul>
        {data?.more === true && <p class="muted">More follow when these are decided.</p>}
      </section>
      <section class="detail" aria-label="Proposal">
        {chosen === null ? (
          <Empty title="No proposal is chosen" />
        ) : (
          <MemoryContext.Provider value={{ address: chosen.address, query: {}, version }}>
            <ProposalView
              key={chosen.id}
              id={chosen.id}
              back={{ href: createListHref({ status }), words: name }}
              next={next === undefined ? null : createProposalHref(next)}
            >
              {address === undefined && (
                <a class="inbox-memory" href={memoryHref(chosen.address, { tab: "proposals" })}>
                  <MemoryName address={chosen.address} />
                </a>
              )}
            </ProposalView>
          </MemoryContext.Provider>
        )}
      </section>
    </div>
  );
}

/** Says how many there are, or why there are none. */
function Count({ data: { proposals, more }, isWaiting }: { data: Answers["proposals"]; isWaiting: boolean }): VNode {
  const isOwner = useIsOwner();
  if (proposals.length > 0)
    return (
      <p class="muted inbox-count" role="status">
        {more ? "The first " : ""}
        {countText(proposals.length, "change")}, oldest first
      </p>
    );
  if (!isWaiting) return <Empty title="None" />;
  return (
    <Empty title="Nothing waits">
      {isOwner
        ? "An assistant asks here before it changes certain things."
        : "Agents propose changes where a path has the access “ask”."}
    </Empty>
  );
}

interface Chosen {
  id: string;
  address: Address;
}

/**
 * Returns the first proposal of a list when it was loaded. The proposal stays when it leaves the list, so that nobody
 * decides about another one by mistake.
 */
function useFirst(list: string, [candidate]: readonly Proposal[]): Chosen | null {
  const [first, setFirst] = useState<{ list: string; chosen: Chosen } | null>(null);
  useEffect(() => {
    if (candidate !== undefined && first?.list !== list) setFirst({ list, chosen: candidate });
  }, [candidate, list]);
  return first?.list === list ? first.chosen : null;
}

/** @param hasMemory whether the row names its memory */
export function ProposalRow({ proposal, hasMemory }: { proposal: Proposal; hasMemory: boolean }): VNode {
  const { address, command, actor, at, decidedBy } = proposal;
  return (
    <>
      <span class="version-what">
        <span class="operation">{command}</span>
        <Name text={createTitle(proposal)} class="file" />
      </span>
      {hasMemory && (
        <span class="inbox-memory">
          <MemoryName address={address} />
        </span>
      )}
      <span class="version-who muted">
        <span>
          <Actor actor={actor} />
          {decidedBy !== null && (
            <>
              , decided by <Actor actor={decidedBy} />
            </>
          )}
        </span>
        <Time time={at} />
      </span>
    </>
  );
}
