import { useEffect, useRef, useState } from "preact/hooks";
import type { Answers } from "../../answers.js";
import { type ApiError, get } from "../data/api.js";
import { useMemory } from "../data/memory.js";
import type { Entry } from "../data/types.js";
import { load } from "../data/use-data.js";

/** A few screens of rows. */
const pageSize = 250;

/** The loaded part of a directory. */
interface Directory {
  total: number;
  rights: string;
  pages: readonly (readonly Entry[])[];
}

export type Directories = ReadonlyMap<string, Directory>;

interface LoadedDirectories {
  directories: Directories;
  /** Loads the first pages of directories, once. */
  open: (paths: readonly string[]) => void;
  /** Loads the next page of a directory. */
  more: (path: string) => void;
  error: ApiError | null;
}

const missing: Directory = { total: 0, rights: "", pages: [] };

/** Loads the tree, and loads it again after each change of the memory. */
export function useDirectories(): LoadedDirectories {
  const { address, query, version } = useMemory();
  const [directories, setDirectories] = useState<Directories>(new Map());
  const [error, setError] = useState<ApiError | null>(null);
  /** How many pages of each directory are requested. */
  const requested = useRef(new Map<string, number>());
  const request = (path: string, page: number): void => {
    const show = ({ entries, total, rights }: Answers["tree"]): void => {
      setError(null);
      setDirectories((old) => {
        const pages = [...(old.get(path)?.pages ?? [])];
        pages[page] = entries;
        return new Map(old).set(path, { total, rights, pages });
      });
    };
    const fail = (failure: ApiError): void => {
      // A directory that was deleted meanwhile is empty. The page of its parent no longer shows it.
      if (path === "/") setError(failure);
      else setDirectories((old) => new Map(old).set(path, missing));
    };
    const { at } = query;
    const position = { path, offset: String(page * pageSize), limit: String(pageSize) };
    load((signal) => get("tree", { ...address, ...position, ...(at !== undefined && { at }) }, signal), show, fail);
  };
  const more = (path: string): void => {
    const page = requested.current.get(path) ?? 0;
    requested.current.set(path, page + 1);
    request(path, page);
  };
  const open = (paths: readonly string[]): void => {
    for (const path of paths) if (!requested.current.has(path)) more(path);
  };
  useEffect(() => {
    // The shown rows stay until the answers arrive.
    for (const [path, count] of requested.current) for (let page = 0; page < count; page += 1) request(path, page);
  }, [version]);
  return { directories, open, more, error };
}

export interface TreeRow {
  path: string;
  name: string;
  /** "more" stands for the entries of the directory that are not loaded. */
  kind: Entry["kind"] | "more";
  mount?: Entry["mount"];
  /** Only if it differs from that of the directory. */
  access?: Entry["access"];
  level: number;
  /** Position in the directory. */
  index: number;
  /** Number of entries in the directory. */
  total: number;
  parent: string;
}

/** Lists the rows of the tree, including everything below the open directories. */
export function createRows(directories: Directories, expanded: ReadonlySet<string>): TreeRow[] {
  const rows: TreeRow[] = [];
  const add = (parent: string, level: number): void => {
    const { total, pages } = directories.get(parent) ?? missing;
    const prefix = parent === "/" ? "/" : `${parent}/`;
    const entries = pages.flat();
    for (const [index, entry] of entries.entries()) {
      const path = prefix + entry.name;
      rows.push({ ...entry, path, level, index, total, parent });
      if (entry.kind === "dir" && expanded.has(path)) add(path, level + 1);
    }
    if (entries.length > 0 && entries.length < total) {
      const name = `Show more of ${total.toLocaleString("en")}`;
      rows.push({ path: `${prefix}\0`, name, kind: "more", level, index: entries.length, total, parent });
    }
  };
  add("/", 1);
  return rows;
}
