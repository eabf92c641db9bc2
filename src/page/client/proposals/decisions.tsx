import type { ComponentChildren, VNode } from "preact";
import { useState } from "preact/hooks";
import type { Answers } from "../../answers.js";
import type { Proposal } from "../data/types.js";
import { post } from "../data/api.js";
import { useMemory } from "../data/memory.js";
import { Dialog, DialogButton } from "../parts/dialog.js";
import { useSignature } from "../parts/signature.js";

/** Shows the possible decisions about a proposal. */
export function Decisions({ proposal: { id, content, command } }: { proposal: Answers["proposal"] }): VNode {
  return (
    <div class="actions">
      <ApproveButton id={id} />
      {content !== null && <EditButton id={id} content={content} command={command} />}
      <RejectButton id={id} />
    </div>
  );
}

function ApproveButton({ id }: { id: string }): VNode {
  return (
    <DialogButton label="Approve…" class="button primary">
      {(close) => (
        <Decision title="Approve this change?" act="Approve" name="approve" body={{ id }} close={close}>
          <p>The change is made at once, if the file is still what it was proposed against.</p>
        </Decision>
      )}
    </DialogButton>
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
          name="approve"
          body={{ id, content: text }}
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
          name="reject"
          body={{ id, ...(reason !== "" && { reason }) }}
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
  name: "approve" | "reject";
  body: { id: string; content?: string; reason?: string };
  isDangerous?: boolean;
  close: () => void;
  children: ComponentChildren;
}

function Decision({ name, body, children, ...dialog }: DecisionProps): VNode {
  const { address } = useMemory();
  const { missing, fields, field } = useSignature();
  const run = async (): Promise<void> => {
    await post(name, { address, ...body, ...fields });
  };
  return (
    <Dialog {...dialog} missing={missing} run={run}>
      {children}
      {field}
    </Dialog>
  );
}
