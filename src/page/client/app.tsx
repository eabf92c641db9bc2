import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import type { Answers } from "../answers.js";
import type { Address } from "./data/types.js";
import { memoriesHref, memoryHref, type Query, useView, type View } from "./data/route.js";
import { SessionContext } from "./data/session.js";
import { useData } from "./data/use-data.js";
import { InboxView } from "./inbox/inbox-view.js";
import { CountsOfWaiting, InboxLink } from "./inbox/waiting.js";
import { MemoriesView } from "./memories/memories-view.js";
import { OwnView } from "./owner/own-view.js";
import { MemoryView } from "./memory-view.js";
import { ownerText } from "./parts/format.js";
import { Keys } from "./parts/keys.js";
import { Owner, Pending } from "./parts/parts.js";
import { Name } from "./parts/shown.js";

export function App(): VNode {
  const view = useView();
  const { data: session, error } = useData("session", {});
  const title = createTitle(view);
  useEffect(() => {
    document.title = title;
  }, [title]);
  return (
    <CountsOfWaiting isOn={session !== null}>
      <a class="skip" href="#main" onClick={skip}>
        Skip to content
      </a>
      <header class="top">
        <span class="product">langgraph-mongo-memory</span>
        <nav aria-label="Place">
          <a class="home" href={memoriesHref()} aria-current={view.name === "memories" ? "page" : undefined}>
            Memories
          </a>
          {view.name === "memory" && <Place address={view.address} />}
        </nav>
        <InboxLink isCurrent={view.name === "inbox"} />
        {session !== null && <Access session={session} />}
        <Keys searchHref={view.name === "memory" ? memoryHref(view.address) : memoriesHref()} />
      </header>
      <main id="main" tabIndex={-1}>
        {session === null ? (
          <Pending error={error} />
        ) : (
          <SessionContext.Provider value={session}>
            {view.name === "inbox" ? (
              <InboxView query={view.query} />
            ) : view.name === "memories" && session.owner !== undefined ? (
              <OwnView userId={session.owner.userId} />
            ) : view.name === "memories" ? (
              <MemoriesView query={view.query} />
            ) : (
              <MemoryView key={JSON.stringify(view.address)} address={view.address} query={view.query} />
            )}
          </SessionContext.Provider>
        )}
      </main>
    </CountsOfWaiting>
  );
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

function Place({ address }: { address: Address }): VNode {
  return (
    <>
      <span class="separator" aria-hidden="true">
        /
      </span>
      <a class="here" href={memoryHref(address)} aria-current="page">
        <Name text={address.nodeId} class="node" />
      </a>
      <a class="here" href={memoriesHref(createOwnerQuery(address))} title="All memories of the same owner">
        <Owner address={address} />
      </a>
    </>
  );
}

function createOwnerQuery({ scope, threadId, userId }: Address): Query {
  return scope === "global" ? { scope } : threadId === undefined ? { userId: userId ?? "" } : { threadId };
}

/** Moves the focus by script: the address after `#` names the shown view, so it cannot be a jump target. */
function skip(event: Event): void {
  event.preventDefault();
  document.querySelector<HTMLElement>("#main")?.focus();
}

function createTitle(view: View): string {
  if (view.name === "inbox") return "Inbox · Memory";
  if (view.name === "memories") return "Memories";
  return [view.address.nodeId, ownerText(view.address), "Memory"].filter((part) => part !== null).join(" · ");
}
