import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { Answers } from "../answers.js";
import { post } from "./data/api.js";
import { useMemory, useMemoryData } from "./data/memory.js";
import { useSession } from "./data/session.js";
import { DialogButton } from "./parts/dialog.js";
import { countText } from "./parts/format.js";
import { Empty, Pending } from "./parts/parts.js";
import { Name } from "./parts/shown.js";
import { SignedDialog } from "./parts/signature.js";

/** Shows what should be tidied, with links to the lines. A person looks again: after each change it would cost much. */
export function TidyView(): VNode {
  const { access } = useSession();
  const [looks, setLooks] = useState(0);
  const [result, setResult] = useState<Answers["propose-tidy"] | null>(null);
  const { data, error } = useMemoryData("tidy", {}, String(looks));
  if (data === null) return <Pending error={error} />;
  const { findings, total } = data;
  return (
    <div class="message">
      <div class="tools">
        <span class="muted" role="status">
          {total > findings.length ? "The first " : ""}
          {countText(findings.length, "finding")}
        </span>
        <button type="button" class="button" onClick={() => setLooks(looks + 1)}>
          Look again
        </button>
        {access === "write" && total > 0 && <ProposeButton total={total} done={setResult} />}
      </div>
      {result !== null && <Result result={result} />}
      {total === 0 && <Empty title="Nothing to tidy" />}
      <div class="results" tabIndex={0} role="region" aria-label="What should be tidied">
        <ul>
          {findings.map((finding) => (
            <Finding key={`${finding.kind} ${finding.path} ${finding.line} ${finding.message}`} finding={finding} />
          ))}
        </ul>
      </div>
    </div>
  );
}

function Finding({ finding: { path, line, message } }: { finding: Answers["tidy"]["findings"][number] }): VNode {
  const { href } = useMemory();
  return (
    <li>
      <a class="found-file" href={href({ path, ...(line !== null && { line: String(line) }) })}>
        <Name text={line === null ? path : `${path}:${line}`} />
      </a>{" "}
      <Name text={message} />
    </li>
  );
}

function ProposeButton({ total, done }: { total: number; done: (result: Answers["propose-tidy"]) => void }): VNode {
  return (
    <DialogButton label="Propose the remedies…">
      <SignedDialog
        title="Propose the remedies?"
        act="Propose"
        run={async (signed) => done(await post("propose-tidy", signed))}
      >
        <p>Remedies are proposed for {countText(total, "finding")}. Nothing changes before somebody approves it.</p>
      </SignedDialog>
    </DialogButton>
  );
}

function Result({ result: { files, refused } }: { result: Answers["propose-tidy"] }): VNode {
  const { href } = useMemory();
  return (
    <div class="note" role="status">
      <a href={href({ tab: "proposals" })}>Changes of {countText(files, "file")}</a> proposed.
      {refused.map(({ path, why }) => (
        <div key={path}>
          Not proposed: <Name text={path} class="file" />: <Name text={why} />
        </div>
      ))}
    </div>
  );
}
