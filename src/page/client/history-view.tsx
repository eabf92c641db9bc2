import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { WireAddress, WireVersion, WireVersions } from "../wire.js";
import { asApiError, type ApiError, get } from "./api.js";
import { bytesText, clockText, dayText } from "./format.js";
import { Actor, Empty, Fault, Loading, Operation } from "./parts.js";
import { fieldsOf, memoryHref, type Query } from "./route.js";
import { Name } from "./shown.js";
import { VersionView } from "./version-view.js";
import type { MemoryViewProps } from "./view-props.js";

/** What happened, newest first, and what one version changed. */
export function HistoryView({ address, query, mark }: MemoryViewProps): VNode {
  const { path, run, version } = query;
  const filter: Query = { ...(path !== undefined && { path }), ...(run !== undefined && { runId: run }) };
  const { pages, error, more } = useVersions(address, filter, mark);
  const versions = pages?.flatMap((page) => page.versions) ?? [];
  const chosen = version ?? versions[0]?.id;
  const hrefOf = (id: string): string => memoryHref(address, { ...query, version: id });
  if (error !== null) return <Fault error={error} />;
  if (pages === null) return <Loading />;
  if (pages[0]?.isKept === false)
    return <Empty title="No history is kept">The store of the application needs the option “history”.</Empty>;
  return (
    <div class={`panes ${version === undefined ? "" : "has-detail"}`}>
      <section class="side" aria-label="Versions">
        {(path !== undefined || run !== undefined) && (
          <p class="filter">
            <Name text={path ?? `run ${run ?? ""}`} /> <a href={memoryHref(address, { tab: "history" })}>Show all</a>
          </p>
        )}
        {versions.length === 0 && <Empty title="No versions">Nothing has changed since the history began.</Empty>}
        <div class="timeline">
          {days(versions).map(([day, ofDay]) => (
            <section key={day} aria-label={day}>
              <h3>{day}</h3>
              <ul>
                {ofDay.map((each) => (
                  <li key={each.id}>
                    <a
                      class="version-row"
                      href={hrefOf(each.id)}
                      aria-current={each.id === chosen ? "true" : undefined}
                    >
                      <VersionRow version={each} />
                    </a>
                  </li>
                ))}
              </ul>
            </section>
          ))}
          {more !== null && (
            <button type="button" class="button" onClick={more}>
              Show older versions
            </button>
          )}
        </div>
      </section>
      <section class="detail" aria-label="Version">
        {chosen === undefined ? (
          <Empty title="No version is chosen" />
        ) : (
          <VersionView key={chosen} address={address} query={query} id={chosen} mark={mark} />
        )}
      </section>
    </div>
  );
}

function VersionRow({
  version: { operation, path, from, at, actor, sizeBytes, redactedAt },
}: {
  version: WireVersion;
}): VNode {
  return (
    <>
      <span class="version-what">
        <Operation operation={operation} />
        {redactedAt === undefined ? (
          <Name text={from === undefined ? path : `${from} → ${path}`} class="file" />
        ) : (
          <span class="file muted">redacted</span>
        )}
      </span>
      <span class="version-who muted">
        <Actor actor={actor} />
        <span>
          {sizeBytes !== null && `${bytesText(sizeBytes)} · `}
          {clockText(at)}
        </span>
      </span>
    </>
  );
}

function days(versions: readonly WireVersion[]): [string, WireVersion[]][] {
  return [...Map.groupBy(versions, ({ at }) => dayText(at))];
}

/** The pages loaded so far; a change of the memory begins again. */
function useVersions(
  address: WireAddress,
  filter: Query,
  mark: string,
): { pages: WireVersions[] | null; error: ApiError | null; more: (() => void) | null } {
  const key = JSON.stringify(filter);
  const [loaded, setLoaded] = useState<{ key: string; pages: WireVersions[] }>({ key, pages: [] });
  const [error, setError] = useState<ApiError | null>(null);
  const load = (offset: number, earlier: readonly WireVersions[], signal?: AbortSignal): void => {
    const show = (page: WireVersions): void => {
      setError(null);
      setLoaded({ key, pages: [...earlier, page] });
    };
    get<WireVersions>("versions", { ...fieldsOf(address), ...filter, offset: String(offset) }, signal).then(
      show,
      (failure: unknown) => {
        if (signal?.aborted !== true) setError(asApiError(failure));
      },
    );
  };
  useEffect(() => {
    const gone = new AbortController();
    load(0, [], gone.signal);
    return () => gone.abort();
  }, [key, mark]);
  const pages = loaded.key === key && loaded.pages.length > 0 ? loaded.pages : null;
  const next = pages?.at(-1)?.next ?? null;
  return { pages, error, more: pages === null || next === null ? null : () => load(next, pages) };
}
