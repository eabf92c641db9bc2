import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { Answers } from "../../answers.js";
import { post } from "../data/api.js";
import { useMemory } from "../data/memory.js";
import type { Proposal } from "../data/types.js";
import { useAct } from "../parts/act.js";
import { DialogButton } from "../parts/dialog.js";
import { ErrorNote } from "../parts/parts.js";
import { SignedDialog, useSignature } from "../parts/signature.js";

/** The possible decisions about a proposal, below its difference. */
export function Decisions({ proposal: { id, content, command } }: { proposal: Answers["proposal"] }): VNode {
  const { address } = useMemory();
  const { missing, fields, field } = useSignature();
  const { isBusy, error, run } = useAct(() => post("approve", { address, id, ...fields }));
  return (
    <>
      {error !== null && <ErrorNote error={error} />}
      <div class="foot">
        <form
          class="tools"
          onSubmit={(event) => {
            event.preventDefault();
            run();
          }}
        >
          {field}
          <span id="decision-missing" class="missing" role="status">
            {missing}
          </span>
          <button
            type="submit"
            class="button primary"
            disabled={missing !== null || isBusy}
            aria-describedby="decision-missing"
            title="The change is made at once, if the file is still what it was proposed against"
          >
            {isBusy ? "Working…" : "Approve"}
          </button>
        </form>
        {content !== null && <EditButton id={id} content={content} command={command} />}
        <RejectButton id={id} />
      </div>
    </>
  );
}

const contentWords: Partial<Record<Proposal["command"], string>> = {
  append: "Text to add",
  update: "Text that replaces the old one",
};

function EditButton({ id, content, command }: { id: string; content: string; command: Proposal["command"] }): VNode {
  const [text, setText] = useState(content);
  return (
    <DialogButton label="Edit and approve…">
      <SignedDialog
        title="Edit and approve"
        act="Approve as edited"
        run={(signed) => post("approve", { ...signed, id, content: text })}
      >
        <label class="field">
          {contentWords[command] ?? "Whole text"}
          <textarea rows={12} value={text} onInput={(event) => setText(event.currentTarget.value)} />
        </label>
      </SignedDialog>
    </DialogButton>
  );
}

function RejectButton({ id }: { id: string }): VNode {
  const [reason, setReason] = useState("");
  return (
    <DialogButton label="Reject…" class="button danger-quiet">
      <SignedDialog
        title="Reject this change?"
        act="Reject"
        isDangerous
        run={(signed) => post("reject", { ...signed, id, ...(reason !== "" && { reason }) })}
      >
        <ReasonField reason={reason} setReason={setReason} />
      </SignedDialog>
    </DialogButton>
  );
}

interface ReasonFieldProps {
  reason: string;
  setReason: (reason: string) => void;
}

export function ReasonField({ reason, setReason }: ReasonFieldProps): VNode {
  return (
    <label class="field">
      Reason, if you like
      <textarea rows={3} maxLength={2000} value={reason} onInput={(event) => setReason(event.currentTarget.value)} />
    </label>
  );
}
