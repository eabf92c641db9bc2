import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { Answers } from "../../answers.js";
import type { Version } from "../data/types.js";
import { type ApiError, post } from "../data/api.js";
import { useMemory, useMemoryData } from "../data/memory.js";
import { go } from "../data/route.js";
import { DialogButton } from "../parts/dialog.js";
import { countText } from "../../../core/display/count-text.js";
import { Pending } from "../parts/parts.js";
import { Name } from "../parts/shown.js";
import { SignedDialog } from "../parts/signature.js";
import { VersionList } from "../parts/version-list.js";
import { DiffView } from "./diff-view.js";

/** Restores a file to its state right after a version. */
export function RestoreButton({ version: { id, path, operation } }: { version: Version }): VNode {
  return (
    <DialogButton label={operation === "deleted" ? "Delete it again…" : "Restore this version…"}>
      <RevertDialog title="Restore this version?" act="Restore" what={{ path, to: id }} />
    </DialogButton>
  );
}

/** Undoes all changes of a run. */
export function UndoRunButton({ runId }: { runId: string }): VNode {
  return (
    <DialogButton label="Undo this run…">
      <RevertDialog title="Undo all changes of this run?" act="Undo the run" what={{ runId }} />
    </DialogButton>
  );
}

interface RevertDialogProps {
  title: string;
  act: string;
  what: { path: string; to: string } | { runId: string };
}

function RevertDialog({ title, act, what }: RevertDialogProps): VNode {
  const { href } = useMemory();
  const { data, error } = useMemoryData("revert-preview", { ...what });
  const [force, setForce] = useState(false);
  const isSame = data?.hunks?.length === 0;
  const offerForce = ({ code }: ApiError): VNode | false =>
    code === "ECONFLICT" && (
      <label class="check">
        <input type="checkbox" checked={force} onChange={(event) => setForce(event.currentTarget.checked)} /> Undo later
        changes of the same files too
      </label>
    );
  return (
    <SignedDialog
      title={title}
      act={act}
      missing={data === null ? "Still loading" : isSame ? "Nothing would change" : null}
      run={async (signed) => {
        const { versions } = await post("revert", { ...signed, what, force });
        const [first] = versions;
        if (first !== undefined) go(href({ tab: "history", version: first.id }));
      }}
      afterError={offerForce}
    >
      {data === null ? (
        <Pending error={error} />
      ) : isSame ? (
        <p>The file is like this already. Nothing would change.</p>
      ) : (
        <RevertPreview preview={data} path={"path" in what ? what.path : ""} />
      )}
    </SignedDialog>
  );
}

function RevertPreview({
  preview: { hunks, versions },
  path,
}: {
  preview: Answers["revert-preview"];
  path: string;
}): VNode {
  if (hunks !== null)
    return (
      <>
        <p>
          This changes <Name text={path} class="file" /> so, as a new version:
        </p>
        <DiffView hunks={hunks} />
      </>
    );
  return (
    <>
      <p>
        This undoes {countText(versions.length, "change")}, by new versions. If that would also undo a later change, the
        page asks again.
      </p>
      <VersionList versions={versions} />
    </>
  );
}
