import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { WireAddress, WireFullProposal, WireProposal, WireProposals } from "../wire.js";
import { post, useData } from "./api.js";
import { Dialog, DialogButton, Signature } from "./dialog.js";
import { DiffView } from "./diff-view.js";
import { useTicks } from "./live.js";
import { Actor, Choice, Empty, Fault, Loading, Time } from "./parts.js";
import { fieldsOf, memoryHref, type Query, replace } from "./route.js";
import { useSession, useSignature } from "./session.js";
import { Name } from "./shown.js";
import { Provenance } from "./version-view.js";
import type { MemoryViewProps } from "./view-props.js";

const statuses = [
  ["", "Waiting"],
  ["approved", "Approved"],
  ["rejected", "Rejected"],
] as const;

/** The changes that agents propose, and what each would do. */
export function ProposalsView({ address, query, mark }: MemoryViewProps): VNode {
  const { status = "", proposal: chosen } = query;
  const ticks = useTicks("proposals");
  const version = `${mark} ${ticks}`;
  const { data, error } = useData<WireProposals>(
    "proposals",
    { ...fieldsOf(address), ...(status !== "" && { status }) },
    version,
  );
  const open = chosen ?? data?.proposals[0]?.id;
  return (
    <div class={`panes ${chosen === undefined ? "" : "has-detail"}`}>
      <section class="side" aria-label="Proposals">
        <Choice
          label="Status"
          value={status as (typeof statuses)[number][0]}
          options={statuses}
          choose={(value) => replace(memoryHref(address, { tab: "proposals", status: value }))}
        />
        {error !== null && <Fault error={error} />}
        {data === null && error === null && <Loading />}
        {data?.proposals.length === 0 && (
          <Empty title={status === "" ? "Nothing waits" : "None"}>
            {status === "" ? "Agents propose changes where a path has the access “ask”." : undefined}
          </Empty>
        )}
        <ul class="timeline">
          {data?.proposals.map((each) => (
            <li key={each.id}>
              <a
                class="version-row"
                href={memoryHref(address, { ...query, proposal: each.id })}
                aria-current={each.id === open ? "true" : undefined}
              >
                <span class="version-what">
                  <span class="operation">{each.command}</span>
                  <Name text={each.to === null ? each.path : `${each.path} → ${each.to}`} class="file" />
                </span>
                <span class="version-who muted">
                  <Actor actor={each.actor} />
                  <Time time={each.at} />
                </span>
              </a>
            </li>
          ))}
        </ul>
        {data?.more === true && <p class="muted">More follow when these are decided.</p>}
      </section>
      <section class="detail" aria-label="Proposal">
        {open === undefined ? (
          <Empty title="No proposal is chosen" />
        ) : (
          <ProposalView key={open} address={address} query={query} id={open} version={version} />
        )}
      </section>
    </div>
  );
}

function ProposalView({
  address,
  query,
  id,
  version,
}: {
  address: WireAddress;
  query: Query;
  id: string;
  version: string;
}): VNode {
  const { data: proposal, error } = useData<WireFullProposal>("proposal", { ...fieldsOf(address), id }, version);
  const { access } = useSession();
  if (error !== null) return <Fault error={error} />;
  if (proposal === null) return <Loading />;
  const { proposal: _, ...list } = query;
  return (
    <>
      <header class="detail-head">
        <a class="back only-narrow" href={memoryHref(address, list)}>
          Proposals
        </a>
        <h2>
          <span class="operation">{proposal.command}</span>{" "}
          <Name text={proposal.to === null ? proposal.path : `${proposal.path} → ${proposal.to}`} class="path" />
        </h2>
        <span class="muted">
          <Time time={proposal.at} />
        </span>
      </header>
      <div class="detail-body" tabIndex={0} role="region" aria-label="What is proposed">
        <Provenance actor={proposal.actor} runHref={(run) => memoryHref(address, { tab: "history", run })} />
        <Decided proposal={proposal} />
        {access === "write" && proposal.status === "pending" && (
          <div class="actions">
            <ApproveButton address={address} proposal={proposal} />
            {proposal.content !== null && (
              <EditButton address={address} proposal={proposal} content={proposal.content} />
            )}
            <RejectButton address={address} proposal={proposal} />
          </div>
        )}
        <DiffView diff={proposal.diff} />
      </div>
    </>
  );
}

function Decided({ proposal: { status, decidedBy, decidedAt, reason } }: { proposal: WireProposal }): VNode | null {
  if (decidedBy === null || decidedAt === null) return null;
  return (
    <p class="note">
      {status === "rejected" ? "Rejected" : "Approved"} by <Actor actor={decidedBy} /> <Time time={decidedAt} />
      {reason !== null && (
        <>
          : <Name text={reason} />
        </>
      )}
    </p>
  );
}

interface DecisionProps {
  address: WireAddress;
  proposal: WireFullProposal;
}

function ApproveButton({ address, proposal }: DecisionProps): VNode {
  return (
    <DialogButton label="Approve…" class="button primary">
      {(close) => (
        <Decision
          title="Approve this change?"
          act="Approve"
          address={address}
          proposal={proposal}
          name="approve"
          more={{}}
          close={close}
        >
          <p>The change is made at once, if the file is still what it was proposed against.</p>
        </Decision>
      )}
    </DialogButton>
  );
}

function EditButton({ content, ...props }: DecisionProps & { content: string }): VNode {
  const [text, setText] = useState(content);
  return (
    <DialogButton label="Edit and approve…">
      {(close) => (
        <Decision
          title="Edit and approve"
          act="Approve as edited"
          name="approve"
          more={{ content: text }}
          close={close}
          {...props}
        >
          <label class="field">
            {props.proposal.command === "append"
              ? "Text to add"
              : props.proposal.command === "update"
                ? "Text that replaces the old one"
                : "Whole text"}
            <textarea rows={12} value={text} onInput={(event) => setText(event.currentTarget.value)} />
          </label>
        </Decision>
      )}
    </DialogButton>
  );
}

function RejectButton(props: DecisionProps): VNode {
  const [reason, setReason] = useState("");
  return (
    <DialogButton label="Reject…" class="button danger-quiet">
      {(close) => (
        <Decision
          title="Reject this change?"
          act="Reject"
          isDangerous
          name="reject"
          more={reason === "" ? {} : { reason }}
          close={close}
          {...props}
        >
          <label class="field">
            Reason, if you like
            <textarea
              rows={3}
              maxLength={2000}
              value={reason}
              onInput={(event) => setReason(event.currentTarget.value)}
            />
          </label>
        </Decision>
      )}
    </DialogButton>
  );
}

interface DecisionDialogProps extends DecisionProps {
  title: string;
  act: string;
  name: "approve" | "reject";
  more: object;
  isDangerous?: boolean;
  close: () => void;
  children: VNode;
}

function Decision({
  title,
  act,
  name,
  more,
  isDangerous = false,
  address,
  proposal,
  close,
  children,
}: DecisionDialogProps): VNode {
  const signature = useSignature();
  const run = async (): Promise<void> => {
    await post(name, { address, id: proposal.id, ...more, ...(!signature.isFixed && { by: signature.name }) });
  };
  return (
    <Dialog title={title} act={act} isDangerous={isDangerous} isReady={signature.name !== ""} run={run} close={close}>
      {children}
      <Signature {...signature} />
    </Dialog>
  );
}
