import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { Answers } from "../../answers.js";
import type { Address } from "../data/types.js";
import { post } from "../data/api.js";
import { go, memoriesHref } from "../data/route.js";
import { useData } from "../data/use-data.js";
import { Dialog, DialogButton, useClose } from "../parts/dialog.js";
import { countText } from "../../../core/display/count-text.js";
import { MemoryName, Pending } from "../parts/parts.js";
import { Name } from "../parts/shown.js";

type Who = Address | { userId: string } | { threadId: string };

/** Offers to erase a memory, or all memories of a user or a thread. */
export function ForgetButton({ who }: { who: Who }): VNode {
  const what = "nodeId" in who ? "this memory" : "userId" in who ? "this user" : "this thread";
  return (
    <DialogButton label={`Forget ${what}…`} class="button quiet">
      <ForgetDialog who={who} what={what} />
    </DialogButton>
  );
}

/** The id that a person types: that of the user or the thread, because many memories have the same node. */
function getConfirmation(who: Who): string {
  if ("userId" in who && who.userId !== undefined) return who.userId;
  if ("threadId" in who && who.threadId !== undefined) return who.threadId;
  return "nodeId" in who ? who.nodeId : "";
}

/** Erases after showing what. */
export function ForgetDialog({ who, what }: { who: Who; what: string }): VNode {
  const close = useClose();
  const { data, error } = useData("forget-preview", { ...who });
  const [confirmed, setConfirmed] = useState("");
  const [forgotten, setForgotten] = useState<Answers["forget"] | null>(null);
  const id = getConfirmation(who);
  if (forgotten !== null) {
    const leave = (): void => {
      close();
      go(memoriesHref());
    };
    return (
      <Dialog key="forgotten" title="Forgotten" act="Done" close={leave}>
        <p>
          {countText(forgotten.memories, "memory")} went, with {countText(forgotten.files, "file")},{" "}
          {countText(forgotten.versions, "version")} and {countText(forgotten.proposals, "proposal")}.
        </p>
      </Dialog>
    );
  }
  const run = async (): Promise<"stay"> => {
    setForgotten(await post("forget", who));
    return "stay";
  };
  return (
    <Dialog
      title={`Forget ${what}?`}
      act="Forget for good"
      isDangerous
      missing={data === null ? "Still loading" : confirmed === id ? null : "Type the id first"}
      run={run}
    >
      {data === null ? (
        <Pending error={error} />
      ) : (
        <>
          <ForgetPreview preview={data} />
          <label class="field">
            <span>
              Type{" "}
              <code>
                <Name text={id} />
              </code>{" "}
              to confirm
            </span>
            <input
              type="text"
              value={confirmed}
              data-missing={confirmed === id ? undefined : ""}
              autoComplete="off"
              onInput={(event) => setConfirmed(event.currentTarget.value)}
            />
          </label>
        </>
      )}
    </Dialog>
  );
}

function ForgetPreview({ preview: { memories, count, files, more } }: { preview: Answers["forget-preview"] }): VNode {
  return (
    <>
      <p>
        This erases {more ? "more than " : ""}
        {countText(count, "memory")} with {countText(files, "file")}, and all versions and proposals of{" "}
        {count === 1 ? "it" : "them"}. Nothing brings them back.
      </p>
      <ul class="preview-list">
        {memories.map((memory) => (
          <li key={JSON.stringify(memory.address)}>
            <MemoryName address={memory.address} /> <span class="muted">{countText(memory.files, "file")}</span>
          </li>
        ))}
      </ul>
      {count > memories.length && <p class="muted">and {count - memories.length} more</p>}
    </>
  );
}
