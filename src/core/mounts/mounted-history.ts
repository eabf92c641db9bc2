import { invalid, MemoryError } from "../values/errors.js";
import type { BlamedLine, MemoryHistory, MemoryVersion, RevertTarget, VersionFilter } from "../history/history.js";
import type { Memory } from "../memory.js";
import { ROOT } from "../values/paths.js";
import type { MemorySnapshot } from "../tree/snapshot.js";
import { checkVersionIdIsText } from "../history/version-id.js";

/** A memory in a tree, as its history needs it. */
export interface MountedPart {
  point: string;
  memory: Memory;
  /** A path of the memory in the tree; null where another memory hides it. */
  pathInTree: (path: string) => string | null;
  /** Runs a call; its errors tell the path in the tree. */
  told: <T>(answer: Promise<T>) => Promise<T>;
}

/** How a tree of memories finds them. */
export interface MountedParts {
  all: readonly MountedPart[];
  /** The memory of a path, and the path in it. @throws MemoryError EINVAL */
  at: (path: string) => { part: MountedPart; path: string };
  /** The memories at or below a path. */
  below: (path: string) => readonly MountedPart[];
}

/**
 * The histories of the memories of a tree. An id is that of the memory, with the mount point before it: `/team:12`.
 * Versions of several memories are in the order of their times.
 */
export class MountedHistory implements MemoryHistory {
  readonly #parts: MountedParts;

  constructor(parts: MountedParts) {
    this.#parts = parts;
  }

  list(filter: VersionFilter = {}): AsyncIterable<MemoryVersion> {
    const { path, limit = Infinity, ...others } = filter;
    if (path === undefined || path === "")
      return merged(
        this.#parts.all.map((part) => listOf(part, others)),
        limit,
      );
    const own = this.#parts.at(path);
    const further = this.#parts.below(path).filter((part) => part !== own.part);
    return merged(
      [listOf(own.part, { ...others, path: own.path }), ...further.map((part) => listOf(part, others))],
      limit,
    );
  }

  async read(id: string): Promise<MemoryVersion & { content: string | null }> {
    const { part, history, inner } = this.#find(id);
    const found = await part.told(history.read(inner));
    return { ...inTree(part, found), content: found.content };
  }

  /** The tree of the memory that the version is of, and of no other. */
  async at(id: string): Promise<MemorySnapshot> {
    const { part, history, inner } = this.#find(id);
    const { files, directories } = await part.told(history.at(inner));
    return {
      files: files.flatMap((file) => {
        const path = part.pathInTree(file.path);
        return path === null ? [] : [{ ...file, path }];
      }),
      directories: directories.flatMap((path) => part.pathInTree(path) ?? []),
      revision: null,
    };
  }

  async diff(from: string, to?: string): Promise<string> {
    const { part, history, inner } = this.#find(from);
    if (to === undefined) return part.told(history.diff(inner));
    const other = this.#find(to);
    if (other.part !== part) throw ofAnother(from, to);
    return part.told(history.diff(inner, other.inner));
  }

  async blame(path: string): Promise<BlamedLine[]> {
    const { part, path: inner } = this.#parts.at(path);
    const lines = await part.told(historyOf(part).blame(inner));
    return lines.map((line) => ({ ...line, version: line.version && inTree(part, line.version) }));
  }

  /** One step in each memory. */
  async revert(what: RevertTarget, options?: { force?: boolean }): Promise<MemoryVersion[]> {
    if (typeof what === "object" && what !== null && "path" in what) {
      const { part, history, inner } = this.#find(what.to);
      const place = this.#parts.at(what.path);
      if (place.part !== part) throw ofAnother(what.path, what.to);
      return (await part.told(history.revert({ ...what, path: place.path, to: inner }, options))).map((version) =>
        inTree(part, version),
      );
    }
    const made: MemoryVersion[] = [];
    let missing: MemoryError | null = null;
    let found = false;
    for (const part of this.#parts.all.filter(({ memory }) => memory.history !== null)) {
      try {
        made.push(...(await part.told(historyOf(part).revert(what, options))).map((version) => inTree(part, version)));
        found = true;
      } catch (error) {
        if (!MemoryError.isInstance(error) || error.code !== "ENOENT") throw error;
        missing = error;
      }
    }
    if (!found && missing !== null) throw missing;
    return made;
  }

  async redact(ids: string | readonly string[]): Promise<number> {
    const found = (typeof ids === "string" ? [ids] : ids).map((id) => this.#find(id));
    let count = 0;
    for (const part of new Set(found.map((each) => each.part))) {
      const own = found.filter((each) => each.part === part).map(({ inner }) => inner);
      count += await part.told(historyOf(part).redact(own));
    }
    return count;
  }

  /** @throws MemoryError EINVAL */
  #find(id: string): { part: MountedPart; history: MemoryHistory; inner: string } {
    checkVersionIdIsText(id);
    const mounted = this.#parts.all.find(({ point }) => point !== ROOT && id.startsWith(`${point}:`));
    const part = mounted ?? this.#parts.all.find(({ point }) => point === ROOT);
    if (part === undefined) throw invalid(`version ${id} is of no memory of this tree`);
    return { part, history: historyOf(part), inner: mounted === undefined ? id : id.slice(mounted.point.length + 1) };
  }
}

function historyOf({ point, memory }: MountedPart): MemoryHistory {
  if (memory.history !== null) return memory.history;
  throw invalid(`the memory at ${point} keeps no history`);
}

function ofAnother(one: string, other: string): MemoryError {
  return new MemoryError("EXDEV", `EXDEV: ${one} and ${other} are of two memories`);
}

function inTree(part: MountedPart, version: MemoryVersion): MemoryVersion {
  const { id, path, from } = version;
  return {
    ...version,
    id: part.point === ROOT ? id : `${part.point}:${id}`,
    path: path === "" ? "" : (part.pathInTree(path) ?? ""),
    ...(from !== undefined && { from: part.pathInTree(from) ?? "" }),
  };
}

async function* listOf(part: MountedPart, filter: VersionFilter): AsyncGenerator<MemoryVersion> {
  if (part.memory.history === null) return;
  const versions = part.memory.history.list(filter)[Symbol.asyncIterator]();
  for (;;) {
    const next = await part.told(versions.next());
    if (next.done === true) return;
    if (next.value.path === "" || part.pathInTree(next.value.path) !== null) yield inTree(part, next.value);
  }
}

async function* merged(lists: readonly AsyncIterable<MemoryVersion>[], limit: number): AsyncGenerator<MemoryVersion> {
  const iterators = lists.map((list) => list[Symbol.asyncIterator]());
  const heads = await Promise.all(iterators.map(async (iterator) => ({ iterator, result: await iterator.next() })));
  for (let count = 0; count < limit; count += 1) {
    const open = heads.filter(({ result }) => result.done !== true);
    const [first] = open.toSorted((a, b) => timeOf(b.result) - timeOf(a.result));
    if (first === undefined || first.result.done === true) return;
    yield first.result.value;
    first.result = await first.iterator.next();
  }
}

function timeOf({ value }: IteratorResult<MemoryVersion, unknown>): number {
  return (value as MemoryVersion).at.getTime();
}
