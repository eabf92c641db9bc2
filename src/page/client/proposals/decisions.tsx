import type { ComponentChildren, VNode } from "preact";
import { useState } from "preact/hooks";
import type { Answers } from "../../answers.js";
import { type ApiError, post, toApiError } from "../data/api.js";
import { useMemory } from "../data/memory.js";
import type { Proposal } from "../data/types.js";
import { Dialog, DialogButton } from "../parts/dialog.js";
import { ErrorNote } from "../parts/parts.js";
import { useSignature } from "../parts/signature.js";

/** The possible decisions about a proposal, below its difference. */
export function Decisions({ proposal: { id, content, command } }: { proposal: Answers["proposal"] }): VNode {
  const { address } = useMemory();
  const { missing, fields, field } = useSignature();
  const [error, setError] = useState<ApiError | null>(null);
  const [isBusy, setBusy] = useState(false);
  const approve = async (): Promise<void> => {
    setBusy(true);
    setError(null);
    await post("approve", { address, id, ...fields }).catch((failure: unknown) => setError(toApiError(failure)));
    setBusy(false);
  };
  return (
    <>
      {error !== null && <ErrorNote error={error} />}
      <div class="foot">
        <form
          class="tools"
          onSubmit={(event) => {
            event.preventDefault();
            void approve();
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
      {(close) => (
        <Decision
          title="Edit and approve"
          act="Approve as edited"
          decide={(signed) => post("approve", { ...signed, id, content: text })}
          close={close}
        >
          <label class="field">
            {contentWords[command] ?? "Whole text"}
            <textarea rows={12} value={text} onInput={(event) => setText(event.currentTarget.value)} />
          </label>
        </Decision>
      )}
    </DialogButton>
  );
}

function RejectButton({ id }: { id: string }): VNode {
  const [reason, setReason] = useState("");
  return (
    <DialogButton label="Reject…" class="button danger-quiet">
      {(close) => (
        <Decision
          title="Reject this change?"
          act="Reject"
          isDangerous
          decide={(signed) => post("reject", { ...signed, id, ...(reason !== "" && { reason }) })}
          close={close}
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

interface DecisionProps {
  title: string;
  act: string;
  decide: (signed: { address: ReturnType<typeof useMemory>["address"]; by?: string }) => Promise<unknown>;
  isDangerous?: boolean;
  close: () => void;
  children: ComponentChildren;
}

function Decision({ decide, children, ...dialog }: DecisionProps): VNode {
  const { address } = useMemory();
  const { missing, fields, field } = useSignature();
  const run = async (): Promise<void> => {
    await decide({ address, ...fields });
  };
  return (
    <Dialog {...dialog} missing={missing} run={run}>
      {children}
      {field}
    </Dialog>
  );
}
