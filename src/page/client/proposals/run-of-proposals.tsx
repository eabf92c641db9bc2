import type { ComponentChildren, VNode } from "preact";
import { useState } from "preact/hooks";
import { ApiError, post } from "../data/api.js";
import { useLive } from "../data/live.js";
import { MemoryContext } from "../data/memory.js";
import { useSession } from "../data/session.js";
import type { Proposal } from "../data/types.js";
import { DialogButton } from "../parts/dialog.js";
import { countText } from "../../../core/display/count-text.js";
import { Name } from "../parts/shown.js";
import { SignedDialog } from "../parts/signature.js";
import { ReasonField } from "./decisions.js";
import { createTitle } from "./proposal-view.js";

/** Returns the key of the run of a program, such as `learn`. Null for other proposals. */
function getRunKey({ address, actor }: Proposal): string | null {
  return actor?.runId === undefined || actor.client === undefined ? null : JSON.stringify([address, actor.runId]);
}

/** Groups the proposals of a program's run, by a key. Others are alone. */
export function groupProposals(proposals: readonly Proposal[]): Map<string, Proposal[]> {
  return Map.groupBy(proposals, (proposal) => getRunKey(proposal) ?? proposal.id);
}

/** Shows the proposals of a program's run below its name, with buttons that decide about all of them. */
export function ProposalGroup({
  proposals,
  children,
}: {
  proposals: readonly Proposal[];
  children: ComponentChildren;
}): VNode {
  const { access } = useSession();
  const { version } = useLive();
  const [first] = proposals;
  if (first === undefined || getRunKey(first) === null) return <>{children}</>;
  const name = `${first.actor?.client ?? ""} · ${countText(proposals.length, "change")}`;
  return (
    <MemoryContext.Provider value={{ address: first.address, query: {}, version }}>
      <li class="run">
        <header class="run-head">
          <Name text={name} />
        </header>
        {access === "write" && first.status === "pending" && (
          <div class="tools">
            <DecideButton proposals={proposals} decision="approve" />
            <DecideButton proposals={proposals} decision="reject" />
          </div>
        )}
        <ul aria-label={name}>{children}</ul>
      </li>
    </MemoryContext.Provider>
  );
}

const words = { approve: "Approve all", reject: "Reject all" } as const;

function DecideButton({
  proposals,
  decision,
}: {
  proposals: readonly Proposal[];
  decision: keyof typeof words;
}): VNode {
  const [reason, setReason] = useState("");
  const isDangerous = decision === "reject";
  return (
    <DialogButton label={`${words[decision]}…`} class="button quiet">
      <SignedDialog
        title={`${words[decision]} of this run?`}
        act={words[decision]}
        isDangerous={isDangerous}
        run={async (signed) => {
          const ids = proposals.map(({ id }) => id);
          const { refused } = await post("decide", { ...signed, ids, decision, ...(reason !== "" && { reason }) });
          if (refused > 0) throw createRefusal(refused);
        }}
      >
        <ul class="preview-list">
          {proposals.map((proposal) => (
            <li key={proposal.id}>
              <span class="operation">{proposal.command}</span> <Name text={createTitle(proposal)} class="file" />
            </li>
          ))}
        </ul>
        {isDangerous && <ReasonField reason={reason} setReason={setReason} />}
      </SignedDialog>
    </DialogButton>
  );
}

function createRefusal(count: number): ApiError {
  const what = `${countText(count, "change")} could not be decided: the file has changed since, or somebody has decided`;
  return new ApiError(409, "ECONFLICT", `${what}. Open what still waits: an approval then shows what it would do now.`);
}
