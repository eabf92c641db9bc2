import { errorOnPaths } from "../values/error-paths.js";
import { hasCode, MemoryError } from "../values/errors.js";
import {
  keepsNoHistory,
  type BlamedLine,
  type MemoryHistory,
  type MemoryVersion,
  type RedactedPath,
  type RedactedText,
  type RevertTarget,
  type TextOccurrences,
  type VersionFilter,
} from "../history/history.js";
import { checkRedaction, getReadableDiff } from "../history/optional-methods.js";
import { ROOT } from "../values/paths.js";
import { compareCodeUnits, comparePaths } from "../values/text.js";
import type { MountTable } from "./mount-table.js";
import type { Mount } from "./mounts.js";
import type { MemorySnapshot } from "../tree/snapshot.js";
import { checkVersionId } from "../history/version-id.js";

const versionSource = /^version:/;

/**
 * The histories of the memories of a tree. The id of a version is its id in the memory with the mount point before it:
 * `/team:12`. Versions of several memories are ordered by time.
 */
export class MountedHistory implements MemoryHistory {
  readonly #table: MountTable;

  constructor(table: MountTable) {
    this.#table = table;
  }

  get #mountsWithHistory(): Mount[] {
    return this.#table.mounts.filter(({ memory }) => memory.history !== null);
  }

  list(filter: VersionFilter = {}): AsyncIterable<MemoryVersion> {
    const { path, limit = Infinity, sources, ...others } = filter;
    const target = path === undefined ? ROOT : this.#table.normalize(path, true);
    const lists = this.#table.locateAll(target).map((location) =>
      this.#list(location.mount, {
        ...others,
        ...(sources && { sources: sources.flatMap((source) => this.#toLocalSource(location.mount, source) ?? []) }),
        ...(location.path !== ROOT && { path: location.path }),
      }),
    );
    return mergeByTime(lists, limit);
  }

  async read(id: string): Promise<MemoryVersion & { content: string | null }> {
    const { mount, localId } = this.#findVersion(id);
    const version = await this.#run(mount, (history) => history.read(localId));
    return { ...this.#toTree(mount, version), content: version.content };
  }

  /**
   * For a version, returns only the tree of the memory that has the version. For a time, returns the trees of all
   * memories.
   */
  async at(when: string | Date): Promise<MemorySnapshot> {
    if (typeof when === "string") {
      const { mount, localId } = this.#findVersion(when);
      return this.#at(mount, localId);
    }
    const trees: MemorySnapshot[] = [];
    for (const mount of this.#mountsWithHistory) trees.push(await this.#at(mount, when));
    return {
      files: trees.flatMap(({ files }) => files).toSorted(comparePaths),
      directories: [...new Set(trees.flatMap(({ directories }) => directories))].toSorted(compareCodeUnits),
      revision: null,
    };
  }

  async #at(mount: Mount, when: string | Date): Promise<MemorySnapshot> {
    const { files, directories } = await this.#run(mount, (history) => history.at(when));
    return {
      files: this.#table.toTreeItems(mount, files),
      directories: directories.flatMap((path) => this.#table.toTreePath(mount, path) ?? []),
      revision: null,
    };
  }

  async diff(from: string, to?: string): Promise<string> {
    return this.#compare(from, to, (history, ...ids) => history.diff(...ids));
  }

  async readableDiff(from: string, to?: string): Promise<string> {
    return this.#compare(from, to, getReadableDiff);
  }

  async #compare(from: string, to: string | undefined, compare: typeof getReadableDiff): Promise<string> {
    const { mount, localId } = this.#findVersion(from);
    const other = to === undefined ? undefined : this.#findVersion(to);
    if (to !== undefined && other?.mount !== mount) throw differentMemories(from, to);
    return this.#run(mount, (history) => compare(history, localId, other?.localId));
  }

  async blame(path: string): Promise<BlamedLine[]> {
    const { mount, path: local } = this.#table.locate(this.#table.normalize(path, true));
    const lines = await this.#run(mount, (history) => history.blame(local));
    return lines.map((line) => ({ ...line, version: line.version && this.#toTree(mount, line.version) }));
  }

  /** Reverts in each memory in one step. */
  async revert(what: RevertTarget, options?: { force?: boolean }): Promise<MemoryVersion[]> {
    if (typeof what !== "object" || what === null || !("path" in what)) return this.#revertInEach(what, options);
    const location = this.#table.locate(this.#table.normalize(what.path, true));
    // First, because a path without history has no version either.
    getHistory(location.mount);
    const { mount, localId } = this.#findVersion(what.to);
    if (location.mount !== mount) throw differentMemories(what.path, what.to);
    const local = { ...what, path: location.path, to: localId };
    const versions = await this.#run(mount, (history) => history.revert(local, options));
    return versions.map((version) => this.#toTree(mount, version));
  }

  async findText(text: string): Promise<TextOccurrences> {
    const found: TextOccurrences = { versions: [], proposals: [], files: [] };
    for (const mount of this.#mountsWithHistory) {
      const { versions, proposals, files } = await this.#run(mount, (history) => history.findText(text));
      found.versions.push(...versions.map((version) => this.#toTree(mount, version)));
      found.proposals.push(...proposals);
      found.files.push(...files.flatMap((path) => this.#table.toTreePath(mount, path) ?? []));
    }
    return { ...found, versions: found.versions.toSorted((a, b) => b.at.getTime() - a.at.getTime()) };
  }

  async redact(what: RedactedText | RedactedPath): Promise<number> {
    let count = 0;
    for (const [mount, own] of await this.#findRedactions(what))
      count += await this.#run(mount, (history) => history.redact(own));
    return count;
  }

  async checkRedaction(what: RedactedText | RedactedPath): Promise<boolean> {
    return (await this.#findRedactions(what)).length > 0;
  }

  /**
   * Finds the memories that have anything to redact. Checks all of them first: a memory that may not be changed stops
   * the redaction before the first change. @throws the errors of `redact` of a memory
   */
  async #findRedactions(what: RedactedText | RedactedPath): Promise<[Mount, RedactedText | RedactedPath][]> {
    const found: [Mount, RedactedText | RedactedPath][] = [];
    for (const [mount, own] of this.#splitByMount(what))
      if (await this.#run(mount, (history) => checkRedaction(history, own))) found.push([mount, own]);
    return found;
  }

  #splitByMount(what: RedactedText | RedactedPath): [Mount, RedactedText | RedactedPath][] {
    if (!("path" in what)) return this.#mountsWithHistory.map((mount) => [mount, what]);
    const { mount, path } = this.#table.locate(this.#table.normalize(what.path));
    return [[mount, { ...what, path }]];
  }

  /** @throws ENOENT if no memory has a version of the run or tool call */
  async #revertInEach(what: RevertTarget, options?: { force?: boolean }): Promise<MemoryVersion[]> {
    const reverted: MemoryVersion[][] = [];
    let missing: MemoryError | null = null;
    for (const mount of this.#mountsWithHistory) {
      try {
        const versions = await this.#run(mount, (history) => history.revert(what, options));
        reverted.push(versions.map((version) => this.#toTree(mount, version)));
      } catch (error) {
        if (!hasCode(error, "ENOENT")) throw error;
        missing = error;
      }
    }
    if (reverted.length === 0 && missing !== null) throw missing;
    return reverted.flat();
  }

  /** @throws MemoryError EINVAL */
  #findVersion(id: string): { mount: Mount; localId: string } {
    checkVersionId(id);
    const { mounts, root } = this.#table;
    const mounted = mounts.find(({ point }) => point !== ROOT && id.startsWith(`${point}:`));
    const mount = mounted ?? root;
    getHistory(mount);
    return { mount, localId: mounted === undefined ? id : id.slice(mounted.point.length + 1) };
  }

  #run<R>(mount: Mount, run: (history: MemoryHistory) => Promise<R>): Promise<R> {
    return this.#table.run(mount, async () => run(getHistory(mount)));
  }

  #toTree(mount: Mount, version: MemoryVersion): MemoryVersion {
    const { id, path, from, sources } = version;
    const prefix = mount.point === ROOT ? "" : `${mount.point}:`;
    return {
      ...version,
      id: prefix + id,
      ...(sources && { sources: sources.map((source) => source.replace(versionSource, (kind) => kind + prefix)) }),
      path: path === "" ? "" : (this.#table.toTreePath(mount, path) ?? ""),
      ...(from !== undefined && { from: this.#table.toTreePath(mount, from) ?? "" }),
    };
  }

  /** Returns null for a version of another memory. */
  #toLocalSource(mount: Mount, source: string): string | null {
    if (!versionSource.test(source)) return source;
    const version = this.#findVersion(source.replace(versionSource, ""));
    return version.mount === mount ? `version:${version.localId}` : null;
  }

  async *#list(mount: Mount, filter: VersionFilter): AsyncGenerator<MemoryVersion> {
    const { history } = mount.memory;
    if (history === null) return;
    const versions = history.list(filter)[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = await this.#table.run(mount, () => versions.next());
        if (next.done === true) return;
        const version = next.value;
        if (version.path === "" || this.#table.toTreePath(mount, version.path) !== null)
          yield this.#toTree(mount, version);
      }
    } finally {
      await versions.return?.();
    }
  }
}

/** @throws MemoryError EINVAL */
function getHistory({ point, memory }: Mount): MemoryHistory {
  if (memory.history === null)
    throw errorOnPaths("EINVAL", (place) => `the memory at ${place(point)} ${keepsNoHistory}`);
  return memory.history;
}

function differentMemories(one: string, other: string): MemoryError {
  return new MemoryError("EXDEV", `EXDEV: ${one} and ${other} belong to two memories`);
}

/** Merges lists of versions. Each list has the newest version first. */
async function* mergeByTime(
  lists: readonly AsyncIterable<MemoryVersion>[],
  limit: number,
): AsyncGenerator<MemoryVersion> {
  const iterators = lists.map((list) => list[Symbol.asyncIterator]());
  try {
    const heads = await Promise.all(iterators.map(async (iterator) => ({ iterator, result: await iterator.next() })));
    for (let count = 0; count < limit; count += 1) {
      const open = heads.flatMap((head) => (head.result.done === true ? [] : { head, version: head.result.value }));
      const [newest] = open.toSorted((a, b) => b.version.at.getTime() - a.version.at.getTime());
      if (newest === undefined) return;
      yield newest.version;
      newest.head.result = await newest.head.iterator.next();
    }
  } finally {
    await Promise.all(iterators.map(async (iterator) => iterator.return?.()));
  }
}
