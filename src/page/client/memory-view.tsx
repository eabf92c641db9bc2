import type { VNode } from "preact";
import type { Address } from "./data/types.js";
import { type Contact, useLive } from "./data/live.js";
import { MemoryContext, useMemory } from "./data/memory.js";
import { memoryHref, type Query } from "./data/route.js";
import { useIsOwner, useSession } from "./data/session.js";
import { FilesView } from "./files/files-view.js";
import { HistoryView } from "./history/history-view.js";
import { ForgetButton } from "./memories/forget.js";
import { MessageView } from "./message-view.js";
import { Owner } from "./parts/parts.js";
import { Name } from "./parts/shown.js";
import { TidyView } from "./tidy-view.js";
import { ProposalsView } from "./proposals/proposals-view.js";
import { WaitingIn } from "./proposals/waiting.js";

const tabs = [
  ["files", "Files", FilesView],
  ["history", "History", HistoryView],
  ["proposals", "Proposals", ProposalsOfMemory],
  ["message", "What the model sees", MessageView],
  ["tidy", "Tidy", TidyView],
] as const;

export function MemoryView({ address, query }: { address: Address; query: Query }): VNode {
  const { version, contact } = useLive();
  const { access } = useSession();
  const isOwner = useIsOwner();
  const [current, , Tab] = tabs.find(([name]) => name === query["tab"]) ?? tabs[0];
  return (
    <div class="memory">
      <h1 class="spoken">
        <Name text={address.nodeId} /> <Owner address={address} />
      </h1>
      <div class="tab-row">
        <nav class="tabs" aria-label="Views of this memory">
          {tabs.map(([name, words]) => (
            <a
              key={name}
              href={memoryHref(address, name === "files" ? {} : { tab: name })}
              aria-current={name === current ? "page" : undefined}
            >
              {name === "message" && isOwner ? "What the assistant sees" : words}
              {name === "proposals" && <WaitingIn address={address} />}
            </a>
          ))}
        </nav>
        <LiveMark contact={contact} />
        {access === "write" && <ForgetButton who={address} />}
      </div>
      <MemoryContext.Provider value={{ address, query, version }}>
        <Tab />
      </MemoryContext.Provider>
    </div>
  );
}

function ProposalsOfMemory(): VNode {
  const { address, query } = useMemory();
  return <ProposalsView address={address} query={query} />;
}

const contactWords = {
  live: "Live",
  silent: "Not live: no answer",
  database: "Not live: the database does not answer",
  refused: "Not live: the page was refused",
} as const satisfies Record<Contact, string>;

/** Says whether changes appear by themselves. */
function LiveMark({ contact }: { contact: Contact }): VNode {
  return (
    <span class={`live ${contact === "live" ? "" : "lost"}`} role="status" title="Changes appear without a reload">
      {contactWords[contact]}
    </span>
  );
}
