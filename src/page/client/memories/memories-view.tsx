import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { useLive } from "../data/live.js";
import { getFilter, memoriesHref, type Query, replace } from "../data/route.js";
import { useSession } from "../data/session.js";
import { usePages } from "../data/use-data.js";
import { DialogButton } from "../parts/dialog.js";
import { countText } from "../../../core/display/count-text.js";
import { Choice, Empty, Pending } from "../parts/parts.js";
import { noSearch, SearchField } from "../parts/search-field.js";
import { Name } from "../parts/shown.js";
import { ExportButton } from "./export-button.js";
import { ForgetButton, ForgetDialog } from "./forget.js";
import { FoundMemories } from "./found-memories.js";
import { MemoryList } from "./memory-list.js";

const scopes = [
  ["", "All"],
  ["global", "Shared"],
  ["perThread", "Threads"],
  ["perUser", "Users"],
] as const;

/** Shows all memories, or those of a node, a thread or a user. A person who sees only their own gets only these. */
export function MemoriesView({ query }: { query: Query }): VNode {
  const { owner } = useSession();
  const filter = owner === undefined ? getFilter(query) : {};
  const [search, setSearch] = useState(noSearch);
  const { pages, error, more } = usePages("memories", filter, "offset", useLive().version);
  const count = pages.reduce((sum, { memories }) => sum + memories.length, 0);
  const isAll = pages.at(-1)?.isAll;
  const isPart = Object.keys(filter).length > 0;
  return (
    <div class="memories">
      <div class="title-row">
        {owner === undefined ? (
          <Title query={query} />
        ) : (
          <h1>
            What is remembered about <Name text={owner.userId} />
          </h1>
        )}
        {isAll !== undefined && (
          <span class="muted">
            {isAll ? "" : "the first "}
            {countText(count, "memory")}
          </span>
        )}
      </div>
      <div class="tools">
        {owner === undefined ? <Filter query={query} /> : <OwnTools userId={owner.userId} />}
        <SearchField
          label={`Search in the texts of ${isPart ? "these" : "all"} memories`}
          search={search}
          setSearch={setSearch}
        />
      </div>
      {search.query !== "" ? (
        <FoundMemories filter={filter} search={search} />
      ) : isAll === undefined ? (
        <Pending error={error} />
      ) : count > 0 ? (
        <MemoryList pages={pages} more={more} />
      ) : owner !== undefined ? (
        <Empty title="Nothing is remembered">Something appears here with the first thing an assistant writes.</Empty>
      ) : query["named"] !== undefined ? (
        <Empty title="Nothing fits">
          {isAll ? "No memory" : "None of the first memories"} has “{query["named"]}” in its ids.
        </Empty>
      ) : (
        <Empty title="No memories here">A memory appears with the first thing an agent writes.</Empty>
      )}
    </div>
  );
}

function Title({ query: { nodeId, threadId, userId } }: { query: Query }): VNode {
  const { access } = useSession();
  const whose = nodeId ?? threadId ?? userId;
  return (
    <>
      <h1>
        Memories
        {whose !== undefined && (
          <>
            {" of "}
            <Name text={whose} />
          </>
        )}
      </h1>
      {nodeId === undefined && whose !== undefined && access === "write" && (
        <ForgetButton who={threadId === undefined ? { userId: whose } : { threadId: whose }} />
      )}
    </>
  );
}

function Filter({ query }: { query: Query }): VNode {
  const { nodeId, threadId, userId, named = "", scope = "" } = query;
  const chooseScope = (chosen: string): void =>
    replace(memoriesHref({ ...query, scope: chosen, ...(chosen !== "" && { threadId: "", userId: "" }) }));
  return (
    <>
      <input
        type="search"
        placeholder="Filter by node, thread or user"
        aria-label="Filter by node, thread or user"
        maxLength={512}
        value={named}
        onInput={(event) => replace(memoriesHref({ ...query, named: event.currentTarget.value }))}
      />
      <Choice label="Scope" value={scope} options={scopes} choose={chooseScope} />
      {(nodeId ?? threadId ?? userId) !== undefined && (
        <a class="button quiet" href={memoriesHref()}>
          Show all
        </a>
      )}
    </>
  );
}

/** The actions of a person on all of their own memories. */
function OwnTools({ userId }: { userId: string }): VNode {
  const { access } = useSession();
  return (
    <>
      <ExportButton />
      {access === "write" && (
        <DialogButton label="Forget everything…" class="button danger-quiet">
          <ForgetDialog who={{ userId }} what="everything" />
        </DialogButton>
      )}
    </>
  );
}
