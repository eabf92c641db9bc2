import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { Answers } from "../../answers.js";
import { type ApiError, post, toApiError } from "../data/api.js";
import { useMemory } from "../data/memory.js";
import { go } from "../data/route.js";
import { Dialog, DialogButton } from "../parts/dialog.js";
import { countText } from "../parts/format.js";
import { ErrorNote } from "../parts/parts.js";
import { useSignature } from "../parts/signature.js";
import { VersionList } from "../parts/version-list.js";

/** Removes a text from the memory and its history permanently. It offers the text that is selected on the page. */
export function RedactButton(): VNode {
  return (
    <DialogButton label="Redact a text…" class="button danger-quiet">
      {(close) => <RedactDialog selected={getSelection()?.toString() ?? ""} close={close} />}
    </DialogButton>
  );
}

function RedactDialog({ selected, close }: { selected: string; close: () => void }): VNode {
  const { address, href } = useMemory();
  const { missing, fields, field } = useSignature();
  const [text, setText] = useState(selected);
  const [found, setFound] = useState<Answers["find-text"] | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const [isCut, setCut] = useState(false);
  const change = (given: string): void => {
    setText(given);
    setFound(null);
  };
  const find = (): void => {
    setError(null);
    post("find-text", { address, text }).then(setFound, (failure: unknown) => setError(toApiError(failure)));
  };
  const run = async (): Promise<void> => {
    await post("redact", { address, text, cut: isCut, ...fields });
    go(href({ tab: "history" }));
  };
  const isFound = found !== null && found.versionCount + found.proposals + found.files.length > 0;
  const isCovered = found?.files.length === 0 || isCut;
  const missingText = text === "" ? "Type the text first" : found === null ? "Find the text first" : null;
  return (
    <Dialog
      title="Redact a text"
      act="Redact for good"
      isDangerous
      missing={
        missingText ?? (!isFound ? "The text stands nowhere" : isCovered ? missing : "A present file has the text")
      }
      run={run}
      close={close}
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
      {isFound && field}
    </Dialog>
  );
}

function Found({ found: { versions, versionCount, proposals } }: { found: Answers["find-text"] }): VNode {
  const more = versionCount - versions.length;
  return (
    <>
      <p>
        Found in {countText(versionCount, "version")} and {countText(proposals, "proposal")}.
      </p>
      <VersionList versions={versions}>
        {more > 0 && <li class="muted">and {countText(more, "more version")}</li>}
      </VersionList>
    </>
  );
}
