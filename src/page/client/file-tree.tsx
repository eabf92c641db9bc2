import type { VNode } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { WireAddress, WireEntries, WireMount } from "../wire.js";
import { asApiError, type ApiError, get } from "./api.js";
import { accessWords, scopeWords } from "./format.js";
import { Empty, Fault, Loading } from "./parts.js";
import { fieldsOf, go } from "./route.js";
import { Name } from "./shown.js";
import { VirtualList } from "./virtual-list.js";

const rowPx = 28;
/** Some screens of rows. */
const pageSize = 250;

/** What is loaded of a directory: pages by their number. */
interface Directory {
  total: number;
  rights: string;
  pages: Map<number, WireEntries["entries"]>;
}

interface TreeRow {
  path: string;
  name: string;
  /** Missing until its page is loaded. */
  kind?: "file" | "dir";
  mount?: WireMount | undefined;
  level: number;
  index: number;
  total: number;
  parent: string;
}

interface FileTreeProps {
  address: WireAddress;
  /** Another after each change. */
  version: string;
  at: string | undefined;
  selected: string | undefined;
  open: (path: string) => string;
}

/** The directories that are open, a page of each at a time, and of those the rows on the screen. */
export function FileTree({ address, version, at, selected, open }: FileTreeProps): VNode {
  const { directories, load, error } = useDirectories(address, version, at);
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(
    () => new Set(selected === undefined ? [] : parentsOf(selected)),
  );
  const [active, setActive] = useState(0);
  const rows = useMemo(() => rowsOf(directories, expanded), [directories, expanded]);
  useEffect(() => {
    if (selected !== undefined) setExpanded((old) => new Set([...old, ...parentsOf(selected)]));
  }, [selected]);
  useEffect(() => {
    for (const path of ["/", ...expanded]) if (!directories.has(path)) load(path, 0);
  }, [expanded, directories]);
  useEffect(() => {
    const place = rows.findIndex(({ path }) => path === selected);
    if (place !== -1) setActive(place);
  }, [selected, rows.length > 0]);
  if (error !== null) return <Fault error={error} />;
  if (!directories.has("/")) return <Loading />;
  if (rows.length === 0)
    return <Empty title="No files">Nothing is stored {at === undefined ? "yet" : "at this moment"}.</Empty>;
  const toggle = (path: string, isOpen: boolean): void =>
    setExpanded((old) => new Set(isOpen ? [...old, path] : [...old].filter((each) => each !== path)));
  const choose = (row: TreeRow): void => {
    if (row.kind === "dir") toggle(row.path, !expanded.has(row.path));
    else if (row.kind === "file") go(open(row.path));
  };
  const move = (event: KeyboardEvent): void => {
    const row = rows[active];
    if (row === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    const isOpen = expanded.has(row.path);
    const act = {
      ArrowDown: () => setActive(Math.min(active + 1, rows.length - 1)),
      ArrowUp: () => setActive(Math.max(active - 1, 0)),
      Home: () => setActive(0),
      End: () => setActive(rows.length - 1),
      PageDown: () => setActive(Math.min(active + 15, rows.length - 1)),
      PageUp: () => setActive(Math.max(active - 15, 0)),
      ArrowRight: () =>
        row.kind === "dir" && !isOpen ? toggle(row.path, true) : setActive(Math.min(active + 1, rows.length - 1)),
      ArrowLeft: () =>
        isOpen
          ? toggle(row.path, false)
          : setActive(
              Math.max(
                0,
                rows.findIndex(({ path }) => path === row.parent),
              ),
            ),
      Enter: () => choose(row),
      " ": () => choose(row),
    }[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  };
  const render = (index: number): VNode | null => {
    const row = rows[index];
    if (row === undefined) return null;
    if (row.kind === undefined) load(row.parent, Math.floor(row.index / pageSize));
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
        <span class={`icon ${row.kind ?? "file"} ${isOpen === true ? "open" : ""}`} aria-hidden="true" />
        <Name text={row.name} />
        {row.mount !== undefined && <MountMark mount={row.mount} />}
      </div>
    );
  };
  const rights = directories.get("/")?.rights ?? "";
  const list = (
    <VirtualList
      class="tree"
      role="tree"
      aria-label="Files"
      tabIndex={0}
      aria-activedescendant={`tree-${active}`}
      count={rows.length}
      rowPx={rowPx}
      active={active}
      onKeyDown={move}
      render={render}
    />
  );
  return (
    <>
      {list}
      {rights !== "" && (
        <p class="rights">
          <Name text={rights} />
        </p>
      )}
    </>
  );
}

/** Whose memory is mounted there, and what may be done in it. */
function MountMark({ mount: { address, access, description } }: { mount: WireMount }): VNode {
  return (
    <span class="mount" title={description ?? undefined}>
      {address.scope === "global" ? "" : `${scopeWords[address.scope]} `}
      <Name text={address.nodeId} /> · {accessWords[access]}
    </span>
  );
}

function useDirectories(
  address: WireAddress,
  version: string,
  at: string | undefined,
): { directories: ReadonlyMap<string, Directory>; load: (path: string, page: number) => void; error: ApiError | null } {
  const [state, setState] = useState<{
    at: string | undefined;
    directories: ReadonlyMap<string, Directory>;
    error: ApiError | null;
  }>({ at, directories: new Map(), error: null });
  const asked = useRef(new Set<string>());
  const load = (path: string, page: number, isAgain = false): void => {
    const key = `${at ?? ""} ${page} ${path}`;
    if (asked.current.has(key) && !isAgain) return;
    asked.current.add(key);
    get<WireEntries>("tree", {
      ...fieldsOf(address),
      path,
      offset: String(page * pageSize),
      limit: String(pageSize),
      ...(at !== undefined && { at }),
    }).then(
      ({ entries, total, rights }) =>
        setState((old) => {
          const known = old.at === at ? old.directories : new Map<string, Directory>();
          const directory: Directory = { total, rights, pages: new Map(known.get(path)?.pages).set(page, entries) };
          return { at, directories: new Map(known).set(path, directory), error: null };
        }),
      (failure: unknown) => {
        const error = asApiError(failure);
        // A directory that has gone meanwhile is empty; the page of its parent says so.
        if (path === "/") setState((old) => ({ ...old, at, error }));
        else
          setState((old) => ({
            ...old,
            directories: new Map(old.directories).set(path, { total: 0, rights: "", pages: new Map() }),
          }));
      },
    );
  };
  const loaded = state.at === at ? state.directories : new Map<string, Directory>();
  useEffect(() => {
    // What is shown stays until the answers are here.
    for (const [path, { pages }] of loaded.size === 0 ? [["/", { pages: new Map([[0, []]]) }] as const] : loaded)
      for (const page of pages.keys()) load(path, page, true);
  }, [version]);
  return { directories: loaded, load, error: state.at === at ? state.error : null };
}

function rowsOf(directories: ReadonlyMap<string, Directory>, expanded: ReadonlySet<string>): TreeRow[] {
  const rows: TreeRow[] = [];
  const add = (parent: string, level: number): void => {
    const directory = directories.get(parent);
    if (directory === undefined) return;
    const prefix = parent === "/" ? "/" : `${parent}/`;
    for (let index = 0; index < directory.total; index += 1) {
      const entry = directory.pages.get(Math.floor(index / pageSize))?.[index % pageSize];
      const place = { level, index, total: directory.total, parent };
      if (entry === undefined) {
        rows.push({ ...place, path: `${prefix}\0${index}`, name: "…" });
        continue;
      }
      const path = prefix + entry.name;
      rows.push({ ...place, path, name: entry.name, kind: entry.kind, mount: entry.mount });
      if (entry.kind === "dir" && expanded.has(path)) add(path, level + 1);
    }
  };
  add("/", 1);
  return rows;
}

function parentsOf(path: string): string[] {
  const names = path.split("/").slice(1, -1);
  return names.map((_, index) => `/${names.slice(0, index + 1).join("/")}`);
}
