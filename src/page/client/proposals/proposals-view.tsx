import type { ComponentChildren, VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Proposal } from "../data/types.js";
import { useTicks } from "../data/live.js";
import { useMemory, useMemoryData } from "../data/memory.js";
import { replace } from "../data/route.js";
import { useSession } from "../data/session.js";
import { DiffView } from "../history/diff-view.js";
import { Actor, Choice, Empty, Pending, Time } from "../parts/parts.js";
import { Provenance } from "../parts/provenance.js";
import { Name } from "../parts/shown.js";
import { Decisions } from "./decisions.js";

const pollMs = 3000;

const statuses = [
  ["", "Waiting"],
  ["approved", "Approved"],
  ["rejected", "Rejected"],
] as const;

/** Shows the proposals of agents, and the effect of each. */
export function ProposalsView(): VNode {
  const { query, version: memoryVersion, href } = useMemory();
  const { proposal: opened } = query;
  const status = statuses.find(([name]) => name === query["status"])?.[0] ?? "";
  const version = `${memoryVersion} ${useTicks(pollMs)}`;
  const { data, error } = useMemoryData("proposals", status === "" ? {} : { status }, version);
  const chosen = opened ?? data?.proposals[0]?.id;
  return (
    <div class={`panes ${opened === undefined ? "" : "has-detail"}`}>
      <section class="side" aria-label="Proposals">
        <Choice
          label="Status"
          value={status}
          options={statuses}
          choose={(value) => replace(href({ tab: "proposals", status: value }))}
        />
        {data === null && <Pending error={error} />}
        {data?.proposals.length === 0 && (
          <Empty title={status === "" ? "Nothing waits" : "None"}>
            {status === "" ? "Agents propose changes where a path has the access “ask”." : undefined}
          </Empty>
        )}
        <ul class="timeline">
          {data?.proposals.map((each) => (
            <ProposalRow key={each.id} proposal={each} isChosen={each.id === chosen} />
          ))}
        </ul>
        {data?.more === true && <p class="muted">More follow when these are decided.</p>}
      </section>
      <section class="detail" aria-label="Proposal">
        {chosen === undefined ? (
          <Empty title="No proposal is chosen" />
        ) : (
          <ProposalView
            key={chosen}
            id={chosen}
            version={version}
            back={{ href: href({ ...query, proposal: "" }), words: "Proposals" }}
          />
        )}
      </section>
    </div>
  );
}

export function createTitle({ path, to }: Proposal): string {
  const [from, target] = [path, to].map((each) => (each === "" ? "redacted" : each));
  return target === null ? `${from}` : `${from} → ${target}`;
}

function ProposalRow({ proposal, isChosen }: { proposal: Proposal; isChosen: boolean }): VNode {
  const { query, href } = useMemory();
  const { id, command, actor, at, decidedBy } = proposal;
  return (
    <li>
      <a class="version-row" href={href({ ...query, proposal: id })} aria-current={isChosen ? "true" : undefined}>
        <span class="version-what">
          <span class="operation">{command}</span>
          <Name text={createTitle(proposal)} class="file" />
        </span>
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
      </a>
    </li>
  );
}

interface ProposalViewProps {
  id: string;
  version: string;
  /** The list that shows the proposal. */
  back: { href: string; words: string };
  /** Shown above what is proposed. */
  children?: ComponentChildren;
}

/** Shows a proposal of the memory, with its decisions. */
export function ProposalView({ id, version, back, children }: ProposalViewProps): VNode {
  const { access } = useSession();
  const { data: proposal, error } = useMemoryData("proposal", { id }, version);
  const body = useRef<HTMLDivElement>(null);
  const wasPending = useRef(false);
  const isPending = proposal?.status === "pending";
  useEffect(() => {
    // A decision removes the button that had the focus.
    if (wasPending.current && document.activeElement === document.body) body.current?.focus();
    wasPending.current = isPending;
  }, [isPending]);
  if (proposal === null) return <Pending error={error} />;
  return (
    <>
      <header class="detail-head">
        <a class="back only-narrow" href={back.href}>
          {back.words}
        </a>
        <h2>
          <span class="operation">{proposal.command}</span> <Name text={createTitle(proposal)} class="path" />
        </h2>
        <span class="muted">
          <Time time={proposal.at} />
        </span>
      </header>
      <div ref={body} class="detail-body" tabIndex={0} role="region" aria-label="What is proposed">
        {children}
        <Provenance actor={proposal.actor} />
        <Decided proposal={proposal} isEdited={proposal.proposedHunks !== null} />
        {access === "write" && proposal.status === "pending" && <Decisions proposal={proposal} />}
        {proposal.base === "" ? (
          <p class="note">The text of this proposal was redacted.</p>
        ) : (
          <DiffView hunks={proposal.hunks} />
        )}
        {proposal.proposedHunks !== null && (
          <>
            <h3>What the agent proposed</h3>
            <DiffView hunks={proposal.proposedHunks} />
          </>
        )}
      </div>
    </>
  );
}

interface DecidedProps {
  proposal: Proposal;
  /** Whether the person stored other words than those of the agent. */
  isEdited: boolean;
}

function Decided({ proposal: { status, decidedBy, decidedAt, reason }, isEdited }: DecidedProps): VNode | null {
  if (decidedBy === null || decidedAt === null) return null;
  const act = isEdited ? "Approved with other words" : "Approved";
  return (
    <p class="note">
      {status === "rejected" ? "Rejected" : act} by <Actor actor={decidedBy} /> <Time time={decidedAt} />
      {reason !== null && (
        <>
          : <Name text={reason} />
        </>
      )}
    </p>
  );
}
