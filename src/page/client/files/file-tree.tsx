import type { VNode } from "preact";
import { type Dispatch, type StateUpdater, useEffect, useRef } from "preact/hooks";
import { useMemory } from "../data/memory.js";
import { useIsOwner } from "../data/session.js";
import type { Entry } from "../data/types.js";
import { usePages } from "../data/use-data.js";
import { accessWords, numberText, scopeWords } from "../parts/format.js";
import { Empty, MoreButton, Pending } from "../parts/parts.js";
import { Name } from "../parts/shown.js";

interface FileTreeProps {
  /** The open directories. They stay open when another point in time is shown. */
  expanded: ReadonlySet<string>;
  setExpanded: Dispatch<StateUpdater<ReadonlySet<string>>>;
}

/** Shows the tree with its open directories, among them those of the selected file. */
export function FileTree({ expanded, setExpanded }: FileTreeProps): VNode {
  const { path = "/" } = useMemory().query;
  useEffect(() => setExpanded((old) => new Set([...old, ...listParents(path)])), [path]);
  const toggle = (directory: string, isOpen: boolean): void =>
    setExpanded((old) => {
      const others = [...old].filter((each) => each !== directory);
      return new Set(isOpen ? [...others, directory] : others);
    });
  return <Directory path="/" expanded={expanded} toggle={toggle} />;
}

interface DirectoryProps {
  path: string;
  expanded: ReadonlySet<string>;
  toggle: (path: string, isOpen: boolean) => void;
}

function Directory({ path, expanded, toggle }: DirectoryProps): VNode {
  const { address, query, version, href } = useMemory();
  const moment = query["at"] === undefined ? {} : { at: query["at"] };
  const { pages, error, more } = usePages("tree", { ...address, path, ...moment }, "offset", version);
  const [first] = pages;
  if (first === undefined) return <Pending error={error} />;
  if (path === "/" && first.total === 0)
    return <Empty title="No files">Nothing is stored {query["at"] === undefined ? "yet" : "at this moment"}.</Empty>;
  const rows = pages
    .flatMap(({ entries }) => entries)
    .map((entry) => ({
      entry,
      entryPath: `${path === "/" ? "" : path}/${entry.name}`,
    }));
  return (
    <div class={path === "/" ? "tree" : "subtree"}>
      <ul aria-label={path === "/" ? "Files" : undefined}>
        {rows.map(({ entry, entryPath }) => (
          <li key={entry.name}>
            {entry.kind === "file" ? (
              <FileRow
                entry={entry}
                href={href({ path: entryPath, ...moment })}
                isSelected={entryPath === query["path"]}
              />
            ) : (
              <details
                open={expanded.has(entryPath)}
                onToggle={({ currentTarget }) => toggle(entryPath, currentTarget.open)}
              >
                <summary class="tree-row">
                  <EntryName entry={entry} />
                </summary>
                {expanded.has(entryPath) && <Directory path={entryPath} expanded={expanded} toggle={toggle} />}
              </details>
            )}
          </li>
        ))}
      </ul>
      {more !== null && <MoreButton words={`Show more of ${numberText(first.total)}`} more={more} />}
      {first.rights !== "" && <Rights words={first.rights} />}
    </div>
  );
}

function FileRow({ entry, href, isSelected }: { entry: Entry; href: string; isSelected: boolean }): VNode {
  const element = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (isSelected) element.current?.scrollIntoView({ block: "nearest" });
  }, [isSelected]);
  return (
    <a ref={element} class="tree-row" href={href} aria-current={isSelected ? "true" : undefined}>
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

function listParents(path: string): string[] {
  const names = path.split("/").slice(1, -1);
  return names.map((_, index) => `/${names.slice(0, index + 1).join("/")}`);
}
