import type { ComponentChildren, VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Answers } from "../../answers.js";
import { useMemoryData } from "../data/memory.js";
import { useSession } from "../data/session.js";
import type { Proposal } from "../data/types.js";
import { DiffView } from "../history/diff-view.js";
import { Actor, Pending, Time } from "../parts/parts.js";
import { Provenance } from "../parts/provenance.js";
import { Name } from "../parts/shown.js";
import { Decisions } from "./decisions.js";

export function createTitle({ path, to }: Pick<Proposal, "path" | "to">): string {
  const [from, target] = [path, to].map((each) => (each === "" ? "redacted" : each));
  return target === null ? `${from}` : `${from} → ${target}`;
}

interface ProposalViewProps {
  id: string;
  /** The list that shows the proposal. */
  back: { href: string; words: string };
  /** Another proposal that waits. */
  next: string | null;
  /** Shown above what is proposed. */
  children: ComponentChildren;
}

/** Shows a proposal of the memory, with its decisions. */
export function ProposalView({ id, back, next, children }: ProposalViewProps): VNode {
  const { access, owner } = useSession();
  const { data: proposal, error } = useMemoryData("proposal", { id });
  const body = useRef<HTMLDivElement>(null);
  const nextLink = useRef<HTMLAnchorElement>(null);
  const wasPending = useRef(false);
  const isPending = proposal?.status === "pending";
  useEffect(() => {
    // A decision removes the button that had the focus.
    if (wasPending.current && document.activeElement === document.body) (nextLink.current ?? body.current)?.focus();
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
        <Provenance actor={proposal.actor} {...(proposal.origin && { origin: proposal.origin })} />
        {proposal.base === "" ? (
          <p class="note">The text of this proposal was redacted.</p>
        ) : (
          <DiffView hunks={proposal.hunks} />
        )}
        {proposal.proposedHunks !== null && (
          <>
            <h3>What the {owner === undefined ? "agent" : "assistant"} proposed</h3>
            <DiffView hunks={proposal.proposedHunks} />
          </>
        )}
      </div>
      {access === "write" && isPending && <Decisions proposal={proposal} />}
      {!isPending && (
        <footer class="foot">
          <Decided proposal={proposal} />
          {next !== null && (
            <a ref={nextLink} class="button" href={next}>
              Next change
            </a>
          )}
        </footer>
      )}
    </>
  );
}

function Decided({ proposal }: { proposal: Answers["proposal"] }): VNode | null {
  const { status, decidedBy, decidedAt, reason, proposedHunks } = proposal;
  if (decidedBy === null || decidedAt === null) return null;
  const act = proposedHunks === null ? "Approved" : "Approved with other words";
  return (
    <p>
      {status === "rejected" ? "Rejected" : act} by <Actor actor={decidedBy} /> <Time time={decidedAt} />
      {reason !== null && (
        <>
          : <Name text={reason} />
        </>
      )}
    </p>
  );
}
