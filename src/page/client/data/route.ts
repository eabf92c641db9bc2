import { useEffect, useRef, useState } from "preact/hooks";
import { confirmLeaving } from "./drafts.js";
import type { Address } from "./types.js";

/**
 * The shown view of the page. It is stored in the part of the address after `#`, so that any server can mount the page.
 */
export type View =
  | { name: "memories"; query: Query }
  | { name: "inbox"; query: Query }
  | { name: "memory"; address: Address; query: Query };

export type Query = Record<string, string>;

/** Returns the view of an address. An unknown address shows the list of memories. */
export function parseView(hash: string): View {
  const [path = "", search = ""] = hash.replace(/^#/, "").split(/\?(.*)/s);
  const query = Object.fromEntries(new URLSearchParams(search));
  if (path === "/inbox") return { name: "inbox", query };
  const address = readAddress(query);
  if (path !== "/memory" || address === null) return { name: "memories", query };
  const { nodeId: _nodeId, scope: _scope, threadId: _threadId, userId: _userId, ...rest } = query;
  return { name: "memory", address, query: rest };
}

/** Returns the memory that a query names. Null if it names none. */
export function readAddress({ nodeId, scope, threadId, userId }: Query): Address | null {
  if (nodeId === undefined) return null;
  return {
    nodeId,
    scope: scope === "perThread" || scope === "perUser" ? scope : "global",
    ...(threadId !== undefined && { threadId }),
    ...(userId !== undefined && { userId }),
  };
}

const filterNames = ["scope", "nodeId", "threadId", "userId", "named"];

/** Returns the fields of a query that select memories. */
export function getFilter(query: Query): Query {
  return Object.fromEntries(
    Object.entries(query).filter(([name, value]) => filterNames.includes(name) && value !== ""),
  );
}

export function inboxHref(query: Query = {}): string {
  return createHref("/inbox", query);
}

export function memoriesHref(query: Query = {}): string {
  return createHref("/", query);
}

export function memoryHref(address: Address, query: Query = {}): string {
  return createHref("/memory", { ...address, ...query });
}

export function go(href: string): void {
  location.hash = href;
}

/** Changes the address without a new entry in the browser's history. */
export function replace(href: string): void {
  history.replaceState(null, "", href);
  dispatchEvent(new HashChangeEvent("hashchange"));
}

export function useView(): View {
  const [hash, setHash] = useState(location.hash);
  const shown = useRef(location.hash);
  useEffect(() => {
    const follow = (): void => {
      if (location.hash !== shown.current && !confirmLeaving()) {
        history.replaceState(null, "", shown.current);
        return;
      }
      shown.current = location.hash;
      setHash(location.hash);
    };
    addEventListener("hashchange", follow);
    // The address may have changed before this effect ran.
    follow();
    return () => removeEventListener("hashchange", follow);
  }, []);
  return parseView(hash);
}

function createHref(path: string, query: Query): string {
  const given = Object.entries(query).filter(([, value]) => value !== "");
  return `#${path}${given.length === 0 ? "" : `?${new URLSearchParams(given)}`}`;
}
