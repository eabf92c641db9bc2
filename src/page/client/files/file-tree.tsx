import type { VNode } from "preact";
import { type Dispatch, type StateUpdater, useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ShownMount } from "../data/types.js";
import { useMemory } from "../data/memory.js";
import { go } from "../data/route.js";
import { useIsOwner } from "../data/session.js";
import { accessWords, scopeWords } from "../parts/format.js";
import { Empty, Pending } from "../parts/parts.js";
import { Name } from "../parts/shown.js";
import { createRows, type TreeRow, useDirectories } from "./directories.js";

/** Number of rows that Page Up and Page Down move. */
const pageRows = 15;

interface FileTreeProps {
  /** The open directories. They stay open when another point in time is shown. */
  expanded: ReadonlySet<string>;
  setExpanded: Dispatch<StateUpdater<ReadonlySet<string>>>;
}

/** Shows the tree with its open directories. Loads a page of each directory at a time. */
export function FileTree({ expanded, setExpanded }: FileTreeProps): VNode {
  const { query, href } = useMemory();
  const { path: selected, at } = query;
  const isOwner = useIsOwner();
  const { directories, open, more, error } = useDirectories();
  const element = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState(0);
  const rows = useMemo(() => createRows(directories, expanded), [directories, expanded]);
  useEffect(() => {
    setExpanded((old) => new Set([...old, ...listParents(selected ?? "/")]));
  }, [selected]);
  useEffect(() => open(["/", ...expanded]), [expanded]);
  useEffect(() => {
    const index = rows.findIndex(({ path }) => path === selected);
    if (index !== -1) setActive(index);
  }, [selected, rows.length > 0]);
  useEffect(() => {
    element.current?.querySelector(".active")?.scrollIntoView({ block: "nearest" });
  }, [active]);
  const root = directories.get("/");
  if (error !== null || root === undefined) return <Pending error={error} />;
  if (rows.length === 0)
    return <Empty title="No files">Nothing is stored {at === undefined ? "yet" : "at this moment"}.</Empty>;
  const toggle = (path: string): void =>
    setExpanded((old) => (old.has(path) ? new Set([...old].filter((each) => each !== path)) : new Set([...old, path])));
  const choose = ({ kind, path, parent }: TreeRow): void => {
    if (kind === "dir") toggle(path);
    else if (kind === "more") more(parent);
    else go(href({ path, ...(at !== undefined && { at }) }));
  };
  const press = (event: KeyboardEvent): void => {
    const row = rows[active];
    if (row === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    const isOpen = expanded.has(row.path);
    const moveTo = (index: number): void => setActive(Math.max(0, Math.min(index, rows.length - 1)));
    const act = {
      ArrowDown: () => moveTo(active + 1),
      ArrowUp: () => moveTo(active - 1),
      Home: () => moveTo(0),
      End: () => moveTo(rows.length - 1),
      PageDown: () => moveTo(active + pageRows),
      PageUp: () => moveTo(active - pageRows),
      ArrowRight: () => (row.kind === "dir" && !isOpen ? toggle(row.path) : moveTo(active + 1)),
      ArrowLeft: () => (isOpen ? toggle(row.path) : moveTo(rows.findIndex(({ path }) => path === row.parent))),
      Enter: () => choose(row),
      " ": () => choose(row),
    }[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  };
  const render = (row: TreeRow, index: number): VNode => {
    const isOpen = row.kind === "dir" ? expanded.has(row.path) : undefined;
    return (
      <div
        key={row.path}
        id={`tree-${index}`}
        role="treeitem"
        class={`tree-row ${index === active ? "active" : ""}`}
        aria-level={row.level}
        aria-posinset={row.index + 1}
        aria-setsize={row.total}
        aria-selected={row.path === selected}
        aria-expanded={isOpen}
        style={{ paddingLeft: `${8 + (row.level - 1) * 16}px` }}
        onClick={() => {
          setActive(index);
          choose(row);
        }}
      >
        <span class={`icon ${row.kind} ${isOpen === true ? "open" : ""}`} aria-hidden="true" />
        <Name text={row.name} />
        {row.mount !== undefined && <MountMark mount={row.mount} />}
        {row.access !== undefined && <span class="mount">{accessWords[row.access]}</span>}
      </div>
    );
  };
  return (
    <>
      <div
        ref={element}
        class="tree"
        role="tree"
        aria-label="Files"
        tabIndex={0}
        aria-activedescendant={`tree-${active}`}
        onKeyDown={press}
      >
        {rows.map(render)}
      </div>
      {root.rights !== "" && (
        <details class="rights">
          <summary>{isOwner ? "What assistants may change" : "Rights of agents"}</summary>
          <Name text={root.rights} />
        </details>
      )}
    </>
  );
}

/** Shows the owner of the mounted memory, and the access to it. */
function MountMark({ mount: { address, access, description } }: { mount: ShownMount }): VNode {
  return (
    <span class="mount" title={description ?? undefined}>
      {address !== null && (
        <>
          {address.scope === "global" ? "" : `${scopeWords[address.scope]} `}
          <Name text={address.nodeId} /> ·{" "}
        </>
      )}
      {accessWords[access]}
    </span>
  );
}

function listParents(path: string): string[] {
  const names = path.split("/").slice(1, -1);
  return names.map((_, index) => `/${names.slice(0, index + 1).join("/")}`);
}
