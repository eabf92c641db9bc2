import {
  bind,
  type BindableMemory,
  bindMemory,
  getInternals,
  internals,
  type MemoryBinding,
  type MemoryInternals,
} from "../bind-memory.js";
import type { CheckedPolicy } from "../access/policy.js";
import { getRights } from "../access/rights.js";
import type { MemoryHistory } from "../history/history.js";
import type {
  DeletedCounts,
  DeleteOptions,
  EditOptions,
  FileStat,
  MadeOnce,
  Memory,
  MemoryEntry,
  MemoryOutline,
  MemoryRights,
  MemorySnapshot,
  MemoryStat,
  OutlineOptions,
  WriteOptions,
} from "../memory.js";
import {
  checkGrep,
  checkSearch,
  type GrepMatch,
  type GrepOptions,
  maxGrepMatches,
  maxSearchHits,
  type SearchHit,
  type SearchOptions,
} from "../search/search-options.js";
import { mergeHits } from "../search/search-texts.js";
import type { MemoryUse } from "../memory-options.js";
import type { CheckedAddress } from "../values/address.js";
import { errorOnPath } from "../values/error-paths.js";
import { hasCode } from "../values/errors.js";
import { joinPaths, type PathRule, ROOT } from "../values/paths.js";
import { compareCodeUnits, comparePaths } from "../values/text.js";
import { getPathRule, MountTable } from "./mount-table.js";
import { mergeOutlines, type MountOutline, readOutline, readOutlines } from "./mounted-outlines.js";
import { combineRights, checkMounts, type Mount, type MountSettings, getTreeRights } from "./mounts.js";

/**
 * Puts several memories into one tree, like disks in a file system. The longest mount point that is a prefix of a path,
 * by whole names, decides which memory the path belongs to.
 *
 * Each change uses one memory, and is atomic there. `snapshot`, `outline`, `search` and `grep` read
 * each memory that they need, each at its own moment. The tree has no revision. Its history is that of the memory at "/".
 *
 * Mount points and the directories above them always exist. A mount hides what another memory has at its path. Mount
 * points and the directories above them cannot be renamed or replaced, and mount points cannot be deleted: EACCES.
 * Deleting a directory deletes the files of its own memory, also hidden ones, and does not touch the memories mounted
 * below. Renaming from one memory into another is EXDEV.
 *
 * @param mounts by mount point: 1 to 32 memories of any backend, which may be trees themselves. One must be at "/"
 * @throws TypeError for bad mount points, memories or settings
 */
export function mountMemories(mounts: Record<string, Memory | (MountSettings & { memory: Memory })>): Memory {
  return MountedMemory.create(checkMounts(mounts));
}

/** A tree of memories. Each verb says how it reaches the mounted memories. */
export class MountedMemory implements BindableMemory {
  readonly address: Readonly<CheckedAddress>;
  readonly paths: PathRule;
  readonly rights: MemoryRights | undefined;
  readonly proposals = null;
  readonly #table: MountTable;

  /** @param mounts checked: at least one, each at a point of its own. @throws TypeError as `bindMemory` */
  static create(mounts: readonly Mount[], binding: MemoryBinding = {}): MountedMemory {
    const bound = mounts.map((mount) => {
      const { access = "write", point } = mount;
      const own = access === "write" ? [] : [{ access, rules: [], mountPoint: point }];
      return bindMounted(mount, binding, own);
    });
    return new MountedMemory(new MountTable(bound), addRights(getTreeRights(mounts), binding));
  }

  private constructor(table: MountTable, rights: MemoryRights | undefined) {
    this.#table = table;
    this.address = table.root.memory.address;
    this.rights = rights;
    this.paths = getPathRule(table.mounts);
  }

  get history(): MemoryHistory | null {
    return this.#table.root.memory.history;
  }

  /** The mount at "/" is first. @internal */
  get mounts(): readonly Mount[] {
    const { root, mounts } = this.#table;
    return [root, ...mounts.filter((mount) => mount !== root)];
  }

  read(path: string): Promise<string> {
    return this.#onFile(path, (memory, local) => memory.read(local));
  }

