import type { VNode } from "preact";
import type { WireActor, WireAddress, WireChange, WireVersion } from "../wire.js";
import { useData } from "./api.js";
import { DiffView } from "./diff-view.js";
import { momentText } from "./format.js";
import { Fault, Loading, Operation, Time } from "./parts.js";
import { RedactButton } from "./redact.js";
import { RestoreButton, UndoRunButton } from "./revert.js";
import { fieldsOf, memoryHref, type Query } from "./route.js";
import { useSession } from "./session.js";
import { Name } from "./shown.js";

/** What one version changed, by whom, and what can be done about it. */
export function VersionView({
  address,
  query,
  id,
  mark,
}: {
  address: WireAddress;
  query: Query;
  id: string;
  mark: string;
}): VNode {
  const { data, error } = useData<WireChange>("change", { ...fieldsOf(address), id }, mark);
  if (error !== null) return <Fault error={error} />;
  if (data === null) return <Loading />;
  const { version, diff } = data;
  const { version: _, ...list } = query;
  return (
    <>
      <header class="detail-head">
        <a class="back only-narrow" href={memoryHref(address, list)}>
          Versions
        </a>
        <h2>
          <Operation operation={version.operation} />{" "}
          {version.redactedAt === undefined ? <Name text={version.path} class="path" /> : "redacted"}
        </h2>
        <span class="muted" title={momentText(version.at)}>
          <Time time={version.at} />
        </span>
        <span class="tools">
          <a
            class="button quiet"
            href={memoryHref(address, { at: id, ...(version.sizeBytes !== null && { path: version.path }) })}
          >
            Tree at this moment
          </a>
          <a class="button quiet" href={memoryHref(address, { tab: "message", at: id })}>
            Model’s view
          </a>
        </span>
      </header>
      <div class="detail-body" tabIndex={0} role="region" aria-label="What changed">
        <Facts address={address} version={version} />
        <Actions address={address} version={version} />
        {version.redactedAt !== undefined && (
          <p class="note">
            The text of this version was redacted <Time time={version.redactedAt} />. Who and when stay.
          </p>
        )}
        {version.redactedAt === undefined && diff === null && (
          <p class="note">The text before this version is no longer kept, so no difference can be shown.</p>
        )}
        {diff !== null && <DiffView diff={diff} />}
      </div>
    </>
  );
}

function Actions({ address, version }: { address: WireAddress; version: WireVersion }): VNode | null {
  const { access } = useSession();
  if (access !== "write") return null;
  const runId = version.actor?.runId;
  return (
    <div class="actions">
      {version.redactedAt === undefined && <RestoreButton address={address} version={version} />}
      {runId !== undefined && <UndoRunButton address={address} runId={runId} />}
      {version.redactedAt === undefined && version.sha256 !== null && (
        <RedactButton address={address} version={version} />
      )}
    </div>
  );
}

const actorWords = {
  userId: "User",
  agent: "Agent",
  node: "Node",
  threadId: "Thread",
  runId: "Run",
  toolCallId: "Tool call",
  checkpointId: "Checkpoint",
  client: "Client",
} as const satisfies Record<keyof WireActor, string>;

/** Where a change comes from. */
export function Provenance({
  actor,
  runHref,
}: {
  actor: WireActor | null;
  runHref?: (runId: string) => string;
}): VNode {
  const facts = (Object.keys(actorWords) as (keyof WireActor)[]).flatMap((field) =>
    actor?.[field] === undefined ? [] : [[field, actor[field]] as const],
  );
  return (
    <dl class="facts">
      {facts.length === 0 && (
        <div>
          <dt>Actor</dt>
          <dd>unknown</dd>
        </div>
      )}
      {facts.map(([field, value]) => (
        <div key={field}>
          <dt>{actorWords[field]}</dt>
          <dd>
            {field === "runId" && runHref !== undefined ? (
              <a href={runHref(value)}>
                <Name text={value} />
              </a>
            ) : (
              <Name text={value} />
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Facts({ address, version }: { address: WireAddress; version: WireVersion }): VNode {
  return <Provenance actor={version.actor} runHref={(run) => memoryHref(address, { tab: "history", run })} />;
}
