import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { WireAddress, WireRedactPreview, WireVersion } from "../wire.js";
import { post, useData } from "./api.js";
import { Dialog, DialogButton, Signature } from "./dialog.js";
import { Fault, Loading, Operation, Time } from "./parts.js";
import { fieldsOf, go, memoryHref } from "./route.js";
import { useSignature } from "./session.js";
import { Name } from "./shown.js";

/** Takes a text out of the history for good. */
export function RedactButton({ address, version }: { address: WireAddress; version: WireVersion }): VNode {
  return (
    <DialogButton label="Redact…" class="button danger-quiet">
      {(close) => <RedactDialog address={address} version={version} close={close} />}
    </DialogButton>
  );
}

function RedactDialog({
  address,
  version,
  close,
}: {
  address: WireAddress;
  version: WireVersion;
  close: () => void;
}): VNode {
  const { data, error } = useData<WireRedactPreview>("redact-preview", { ...fieldsOf(address), id: version.id });
  const signature = useSignature();
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const ids = data?.versions.map(({ id }) => id).filter((id) => !left.has(id)) ?? [];
  const run = async (): Promise<void> => {
    await post("redact", { address, ids, ...(!signature.isFixed && signature.name !== "" && { by: signature.name }) });
    go(memoryHref(address, { tab: "history" }));
  };
  return (
    <Dialog
      title="Redact this text?"
      act="Redact for good"
      isDangerous
      isReady={ids.length > 0 && signature.name !== ""}
      run={run}
      close={close}
    >
      {error !== null && <Fault error={error} />}
      {data === null && error === null && <Loading />}
      {data !== null && (
        <>
          <p>
            Text, path, size and hash of these versions go for good. Who made them and when stays. The text that the
            file has now cannot be redacted: change the file first.
          </p>
          <ul class="preview-list">
            {data.versions.map(({ id, operation, path, at }) => (
              <li key={id}>
                <label class="check">
                  <input
                    type="checkbox"
                    checked={!left.has(id)}
                    onChange={(event) =>
                      setLeft(
                        event.currentTarget.checked
                          ? new Set([...left].filter((each) => each !== id))
                          : new Set([...left, id]),
                      )
                    }
                  />
                  <Operation operation={operation} /> <Name text={path} class="file" />{" "}
                  <span class="muted">
                    <Time time={at} />
                    {id === version.id ? "" : ", the same text"}
                  </span>
                </label>
              </li>
            ))}
          </ul>
          <Signature {...signature} />
        </>
      )}
    </Dialog>
  );
}
