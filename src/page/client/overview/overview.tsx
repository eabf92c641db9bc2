import type { ComponentChildren, VNode } from "preact";
import { useId } from "preact/hooks";
import { useMemory, useMemoryData } from "../data/memory.js";
import { useIsOwner } from "../data/session.js";
import { isMarkdown, Markdown } from "../files/markdown.js";
import { describeAuthor, groupByRun } from "../history/runs.js";
import { useBudgetText } from "../message-view.js";
import { Lines } from "../parts/lines.js";
import { ErrorNote, Operation, Time } from "../parts/parts.js";
import { Name } from "../parts/shown.js";
import { ProposalRow } from "../proposals/proposals-view.js";

/** Shows what a person looks for first: what has changed, what waits, what the model gets, and the first file. */
export function Overview(): VNode {
  return (
    <div class="detail-body overview" tabIndex={0} role="region" aria-label="Overview">
      <Waiting />
      <RecentChanges />
      <Budget />
      <FirstFile />
    </div>
  );
}

function Part({ title, href, children }: { title: string; href: string; children: ComponentChildren }): VNode {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>
        <a href={href}>{title}</a>
      </h2>
      {children}
    </section>
  );
}

const maxShown = 6;

function RecentChanges(): VNode {
  const { href } = useMemory();
  const isOwner = useIsOwner();
  const { data, error } = useMemoryData("versions");
  return (
    <Part title="Recent changes" href={href({ tab: "history" })}>
      {data === null ? (
        error !== null && <ErrorNote error={error} />
      ) : data.versions.length === 0 ? (
        <p class="muted">{data.isKept ? "No change is recorded yet." : "This memory keeps no history."}</p>
      ) : (
        groupByRun(data.versions.slice(0, maxShown)).map(({ actor, versions }) => (
          <div key={versions[0]?.id} class="run">
            <p class="run-head">
              <Name text={describeAuthor(actor, !isOwner)} />
            </p>
            <ul>
              {versions.map(({ id, operation, path, at }) => (
                <li key={id}>
                  <a class="version-row" href={href({ tab: "history", version: id })}>
                    <span class="version-what">
                      <Operation operation={operation} />
                      {path === "" ? <span class="muted">redacted</span> : <Name text={path} class="file" />}
                    </span>
                    <span class="version-who muted">
                      <Time time={at} />
                    </span>
                  </a>
                </li>
              ))}
            </ul>
          </div>
        ))
      )}
    </Part>
  );
}

/** Shows nothing if nothing waits. */
function Waiting(): VNode | null {
  const { href } = useMemory();
  const { data } = useMemoryData("proposals");
  const proposals = data?.proposals ?? [];
  if (proposals.length === 0) return null;
  return (
    <Part title="Waits for a person" href={href({ tab: "proposals" })}>
      <ul>
        {proposals.slice(0, maxShown).map((proposal) => (
          <li key={proposal.id}>
            <a class="version-row" href={href({ tab: "proposals", proposal: proposal.id })}>
              <ProposalRow proposal={proposal} hasMemory={false} />
            </a>
          </li>
        ))}
      </ul>
    </Part>
  );
}

function Budget(): VNode | null {
  const { href } = useMemory();
  const isOwner = useIsOwner();
  const { data } = useMemoryData("message");
  const { usedChars = 0, maxChars = 0 } = data ?? {};
  const text = useBudgetText(usedChars, maxChars);
  if (data === null) return null;
  return (
    <Part title={isOwner ? "What the assistant sees" : "What the model sees"} href={href({ tab: "message" })}>
      <label class="budget">
        {text}
        <meter min={0} max={maxChars} value={usedChars} high={maxChars * 0.9} />
      </label>
    </Part>
  );
}

/** The server finds the file, because a path that was found before a change may be gone. */
function FirstFile(): VNode | null {
  const { href } = useMemory();
  const { data } = useMemoryData("first-file");
  if (data === null || data.path === null) return null;
  const { path, text, isWhole } = data;
  return (
    <Part title={path} href={href({ path })}>
      <div class="preview">
        {isMarkdown(path) ? (
          <Markdown text={text} path={path} createHref={(other) => href({ path: other })} />
        ) : (
          <Lines text={text} />
        )}
      </div>
      {!isWhole && <a href={href({ path })}>Show the whole file</a>}
    </Part>
  );
}
