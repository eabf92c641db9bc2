import type { VNode } from "preact";
import type { Version } from "../data/types.js";
import { useMemory } from "../data/memory.js";
import type { Query } from "../data/route.js";
import { useIsOwner, useSession } from "../data/session.js";
import { usePages } from "../data/use-data.js";
import { bytesText, clockText, dayText } from "../parts/format.js";
import { Empty, MoreButton, Operation, Pending } from "../parts/parts.js";
import { Name } from "../parts/shown.js";
import { UndoRunButton } from "./revert.js";
import { describeAuthor, groupByRun, type RunOfChanges } from "./runs.js";
import { VersionView } from "./version-view.js";

/** Shows the versions, newest first, and the changes of one version. */
export function HistoryView(): VNode {
  const { address, query, version: memoryVersion, href } = useMemory();
  const isOwner = useIsOwner();
  const { path, run, version } = query;
  const filter: Query = { ...address, ...(path !== undefined && { path }), ...(run !== undefined && { runId: run }) };
  const { pages, error, more } = usePages("versions", filter, "olderThan", memoryVersion);
  const [first] = pages;
  if (first === undefined) return <Pending error={error} />;
  if (!first.isKept)
    return (
      <Empty title="No history is kept">
        {isOwner ? undefined : "The store of the application needs the option “history”."}
      </Empty>
    );
  const versions = pages.flatMap((page) => page.versions);
  const chosen = version ?? versions[0]?.id;
  return (
    <div class={`panes ${version === undefined ? "" : "has-detail"}`}>
      <section class="side" aria-label="Versions">
        {(path !== undefined || run !== undefined) && (
          <p class="filter">
            <Name text={path ?? `run ${run ?? ""}`} /> <a href={href({ tab: "history" })}>Show all</a>
          </p>
        )}
        {versions.length === 0 && (
          <Empty title="No versions">
            {isOwner
              ? "No change is recorded yet."
              : "No change is recorded. A history begins with the first change by a store that has the option “history”."}
          </Empty>
        )}
        <div class="timeline">
          {Array.from(
            Map.groupBy(versions, ({ at }) => dayText(at)),
            ([day, versionsOnDay]) => (
              <section key={day} aria-label={day}>
                <h3>{day}</h3>
                {groupByRun(versionsOnDay).map((group) => (
                  <RunGroup key={group.versions[0]?.id} group={group} chosen={chosen} />
                ))}
              </section>
            ),
          )}
          {more !== null && <MoreButton words="Show older versions" more={more} />}
        </div>
      </section>
      <section class="detail" aria-label="Version">
        {chosen === undefined ? <Empty title="No version is chosen" /> : <VersionView key={chosen} id={chosen} />}
      </section>
    </div>
  );
}

/** Shows who made changes together, and undoes them. */
function RunGroup({ group, chosen }: { group: RunOfChanges; chosen: string | undefined }): VNode {
  const { href } = useMemory();
  const { access, owner } = useSession();
  const { runId, actor, versions } = group;
  const name = describeAuthor(actor, owner === undefined);
  const author = <Name text={name} />;
  return (
    <section class="run" aria-label={`Changes by ${name}`}>
      <header class="run-head">
        {runId === null ? author : <a href={href({ tab: "history", run: runId })}>{author}</a>}
        {runId !== null && access === "write" && <UndoRunButton runId={runId} />}
      </header>
      <ul>
        {versions.map((each) => (
          <VersionRow key={each.id} version={each} isChosen={each.id === chosen} />
        ))}
      </ul>
    </section>
  );
}

function VersionRow({ version, isChosen }: { version: Version; isChosen: boolean }): VNode {
  const { query, href } = useMemory();
  const { id, operation, path, from, at, sizeBytes } = version;
  return (
    <li>
      <a class="version-row" href={href({ ...query, version: id })} aria-current={isChosen ? "true" : undefined}>
        <span class="version-what">
          <Operation operation={operation} />
          {path !== "" ? (
            <Name text={from === undefined ? path : `${from} → ${path}`} class="file" />
          ) : (
            <span class="file muted">redacted</span>
          )}
        </span>
        <span class="version-who muted">
          <span>version {id}</span>
          <span>
            {sizeBytes !== null && `${bytesText(sizeBytes)} · `}
            {clockText(at)}
          </span>
        </span>
      </a>
    </li>
  );
}
