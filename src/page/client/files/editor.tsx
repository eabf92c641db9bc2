import type { VNode } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Answers } from "../../answers.js";
import { post } from "../data/api.js";
import { useGuard } from "../data/drafts.js";
import { useMemory } from "../data/memory.js";
import { DiffView } from "../history/diff-view.js";
import { useAct } from "../parts/act.js";
import { ErrorNote } from "../parts/parts.js";
import { useSignature } from "../parts/signature.js";

interface EditorProps {
  /** The file as it is now. The editor keeps the one with which it began. */
  file: Answers["file"];
  /** Ends the editing. @param changedTo the stored text, if a guard has changed it */
  close: (changedTo: string | null) => void;
}

/** Lets a person change the text of a file. If others have changed it meanwhile, it shows what saving would change. */
export function Editor({ file, close }: EditorProps): VNode {
  const { address } = useMemory();
  const { missing, fields, field } = useSignature();
  const [base] = useState(file);
  const [digest, setDigest] = useState<string | null>(base.digest);
  const [text, setText] = useState(() => toUnixEnds(file.content));
  const [conflict, setConflict] = useState<NonNullable<Answers["write"]["conflict"]> | null>(null);
  const area = useRef<HTMLTextAreaElement>(null);
  const lineEnds = getLineEnds(base.content);
  const content = lineEnds === "windows" ? text.replaceAll("\n", "\r\n") : text;
  const isSame = text === toUnixEnds(base.content);
  // Before the browser draws: what is typed next must not move to the text.
  useLayoutEffect(() => area.current?.focus(), []);
  useGuard(!isSame);
  const lacking = isSame ? "Nothing is changed yet" : missing;
  const { isBusy, error, run } = useAct(async () => {
    const saved = await post("write", { address, path: base.path, content, digest, ...fields });
    if (saved.conflict === null) {
      close(saved.changedTo);
      return;
    }
    setConflict(saved.conflict);
    setDigest(saved.conflict.digest);
  });
  const save = (): void => {
    if (lacking === null && !isBusy) run();
  };
  const press = (event: KeyboardEvent): void => {
    if (event.key !== "s" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    save();
  };
  return (
    <form
      class="editor"
      onKeyDown={press}
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      {error !== null && <ErrorNote error={error} />}
      {conflict !== null && <Conflict conflict={conflict} />}
      {conflict === null && file.digest !== base.digest && (
        <p class="note">The file has changed since you began. Saving shows the difference first.</p>
      )}
      {lineEnds === "mixed" && (
        <p class="note">The lines of this file end in different ways. Saving makes them the same.</p>
      )}
      <textarea
        ref={area}
        aria-label="Text of the file"
        spellcheck={false}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <div class="foot">
        {field}
        <span id="editor-missing" class="missing" role="status">
          {lacking}
        </span>
        <button type="button" class="button" onClick={() => close(null)}>
          {isSame ? "Close" : "Discard"}
        </button>
        <button
          type="submit"
          class="button primary"
          disabled={lacking !== null || isBusy}
          aria-describedby="editor-missing"
        >
          {isBusy ? "Working…" : conflict === null ? "Save" : "Save anyway"}
        </button>
      </div>
    </form>
  );
}

function Conflict({ conflict: { digest, hunks } }: { conflict: NonNullable<Answers["write"]["conflict"]> }): VNode {
  return (
    <div class="conflict" role="alert">
      <strong>Not saved: {digest === null ? "the file has been deleted" : "others have changed the file"}</strong>
      <p>Saving would now change it so:</p>
      <DiffView hunks={hunks} />
    </div>
  );
}

/** A text field turns every line end into `\n`. */
function toUnixEnds(text: string): string {
  return text.replaceAll(/\r\n?/g, "\n");
}

function getLineEnds(text: string): "unix" | "windows" | "mixed" {
  if (!text.includes("\r")) return "unix";
  return toUnixEnds(text).replaceAll("\n", "\r\n") === text ? "windows" : "mixed";
}
