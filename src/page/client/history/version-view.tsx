import type { VNode } from "preact";
import type { Version } from "../data/types.js";
import { useMemory, useMemoryData } from "../data/memory.js";
import { useSession } from "../data/session.js";
import { momentText } from "../parts/format.js";
import { Operation, Pending, Time } from "../parts/parts.js";
import { Provenance } from "../parts/provenance.js";
import { Name } from "../parts/shown.js";
import { DiffView } from "./diff-view.js";
import { RedactButton } from "./redact.js";
import { RestoreButton, UndoRunButton } from "./revert.js";

/** Shows the changes of one version, its author, and the possible actions. */
export function VersionView({ id }: { id: string }): VNode {
  const { query, href } = useMemory();
  const { data, error } = useMemoryData("change", { id });
  if (data === null) return <Pending error={error} />;
  const { version, hunks } = data;
  const { operation, path, at, redactedAt } = version;
  return (
    <>
      <header class="detail-head">
        <a class="back only-narrow" href={href({ ...query, version: "" })}>
          Versions
        </a>
        <h2>
          <Operation operation={operation} /> {path === "" ? "redacted" : <Name text={path} class="path" />}
        </h2>
        <span class="muted" title={momentText(at)}>
          <Time time={at} />
        </span>
        <span class="tools">
          <a class="button quiet" href={href({ at: id, ...(operation !== "deleted" && path !== "" && { path }) })}>
            Tree at this moment
          </a>
        </span>
      </header>
      <div class="detail-body" tabIndex={0} role="region" aria-label="What changed">
        <Provenance actor={version.actor} origin={version} />
        <Actions version={version} />
        {redactedAt !== undefined && (
          <p class="note">
            {hunks === null ? "The text" : "A part of the text"} of this version was redacted <Time time={redactedAt} />
            . Who and when stay.
          </p>
        )}
        {redactedAt === undefined && hunks === null && (
          <p class="note">The text before this version is no longer kept, so no difference can be shown.</p>
        )}
        {hunks !== null && <DiffView hunks={hunks} />}
      </div>
    </>
  );
}

function Actions({ version }: { version: Version }): VNode | null {
  const { access } = useSession();
  if (access !== "write") return null;
  const runId = version.actor?.runId;
  return (
    <div class="actions">
      {version.path !== "" && <RestoreButton version={version} />}
      {runId !== undefined && <UndoRunButton runId={runId} />}
      <RedactButton />
    </div>
  );
}
