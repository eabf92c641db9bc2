import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import type { WireAddress, WireSession } from "../wire.js";
import { useData } from "./api.js";
import { ownerText } from "./format.js";
import { MemoriesView } from "./memories-view.js";
import { MemoryView } from "./memory-view.js";
import { Fault, Loading, Owner } from "./parts.js";
import { memoriesHref, memoryHref, type Query, useView, type View } from "./route.js";
import { SessionContext } from "./session.js";
import { Name } from "./shown.js";

export function App(): VNode {
  const view = useView();
  const { data: session, error } = useData<WireSession>("session", {});
  useEffect(() => {
    document.title = titleOf(view);
  }, [view.name === "memory" ? JSON.stringify(view.address) : ""]);
  return (
    <>
      <a class="skip" href="#main" onClick={skip}>
        Skip to content
      </a>
      <header class="top">
        <nav aria-label="Place">
          <a class="home" href={memoriesHref()} aria-current={view.name === "memories" ? "page" : undefined}>
            Memories
          </a>
          {view.name === "memory" && (
            <>
              <span class="separator" aria-hidden="true">
                /
              </span>
              <a class="here" href={memoryHref(view.address)} aria-current="page">
                <Name text={view.address.nodeId} class="node" />
              </a>
              <a class="here" href={memoriesHref(ownerQuery(view.address))} title="All memories of the same owner">
                <Owner address={view.address} />
              </a>
            </>
          )}
        </nav>
        {session !== null && (
          <span class={`access ${session.access}`}>{session.access === "write" ? "can change" : "read-only"}</span>
        )}
      </header>
      <main id="main" tabIndex={-1}>
        {error !== null && <Fault error={error} />}
        {error === null && session === null && <Loading />}
        {session !== null && (
          <SessionContext.Provider value={session}>
            {view.name === "memories" ? (
              <MemoriesView query={view.query} />
            ) : (
              <MemoryView key={JSON.stringify(view.address)} address={view.address} query={view.query} />
            )}
          </SessionContext.Provider>
        )}
      </main>
    </>
  );
}

function ownerQuery({ scope, threadId, userId }: WireAddress): Query {
  return scope === "global" ? { scope } : threadId === undefined ? { userId: userId ?? "" } : { threadId };
}

/** The address after `#` says what is shown, so it cannot name a place to jump to. */
function skip(event: Event): void {
  event.preventDefault();
  document.querySelector<HTMLElement>("#main")?.focus();
}

function titleOf(view: View): string {
  if (view.name === "memories") return "Memories";
  return [view.address.nodeId, ownerText(view.address), "Memory"].filter((part) => part !== null).join(" · ");
}
