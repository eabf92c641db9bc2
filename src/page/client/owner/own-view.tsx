import type { VNode } from "preact";
import { useMemo, useState } from "preact/hooks";
import { useInboxVersion, WaitingIn } from "../inbox/waiting.js";
import { memoryHref } from "../data/route.js";
import { useSession } from "../data/session.js";
import { usePages } from "../data/use-data.js";
import { FoundMemories } from "../memories/found-memories.js";
import { ForgetDialog } from "../memories/forget.js";
import { DialogButton } from "../parts/dialog.js";
import { bytesText, countText } from "../parts/format.js";
import { Empty, Pending, Time } from "../parts/parts.js";
import { noSearch, SearchField } from "../parts/search-field.js";
import { Name } from "../parts/shown.js";
import { ExportButton } from "./export-button.js";

/** Shows the memories of the only person whom the visitor may see. */
export function OwnView({ userId }: { userId: string }): VNode {
  const { access } = useSession();
  const { pages, error, more } = usePages("memories", {}, "offset", useInboxVersion());
  const memories = useMemo(() => pages.flatMap((page) => page.memories), [pages]);
  const [search, setSearch] = useState(noSearch);
  return (
    <div class="memories">
      <div class="title-row">
        <h1>
          What is remembered about <Name text={userId} />
        </h1>
      </div>
      {pages.length === 0 ? (
        <Pending error={error} />
      ) : (
        <>
          <div class="tools">
            <ExportButton query={{}} />
            {access === "write" && (
              <DialogButton label="Forget everything…" class="button danger-quiet">
                {(close) => <ForgetDialog who={{ userId }} what="everything" close={close} />}
              </DialogButton>
            )}
            <SearchField label="Search in all texts" search={search} setSearch={setSearch} />
          </div>
          {search.query !== "" ? (
            <FoundMemories filter={{}} search={search} />
          ) : memories.length === 0 ? (
            <Empty title="Nothing is remembered">A memory appears with the first thing an agent writes.</Empty>
          ) : (
            <ul class="own-memories">
              {memories.map(({ address, files, sizeBytes, updatedAt }) => (
                <li key={address.nodeId}>
                  <a href={memoryHref(address)}>
                    <Name text={address.nodeId} class="node" />
                    <WaitingIn address={address} />
                  </a>
                  <span class="muted">
                    {countText(files, "file")}, {bytesText(sizeBytes)}, changed <Time time={updatedAt} />
                  </span>
                </li>
              ))}
            </ul>
          )}
          {more !== null && (
            <button type="button" class="button" onClick={more}>
              Load more
            </button>
          )}
        </>
      )}
    </div>
  );
}
