import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { useMemory, useMemoryData } from "../data/memory.js";
import { momentText } from "../parts/format.js";
import { Actor, Empty } from "../parts/parts.js";
import { noSearch, SearchField } from "../parts/search-field.js";
import { useSession } from "../data/session.js";
import { NewFileButton } from "./file-actions.js";
import { FileTree } from "./file-tree.js";
import { FileView } from "./file-view.js";
import { SearchResults } from "./search-results.js";

/** Shows the tree and the open file, now or as they were right after a version. */
export function FilesView(): VNode {
  const { query, href } = useMemory();
  const { path, at, line = "" } = query;
  const [search, setSearch] = useState(noSearch);
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(new Set());
  const { access } = useSession();
  return (
    <>
      {at !== undefined && <PointInTime at={at} />}
      <div class={`panes ${path === undefined ? "" : "has-detail"}`}>
        <section class="side" aria-label="Files of the memory">
          {at === undefined && <SearchField label="Search in files" search={search} setSearch={setSearch} />}
          {search.query === "" ? (
            <>
              <FileTree expanded={expanded} setExpanded={setExpanded} />
              {access === "write" && at === undefined && (
                <div class="side-foot">
                  <NewFileButton />
                </div>
              )}
            </>
          ) : (
            <SearchResults search={search} createHref={(file, number) => href({ path: file, line: String(number) })} />
          )}
        </section>
        <section class="detail" aria-label="File">
          {path === undefined ? (
            <Empty title="No file is open">Choose a file on the left.</Empty>
          ) : (
            <FileView key={`${path} ${line}`} path={path} />
          )}
        </section>
      </div>
    </>
  );
}

/** Shows the point in time. */
function PointInTime({ at }: { at: string }): VNode {
  const { query, href } = useMemory();
  const { data } = useMemoryData("change", { id: at });
  return (
    <div class="moment" role="status">
      <span>
        As it was right after version {at}
        {data !== null && (
          <>
            , {momentText(data.version.at)}, by <Actor actor={data.version.actor} />
          </>
        )}
      </span>
      <a href={href({ ...query, at: "" })}>Back to now</a>
    </div>
  );
}
