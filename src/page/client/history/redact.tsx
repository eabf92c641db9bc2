import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { WireRedactPreview, WireVersion } from "../../wire.js";
import { post } from "../data/api.js";
import { useMemory, useMemoryData } from "../data/memory.js";
import { go } from "../data/route.js";
import { Dialog, DialogButton } from "../parts/dialog.js";
import { Pending } from "../parts/parts.js";
import { useSignature } from "../parts/signature.js";
import { VersionLine } from "../parts/version-line.js";

/** Removes a text from the history permanently. */
export function RedactButton({ version }: { version: WireVersion }): VNode {
  return (
    <DialogButton label="Redact…" class="button danger-quiet">
      {(close) => <RedactDialog id={version.id} close={close} />}
    </DialogButton>
  );
}

function RedactDialog({ id: chosen, close }: { id: string; close: () => void }): VNode {
  const { address, href } = useMemory();
  const { data, error } = useMemoryData<WireRedactPreview>("redact-preview", { id: chosen });
  const { missing, fields, field } = useSignature();
  const [spared, setSpared] = useState<ReadonlySet<string>>(new Set());
  const ids = data?.versions.map(({ id }) => id).filter((id) => !spared.has(id)) ?? [];
  const spare = (id: string, isSpared: boolean): void => {
    const others = [...spared].filter((each) => each !== id);
    setSpared(new Set(isSpared ? [...others, id] : others));
  };
  const run = async (): Promise<void> => {
    await post("redact", { address, ids, ...fields });
    go(href({ tab: "history" }));
  };
  return (
    <Dialog
      title="Redact this text?"
      act="Redact for good"
      isDangerous
      missing={data === null ? "Still loading" : ids.length === 0 ? "Choose a version first" : missing}
      run={run}
      close={close}
    >
      {data === null ? (
        <Pending error={error} />
      ) : (
        <>
          <p>
            Text, path, size and hash of these versions go for good. Who made them and when stays. The text that the
            file has now cannot be redacted: change the file first.
          </p>
          <ul class="preview-list">
            {data.versions.map((version) => (
              <li key={version.id}>
                <label class="check">
                  <input
                    type="checkbox"
                    checked={!spared.has(version.id)}
                    onChange={(event) => spare(version.id, !event.currentTarget.checked)}
                  />
                  <VersionLine version={version} remark={version.id === chosen ? "" : ", the same text"} />
                </label>
              </li>
            ))}
          </ul>
          {field}
        </>
      )}
    </Dialog>
  );
}
