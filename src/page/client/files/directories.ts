import { useEffect, useRef, useState } from "preact/hooks";
import type { Answers } from "../../answers.js";
import type { Access, Mount } from "../data/types.js";
import { type ApiError, get } from "../data/api.js";
import { useMemory } from "../data/memory.js";
import { load } from "../data/use-data.js";

/** A few screens of rows. */
const pageSize = 250;

/** The loaded part of a directory: pages by number. */
interface Directory {
  total: number;
  rights: string;
  pages: ReadonlyMap<number, Answers["tree"]["entries"]>;
}

export type Directories = ReadonlyMap<string, Directory>;

interface LoadedDirectories {
  directories: Directories;
  /** Loads, once, the page that contains this entry of a directory. */
  loadAt: (path: string, index: number) => void;
  error: ApiError | null;
}

const missing: Directory = { total: 0, rights: "", pages: new Map() };

/** Loads the tree, and loads it again after each change of the memory. */
export function useDirectories(): LoadedDirectories {
  const { address, query, version } = useMemory();
  const [directories, setDirectories] = useState<Directories>(new Map());
  const [error, setError] = useState<ApiError | null>(null);
  const requested = useRef(new Map<string, [path: string, page: number]>());
  const request = (path: string, page: number): void => {
    const show = ({ entries, total, rights }: Answers["tree"]): void => {
      setError(null);
      setDirectories((old) => {
        const pages = new Map(old.get(path)?.pages).set(page, entries);
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
    const entries = { ...address, ...position, ...(at !== undefined && { at }) };
    load((signal) => get("tree", entries, signal), show, fail);
  };
  const loadAt = (path: string, index: number): void => {
    const page = Math.floor(index / pageSize);
    const key = `${page} ${path}`;
    if (requested.current.has(key)) return;
    requested.current.set(key, [path, page]);
    request(path, page);
  };
  useEffect(() => {
    // The shown rows stay until the answers arrive.
    for (const [path, page] of requested.current.values()) request(path, page);
  }, [version]);
  return { directories, loadAt, error };
}

export interface TreeRow {
  path: string;
  name: string;
  /** Undefined until the entry's page is loaded. */
  kind?: "file" | "dir";
  mount?: Mount | undefined;
  /** Only if it differs from that of the directory. */
  access?: Access | undefined;
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
    for (let index = 0; index < total; index += 1) {
      const entry = pages.get(Math.floor(index / pageSize))?.[index % pageSize];
      const { name = "…", kind, mount, access } = entry ?? {};
      const path = entry === undefined ? `${prefix}\0${index}` : prefix + name;
      rows.push({ path, name, ...(kind && { kind }), mount, access, level, index, total, parent });
      if (kind === "dir" && expanded.has(path)) add(path, level + 1);
    }
  };
  add("/", 1);
  return rows;
}
