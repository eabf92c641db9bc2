import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { WireAddress, WireForgetPreview, WireForgotten } from "../wire.js";
import { post, useData } from "./api.js";
import { Dialog, DialogButton } from "./dialog.js";
import { bytesText, countText } from "./format.js";
import { Fault, Loading, Owner, Time } from "./parts.js";
import { fieldsOf, go, memoriesHref, type Query } from "./route.js";
import { Name } from "./shown.js";

type Who = WireAddress | { userId: string } | { threadId: string };

/** Erases a memory, or all memories of a user or a thread, after it has shown which. */
export function ForgetButton({ who }: { who: Who }): VNode {
  const what = "nodeId" in who ? "this memory" : "userId" in who ? "this user" : "this thread";
  return (
    <DialogButton label={`Forget ${what}…`} class="button danger-quiet">
      {(close) => <ForgetDialog who={who} what={what} close={close} />}
    </DialogButton>
  );
}

function ForgetDialog({ who, what, close }: { who: Who; what: string; close: () => void }): VNode {
  const query: Query = "nodeId" in who ? fieldsOf(who) : { ...who };
  const { data, error } = useData<WireForgetPreview>("forget-preview", query);
  const [confirmed, setConfirmed] = useState("");
  const [forgotten, setForgotten] = useState<WireForgotten | null>(null);
  const word = "nodeId" in who ? who.nodeId : Object.values(who)[0];
  if (forgotten !== null) {
    const leave = (): void => {
      close();
      go(memoriesHref());
    };
    return (
      <Dialog key="forgotten" title="Forgotten" act="Done" isNote run={async () => undefined} close={leave}>
        <p>
          {countText(forgotten.memories, "memory")} went, with {countText(forgotten.files, "file")},{" "}
          {countText(forgotten.versions, "version")} and {countText(forgotten.proposals, "proposal")}.
        </p>
      </Dialog>
    );
  }
  const run = async (): Promise<"stay"> => {
    setForgotten(await post<WireForgotten>("forget", who));
    return "stay";
  };
  return (
    <Dialog
      title={`Forget ${what}?`}
      act="Forget for good"
      isDangerous
      isReady={data !== null && confirmed === word}
      run={run}
      close={close}
    >
      {error !== null && <Fault error={error} />}
      {data === null && error === null && <Loading />}
      {data !== null && (
        <>
          <p>
            This erases {data.more ? "more than " : ""}
            {countText(data.count, "memory")} with {countText(data.files, "file")}, and all versions and proposals of{" "}
            {data.count === 1 ? "it" : "them"}. Nothing brings them back.
          </p>
          <ul class="preview-list">
            {data.memories.map(({ address, files, sizeBytes, updatedAt }) => (
              <li key={JSON.stringify(address)}>
                <Name text={address.nodeId} class="node" /> <Owner address={address} />{" "}
                <span class="muted">
                  {countText(files, "file")}, {bytesText(sizeBytes)}, changed <Time time={updatedAt} />
                </span>
              </li>
            ))}
          </ul>
          {data.count > data.memories.length && <p class="muted">and {data.count - data.memories.length} more</p>}
          <label class="field">
            <span>
              Type{" "}
              <code>
                <Name text={word ?? ""} />
              </code>{" "}
              to confirm
            </span>
            <input
              type="text"
              value={confirmed}
              autoComplete="off"
              onInput={(event) => setConfirmed(event.currentTarget.value)}
            />
          </label>
        </>
      )}
    </Dialog>
  );
}