  async list(path: string = ROOT): Promise<MemoryEntry[]> {
    const target = this.#table.normalize(path, true);
    const entries = await this.#onDirectory(target, [], (memory, local) => memory.list(local));
    const mounted = this.#table.namesIn(target);
    if (mounted.length === 0) return entries;
    const own = entries.filter(({ name }) => !mounted.includes(name));
    return [...own, ...mounted.map((name) => ({ name, kind: "dir" as const }))].toSorted((a, b) =>
      compareCodeUnits(a.name, b.name),
    );
  }

  async stat(path: string): Promise<MemoryStat | null> {
    const target = this.#table.normalize(path, true);
    const empty: MemoryStat = { kind: "dir", sizeBytes: 0, createdAt: null, updatedAt: null };
    const stat = await this.#onDirectory(target, empty, (memory, local) => memory.stat(local));
    return this.#table.directories.has(target) && stat?.kind !== "dir" ? empty : stat;
  }

  async snapshot(): Promise<MemorySnapshot> {
    const snapshots = await this.#table.runInEach(ROOT, async (memory, { mount }) =>
      this.#table.toTree(mount, await memory.snapshot()),
    );
    return this.#table.merge(snapshots);
  }

  async outline(options: OutlineOptions = {}): Promise<MemoryOutline> {
    return mergeOutlines(this.#table, await this.outlines(options), options);
  }

  /**
   * Returns the outline of each memory, in code-unit order of the mount points. An outline has contents if they fit.
   */
  outlines(options: OutlineOptions = {}): Promise<MountOutline[]> {
    return readOutlines(this.#table, options);
  }

  /** Returns the outline that another memory would have at the root of this tree. */
  async outlineAtRoot(memory: Memory, options: OutlineOptions): Promise<MountOutline> {
    const { root } = this.#table;
    const { outline } = await readOutline(this.#table, root, memory, options);
    return { mount: { ...root, memory }, outline };
  }

  /**
   * Each memory has its own word index. So scores of different memories are only nearly the scores that one memory
   * would give.
   */
  async search(query: string, options?: SearchOptions): Promise<SearchHit[]> {
    const { per, path, limit } = checkSearch(query, options, this.#table.extraPathLength);
    const hits = await this.#table.runInEach(path, (memory, { mount, path: local }) =>
      this.#table.getVisible(limit, maxSearchHits, mount, (most) =>
        memory.search(query, { per, path: local, limit: most }),
      ),
    );
    return mergeHits(hits, limit);
  }

  async grep(pattern: string, options?: GrepOptions): Promise<GrepMatch[]> {
    const { ignoreCase, path, limit } = checkGrep(pattern, options, this.#table.extraPathLength);
    const matches = await this.#table.runInEach(path, (memory, { mount, path: local }) =>
      this.#table.getVisible(limit, maxGrepMatches, mount, (most) =>
        memory.grep(pattern, { ignoreCase, path: local, limit: most }),
      ),
    );
    return matches.flat().toSorted(comparePaths).slice(0, limit);
  }

  append(path: string, content: string, options?: EditOptions): Promise<void> {
    return this.#onFile(path, (memory, local) => memory.append(local, content, options));
  }

  update(path: string, oldContent: string, content: string, options?: EditOptions): Promise<number> {
    return this.#onFile(path, (memory, local) => memory.update(local, oldContent, content, options));
  }

  write(path: string, content: string, options?: WriteOptions): Promise<FileStat & MadeOnce> {
    return this.#onFile(path, (memory, local) => memory.write(local, content, options));
  }

  edit(path: string, change: (text: string) => string): Promise<FileStat & MadeOnce & { content?: string }> {
    return this.#onFile(path, (memory, local) => memory.edit(local, change));
  }

  async delete(path: string, options?: DeleteOptions): Promise<DeletedCounts & MadeOnce> {
    const target = this.#table.normalize(path);
    if (options?.ifDirectory === "fail") return this.#onFile(target, (memory, local) => memory.delete(local, options));
    if (this.#table.mounts.some(({ point }) => point === target && point !== ROOT))
      throw errorOnPath("EACCES", target, "is a mount point, which cannot be deleted");
    // Deletes hidden files too, by one call of one memory. Reason: keeping them would take a call for each name next to
    // them, and would not be atomic.
    return this.#onDirectory(target, { files: 0, dirs: 0 }, (memory, local) => memory.delete(local, options));
  }

  async rename(from: string, to: string): Promise<void> {
    const [source, target] = [this.#table.normalize(from), this.#table.normalize(to)];
    const fixed = [source, target].find((each) => this.#table.directories.has(each));
    if (fixed !== undefined)
      throw errorOnPath("EACCES", fixed, "is a mount point or has one below it, so it cannot be renamed or replaced");
    const [{ mount, path }, other] = [this.#table.locate(source), this.#table.locate(target)];
    if (mount !== other.mount)
      throw errorOnPath(
        "EXDEV",
        source,
        "is in another memory than the new path; write the text there, then delete it here",
      );
    await this.#table.run(mount, (memory) => memory.rename(path, other.path));
  }

  with(use: MemoryUse): MountedMemory {
    return this.#map((mount) => replaceMemory(mount, mount.memory.with(use)));
  }

  /** The rules and the messages of the policies name paths of the tree. */
  [bind](binding: MemoryBinding): MountedMemory {
    return this.#map((mount) => bindMounted(mount, binding), addRights(this.rights, binding));
  }

  [internals](path: string): MemoryInternals {
    const { mount, path: local } = this.#table.locate(this.#table.normalize(path));
    return getInternals(mount.memory, local);
  }

  #map(change: (mount: Mount) => Mount, rights = this.rights): MountedMemory {
    const table = this.#table.map(change);
    return table === this.#table && rights === this.rights ? this : new MountedMemory(table, rights);
  }

  /**
   * Calls the memory that contains a file. For a directory that exists because of mounts, this is the root of a memory,
   * which the memory refuses.
   */
  async #onFile<R>(path: string, run: (memory: Memory, local: string) => Promise<R>): Promise<R> {
    const target = this.#table.normalize(path);
    const { mount, path: local } = this.#table.locate(target);
    if (this.#table.directories.has(target)) return this.#table.run(mount, (memory) => run(memory, ROOT), target);
    return this.#table.run(mount, (memory) => run(memory, local));
  }

  /**
   * Calls the memory that contains a file or directory. If a directory exists only because of mounts, returns `empty`.
   */
  async #onDirectory<R>(target: string, empty: R, run: (memory: Memory, local: string) => Promise<R>): Promise<R> {
    const { mount, path } = this.#table.locate(target);
    try {
      return await this.#table.run(mount, (memory) => run(memory, path));
    } catch (error) {
      // EINVAL: the memory could not create this name. A memory without a thread or user says so instead.
      const isMissing = mount.missingOwner === undefined && hasCode(error, "ENOENT", "ENOTDIR", "EINVAL");
      if (isMissing && this.#table.directories.has(target)) return empty;
      throw error;
    }
  }
}

/** Binds a mounted memory as the tree is bound. Adds policies of the mount first. A placeholder keeps its reason. */
function bindMounted(mount: Mount, binding: MemoryBinding, own: readonly CheckedPolicy[] = []): Mount {
  const ofTree = (binding.policies ?? []).map((policy) => ({
    ...policy,
    mountPoint: joinPaths(policy.mountPoint ?? ROOT, mount.point),
  }));
  const policies = mount.missingOwner === undefined ? [...own, ...ofTree] : [];
  return replaceMemory(mount, bindMemory(mount.memory, { ...binding, policies }));
}

/** Returns the same mount if it has the memory already. */
function replaceMemory(mount: Mount, memory: Memory): Mount {
  return memory === mount.memory ? mount : { ...mount, memory };
}

function addRights(rights: MemoryRights | undefined, { policies = [] }: MemoryBinding): MemoryRights | undefined {
  return policies.length === 0 ? rights : combineRights(rights, getRights(policies));
}

/** A memory as a tree of mounts; null for a single memory. */
export function getMountTree(memory: Memory): MountedMemory | null {
  // Checks the shape, because the other build of this package has a class of its own.
  return "mounts" in memory && "outlines" in memory ? (memory as MountedMemory) : null;
}
