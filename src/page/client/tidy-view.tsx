import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { Answers } from "../answers.js";
import { useMemory, useMemoryData } from "./data/memory.js";
import { countText } from "../../core/display/count-text.js";
import { Empty, Pending } from "./parts/parts.js";
import { Name } from "./parts/shown.js";

/** Shows what should be tidied, with links to the lines. A person looks again: after each change it would cost much. */
export function TidyView(): VNode {
  const [looks, setLooks] = useState(0);
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
      </div>
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
