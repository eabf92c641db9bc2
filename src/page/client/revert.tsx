import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { WireAddress, WireRevertPreview, WireReverted, WireVersion } from "../wire.js";
import { post, useData } from "./api.js";
import { Dialog, DialogButton, Signature } from "./dialog.js";
import { DiffView } from "./diff-view.js";
import { countText } from "./format.js";
import { Fault, Loading, Operation, Time } from "./parts.js";
import { fieldsOf, go, memoryHref } from "./route.js";
import { useSignature } from "./session.js";
import { Name } from "./shown.js";

/** Makes a file as it was right after a version. */
export function RestoreButton({ address, version }: { address: WireAddress; version: WireVersion }): VNode {
  const label = version.sizeBytes === null ? "Delete it again…" : "Restore this version…";
  return (
    <DialogButton label={label}>
      {(close) => (
        <RevertDialog
          address={address}
          title="Restore this version?"
          act="Restore"
          what={{ path: version.path, to: version.id }}
          query={{ to: version.id, path: version.path }}
          close={close}
        />
      )}
    </DialogButton>
  );
}

/** Undoes all that a run has changed. */
export function UndoRunButton({ address, runId }: { address: WireAddress; runId: string }): VNode {
  return (
    <DialogButton label="Undo this run…">
      {(close) => (
        <RevertDialog
          address={address}
          title="Undo all changes of this run?"
          act="Undo the run"
          what={{ runId }}
          query={{ runId }}
          close={close}
        />
      )}
    </DialogButton>
  );
}

interface RevertDialogProps {
  address: WireAddress;
  title: string;
  act: string;
  what: { path: string; to: string } | { runId: string };
  query: { to: string; path: string } | { runId: string };
  close: () => void;
}

function RevertDialog({ address, title, act, what, query, close }: RevertDialogProps): VNode {
  const { data, error } = useData<WireRevertPreview>("revert-preview", { ...fieldsOf(address), ...query });
  const signature = useSignature();
  const [force, setForce] = useState(false);
  const run = async (): Promise<void> => {
    const { versions } = await post<WireReverted>("revert", {
      address,
      what,
      ...(force && { force }),
      ...(!signature.isFixed && signature.name !== "" && { by: signature.name }),
    });
    const [first] = versions;
    if (first !== undefined) go(memoryHref(address, { tab: "history", version: first.id }));
  };
  const nothing = data?.diff === "";
  return (
    <Dialog
      title={title}
      act={act}
      isReady={data !== null && !nothing && signature.name !== ""}
      run={run}
      close={close}
      afterFault={(fault) =>
        fault.code === "ECONFLICT" && (
          <label class="check">
            <input type="checkbox" checked={force} onChange={(event) => setForce(event.currentTarget.checked)} /> Undo
            later changes of the same files too
          </label>
        )
      }
    >
      {error !== null && <Fault error={error} />}
      {data === null && error === null && <Loading />}
      {nothing && <p>The file is like this already. Nothing would change.</p>}
      {data !== null && data.diff !== null && !nothing && (
        <>
          <p>
            This changes <Name text={"path" in what ? what.path : ""} class="file" /> so, as a new version:
          </p>
          <DiffView diff={data.diff} />
        </>
      )}
      {data !== null && data.diff === null && (
        <>
          <p>
            This undoes {countText(data.versions.length, "change")}, by new versions. If a later change would be undone
            with them, it is refused first.
          </p>
          <Undone versions={data.versions} />
        </>
      )}
      {data !== null && !nothing && <Signature {...signature} />}
    </Dialog>
  );
}

export function Undone({ versions }: { versions: readonly WireVersion[] }): VNode {
  return (
    <ul class="preview-list">
      {versions.map((version) => (
        <li key={version.id}>
          <Operation operation={version.operation} /> <Name text={version.path} class="file" />{" "}
          <span class="muted">
            <Time time={version.at} />
          </span>
        </li>
      ))}
    </ul>
  );
}
