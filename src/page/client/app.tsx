import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import type { Answers } from "../answers.js";
import type { Address } from "./data/types.js";
import { getFilter, memoriesHref, memoryHref, type Query, useView, type View } from "./data/route.js";
import { SessionContext } from "./data/session.js";
import { MinuteContext, useMinute } from "./data/minute.js";
import { LiveContext, usePolling } from "./data/live.js";
import { useData } from "./data/use-data.js";
import { MemoriesView } from "./memories/memories-view.js";
import { MemoryView } from "./memory-view.js";
import { ownerText } from "./parts/format.js";
import { Owner, Pending } from "./parts/parts.js";
import { Name } from "./parts/shown.js";
import { ProposalsView } from "./proposals/proposals-view.js";
import { InboxLink } from "./proposals/waiting.js";

export function App(): VNode {
  const view = useView();
  const { data: session, error } = useData("session", {});
  const live = usePolling(session === null ? null : getShown(view));
  const title = createTitle(view);
  useEffect(() => {
    document.title = title;
  }, [title]);
  return (
    <LiveContext.Provider value={live}>
      <MinuteContext.Provider value={useMinute()}>
        <a class="skip" href="#main" onClick={skip}>
          Skip to content
        </a>
        <header class="top">
          <span class="product">{product}</span>
          <nav aria-label="Place">
            <a class="home" href={memoriesHref()} aria-current={view.name === "memories" ? "page" : undefined}>
              Memories
            </a>
            {view.name === "memory" && <Place address={view.address} isOwner={session?.owner !== undefined} />}
          </nav>
          <InboxLink isCurrent={view.name === "inbox"} />
          {session !== null && <Access session={session} />}
        </header>
        <main id="main" tabIndex={-1}>
          {session === null ? (
            <Pending error={error} />
          ) : (
            <SessionContext.Provider value={session}>
              {view.name === "inbox" ? (
                <ProposalsView query={view.query} />
              ) : view.name === "memories" ? (
                <MemoriesView query={view.query} />
              ) : (
                <MemoryView key={JSON.stringify(view.address)} address={view.address} query={view.query} />
              )}
            </SessionContext.Provider>
          )}
        </main>
      </MinuteContext.Provider>
    </LiveContext.Provider>
  );
}

/** The view for which the page requests changes: the memory, the list or the inbox. */
function getShown(view: View): Query {
  if (view.name === "memory") return { view: "memory", ...view.address };
  return view.name === "inbox" ? { view: "inbox" } : { view: "memories", ...getFilter(view.query) };
}

/** Says what the visitor may do, in which database, and who the visitor is if the server knows. */
function Access({ session: { access, place, userId } }: { session: Answers["session"] }): VNode {
  const facts = [
    access === "write" ? "Write access" : "Read-only",
    ...(place === null ? [] : [`${place.database} @ ${place.host}`]),
    ...(userId === null ? [] : [userId]),
  ];
  return (
    <span class={`access ${access}`} title={facts.join(" · ")}>
      <Name text={facts.join(" · ")} />
    </span>
  );
}

function Place({ address, isOwner }: { address: Address; isOwner: boolean }): VNode {
  const { scope, threadId = "", userId = "" } = address;
  return (
    <>
      <span class="separator" aria-hidden="true">
        /
      </span>
      <a class="here" href={memoryHref(address)} aria-current="page">
        <Name text={address.nodeId} class="node" />
      </a>
      {!isOwner && (
        <a class="here" href={memoriesHref({ scope, threadId, userId })} title="All memories of the same owner">
          <Owner address={address} />
        </a>
      )}
    </>
  );
}

/** Moves the focus by script: the address after `#` names the shown view, so it cannot be a jump target. */
function skip(event: Event): void {
  event.preventDefault();
  document.querySelector<HTMLElement>("#main")?.focus();
}

/** The title that the application gives the page. */
const product = document.title;

function createTitle(view: View): string {
  if (view.name === "inbox") return `Inbox · ${product}`;
  if (view.name === "memories") return `Memories · ${product}`;
  return [view.address.nodeId, ownerText(view.address), product].filter((part) => part !== null).join(" · ");
}
