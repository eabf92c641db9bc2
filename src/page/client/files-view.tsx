import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { WireChange } from "../wire.js";
import { useData } from "./api.js";
import { FileView } from "./file-view.js";
import { FileTree } from "./file-tree.js";
import { momentText } from "./format.js";
import { Actor, Empty } from "./parts.js";
import { fieldsOf, memoryHref } from "./route.js";
import { SearchResults } from "./search-results.js";
import { nothingSought, SearchField } from "./sought.js";
import type { MemoryViewProps } from "./view-props.js";

/** The tree, and the file that is open in it; now, or as they were right after a version. */
export function FilesView({ address, query, mark }: MemoryViewProps): VNode {
  const { path, at } = query;
  const [sought, setSought] = useState(nothingSought);
  const version = at ?? mark;
  const open = (file: string): string => memoryHref(address, { path: file, ...(at !== undefined && { at }) });
  return (
    <>
      {at !== undefined && <Moment address={address} query={query} at={at} />}
      <div class={`panes ${path === undefined ? "" : "has-detail"}`}>
        <section class="side" aria-label="Files of the memory">
          {at === undefined && <SearchField label="Search in files" sought={sought} seek={setSought} />}
          {sought.query === "" ? (
            <FileTree address={address} version={version} at={at} selected={path} open={open} />
          ) : (
            <SearchResults
              address={address}
              sought={sought}
              mark={mark}
              hrefOf={(file, line) => memoryHref(address, { path: file, line: String(line) })}
            />
          )}
        </section>
        <section class="detail" aria-label="File">
          {path === undefined ? (
            <Empty title="No file is open">
              Choose a file on the left. The arrow keys move through the tree, and Enter opens.
            </Empty>
          ) : (
            <FileView
              key={`${path} ${query["line"] ?? ""}`}
              address={address}
              query={query}
              path={path}
              version={version}
            />
          )}
        </section>
      </div>
    </>
  );
}

/** Says which moment is shown. */
function Moment({ address, query, at }: Pick<MemoryViewProps, "address" | "query"> & { at: string }): VNode {
  const { data } = useData<WireChange>("change", { ...fieldsOf(address), id: at });
  const { at: _, ...rest } = query;
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
      <a href={memoryHref(address, rest)}>Back to now</a>
    </div>
  );
}
