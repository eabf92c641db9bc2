import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { Answers } from "../../answers.js";
import { post } from "../data/api.js";
import { useMemory } from "../data/memory.js";
import { go } from "../data/route.js";
import { useAct } from "../parts/act.js";
import { DialogButton } from "../parts/dialog.js";
import { countText } from "../../../core/display/count-text.js";
import { ErrorNote } from "../parts/parts.js";
import { SignedDialog } from "../parts/signature.js";
import { VersionList } from "../parts/version-list.js";

/** Removes a text from the memory and its history permanently. It offers the text that is selected on the page. */
export function RedactButton(): VNode {
  return (
    <DialogButton label="Redact a text…" class="button danger-quiet">
      <RedactDialog />
    </DialogButton>
  );
}

function RedactDialog(): VNode {
  const { address, href } = useMemory();
  const [text, setText] = useState(() => getSelection()?.toString() ?? "");
  const [found, setFound] = useState<Answers["find-text"] | null>(null);
  const [isCut, setCut] = useState(false);
  const { error, run: find } = useAct(async () => setFound(await post("find-text", { address, text })));
  const change = (given: string): void => {
    setText(given);
    setFound(null);
  };
  return (
    <SignedDialog
      title="Redact a text"
      act="Redact for good"
      isDangerous
      missing={findMissing(text, found, isCut)}
      run={async (signed) => {
        await post("redact", { ...signed, text, cut: isCut });
        go(href({ tab: "history" }));
      }}
    >
      <p>
        The text goes for good, wherever it stands: in versions, in proposals and in the search. Who made the versions
        and when stays, and so does the rest of each text.
      </p>
      <label class="field">
        Text to redact, exactly as it is written
        <textarea
          rows={2}
          required
          data-missing={text === "" ? "" : undefined}
          value={text}
          onInput={(event) => change(event.currentTarget.value)}
        />
      </label>
      <button type="button" class="button" disabled={text === ""} onClick={find}>
        Find
      </button>
      {error !== null && <ErrorNote error={error} />}
      {found !== null && <Found found={found} />}
      {found !== null && found.files.length > 0 && (
        <label class="check">
          <input type="checkbox" checked={isCut} onChange={(event) => setCut(event.currentTarget.checked)} />
          Cover it in {countText(found.files.length, "file")} as they are now, too: {found.files.join(", ")}
        </label>
      )}
    </SignedDialog>
  );
}

function findMissing(text: string, found: Answers["find-text"] | null, isCut: boolean): string | null {
  if (text === "") return "Type the text first";
  if (found === null) return "Find the text first";
  if (found.versionCount + found.proposals + found.files.length === 0) return "The text stands nowhere";
  return found.files.length === 0 || isCut ? null : "A present file has the text";
}

function Found({ found: { versions, versionCount, proposals, dependents } }: { found: Answers["find-text"] }): VNode {
  const more = versionCount - versions.length;
  return (
    <>
      <p>
        Found in {countText(versionCount, "version")} and {countText(proposals, "proposal")}.
      </p>
      <VersionList versions={versions} />
      {more > 0 && <p class="muted">and {countText(more, "more version")}</p>}
      {dependents.length > 0 && (
        <>
          <p>These versions rest on it, and stay. Look at them:</p>
          <VersionList versions={dependents} />
        </>
      )}
    </>
  );
}
