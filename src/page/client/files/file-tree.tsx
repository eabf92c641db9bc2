import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useMemory } from "../data/memory.js";
import { useIsOwner } from "../data/session.js";
import type { Entry } from "../data/types.js";
import { usePages } from "../data/use-data.js";
import { numberText } from "../../../core/display/count-text.js";
import { accessWords, scopeWords } from "../parts/format.js";
import { Empty, MoreButton, Pending } from "../parts/parts.js";
import { Name } from "../parts/shown.js";

/** Shows the tree of the memory. Loads a directory when it opens, a page at a time. */
export function FileTree(): VNode {
  return <Directory path="/" />;
}

function Directory({ path }: { path: string }): VNode {
  const { address, query, version } = useMemory();
  const at = query["at"];
  const { pages, error, more } = usePages(
    "tree",
    { ...address, path, ...(at !== undefined && { at }) },
    "offset",
    version,
  );
  const [first] = pages;
  if (first === undefined) return <Pending error={error} />;
  if (path === "/" && first.total === 0)
    return <Empty title="No files">Nothing is stored {at === undefined ? "yet" : "at this moment"}.</Empty>;
  const prefix = path === "/" ? "/" : `${path}/`;
  return (
    <div class={path === "/" ? "tree" : "subtree"}>
      <ul aria-label={path === "/" ? "Files" : undefined}>
        {pages
          .flatMap(({ entries }) => entries)
          .map((entry) => (
            <li key={entry.name}>
              {entry.kind === "file" ? (
                <FileRow entry={entry} path={prefix + entry.name} />
              ) : (
                <Folder entry={entry} path={prefix + entry.name} />
              )}
            </li>
          ))}
      </ul>
      {more !== null && <MoreButton words={`Show more of ${numberText(first.total)}`} more={more} />}
      {first.rights !== "" && <Rights words={first.rights} />}
    </div>
  );
}

interface RowProps {
  entry: Entry;
  path: string;
}

/** Shows a directory, which opens by itself when a file in it is selected. */
function Folder({ entry, path }: RowProps): VNode {
  const selected = useMemory().query["path"] ?? "";
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    if (selected.startsWith(`${path}/`)) setOpen(true);
  }, [selected]);
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary class="tree-row">
        <EntryName entry={entry} />
      </summary>
      {isOpen && <Directory path={path} />}
    </details>
  );
}

function FileRow({ entry, path }: RowProps): VNode {
  const { query, href } = useMemory();
  const isSelected = query["path"] === path;
  const element = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (isSelected) element.current?.scrollIntoView({ block: "nearest" });
  }, [isSelected]);
  return (
    <a
      ref={element}
      class="tree-row"
      href={href({ path, at: query["at"] ?? "" })}
      aria-current={isSelected ? "true" : undefined}
    >
      <EntryName entry={entry} />
    </a>
  );
}

/** Shows also the owner of a mounted memory, and what an agent may do there if that differs from the directory. */
function EntryName({ entry: { kind, name, mount, access = mount?.access } }: { entry: Entry }): VNode {
  const address = mount?.address ?? null;
  return (
    <>
      <span class={`icon ${kind}`} aria-hidden="true" />
      <Name text={name} />
      {access !== undefined && (
        <span class="mount" title={mount?.description ?? undefined}>
          {address !== null && (
            <>
              {address.scope === "global" ? "" : `${scopeWords[address.scope]} `}
              <Name text={address.nodeId} /> ·{" "}
            </>
          )}
          {accessWords[access]}
        </span>
      )}
    </>
  );
}

function Rights({ words }: { words: string }): VNode {
  return (
    <details class="rights">
      <summary>{useIsOwner() ? "What assistants may change" : "Rights of agents"}</summary>
      <Name text={words} />
    </details>
  );
}
