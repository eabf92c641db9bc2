import type { CheckedPolicy } from "../access/policy.js";
import { bookkeeping, forBookkeeping, restrict, type RestrictableMemory, restricted } from "../access/restrict.js";
import { getRights } from "../access/rights.js";
import type { CheckedAddress } from "../values/address.js";
import { createBareRootBackend, openPlaceholder } from "./placeholder-backends.js";
import { MemoryError } from "../values/errors.js";
import type { MemoryHistory } from "../history/history.js";
import { MountedHistory, type MountedPart, type MountedParts } from "./mounted-history.js";
import type {
  DeletedCounts,
  DeleteOptions,
  FileStat,
  Memory,
  MemoryChange,
  MemoryChanges,
  MemoryEntry,
  MemoryOutline,
  MemoryRights,
  MemorySnapshot,
  MemoryStat,
  OutlineFile,
  OutlineOptions,
  WatchOptions,
  WriteOptions,
} from "../memory.js";
import { bothRights, checkMounts, type Mount, MountDirectories, type MountSettings, rightsInTree } from "./mounts.js";
import type { MemoryUse } from "../settings/options.js";
import { hiddenDirectoryOf, normalizePath, type PathRule, prefixOf, ROOT } from "../values/paths.js";
import {
  checkGrep,
  checkSearch,
  type GrepMatch,
  type GrepOptions,
  type GrepPattern,
  maxGrepMatches,
  maxSearchHits,
  type SearchHit,
  type SearchOptions,
} from "../search/search-options.js";
import { bestHits } from "../search/search-texts.js";
import { compareCodeUnits } from "../values/text.js";
import { mergedChanges } from "../watch/merged-changes.js";

/** Where a path of the tree lies. */
interface Place {
  mount: Mount;
  /** The path in the memory that is mounted there. */
  path: string;
}

/** What one memory holds, by the paths of the tree. */
export interface MountOutline {
  mount: Mount;
  outline: MemoryOutline;
}

/**
 * Puts several memories into one tree, like disks in a file system. The longest mount point that is a prefix of a path,
 * by whole names, decides which memory the path belongs to. Without a memory at "/" the root holds only the mount
 * points, and nobody can create anything in it.
 *
 * Each change uses one memory, and is atomic there. `readFiles`, `snapshot`, `outline`, `search` and `grep` read each
 * memory that they need, each at its own moment. The tree has no revision.
 *
 * Mount points and the directories above them always exist. A mount hides what another memory holds at its path. Mount
 * points and the directories above them cannot be renamed or replaced, and mount points cannot be deleted: EACCES.
 * Deleting a directory deletes the files of its own memory, also hidden ones, and does not touch the memories mounted
 * below. Renaming from one memory into another is EXDEV.
 *
 * @param mounts by mount point: 1 to 32 memories of any backend, which may be trees themselves
 * @throws TypeError for bad mount points, memories or settings
 */
export function mountMemories(mounts: Record<string, Memory | (MountSettings & { memory: Memory })>): Memory {
  return new MountedMemory(checkMounts(mounts));
}

export class MountedMemory implements RestrictableMemory {
  readonly address: Readonly<CheckedAddress>;
  readonly paths: PathRule;
  readonly rights: MemoryRights | undefined;
  readonly history: MemoryHistory | null;
  readonly proposals = null;
  /** Where a path lies that is below none of the others. */
  readonly #root: Mount;
  /** The other mounts, the longest point first. */
  readonly #others: readonly Mount[];
  readonly #directories: MountDirectories;

  /** @param mounts checked: at least one, each at a point of its own */
  constructor(
    mounts: readonly Mount[],
    directories = new MountDirectories(mounts.map(({ point }) => point)),
    rights = rightsInTree(mounts),
  ) {
    this.rights = rights;
    const sorted = mounts.toSorted((a, b) => b.point.length - a.point.length);
    const first = sorted.find(({ point }) => point === ROOT) ?? mounts[0];
    if (first === undefined) throw new TypeError("a tree has at least one mount");
    this.address = first.memory.address;
    this.paths = sorted.every(({ memory }) => memory.paths === first.memory.paths) ? first.memory.paths : "posix";
    this.#root =
      first.point === ROOT
        ? first
        : {
            point: ROOT,
            memory: openPlaceholder(createBareRootBackend(), { address: first.memory.address, paths: this.paths }),
          };
    this.#others = sorted.filter(({ point }) => point !== ROOT);
    this.#directories = directories;
    this.history = mounts.some(({ memory }) => memory.history !== null)
      ? new MountedHistory(this.#historyParts())
      : null;
  }

  read(path: string): Promise<string> {
    return this.#onFile(path, (memory, inner) => memory.read(inner));
  }

  async readFiles(paths: readonly string[]): Promise<(string | null)[]> {
    const places = paths.map((path) => {
      const target = this.#normalize(path);
      return this.#directories.has(target) ? null : this.#placeOf(target);
    });
    const texts = new Map<Place, string | null>();
    await this.#inEach(async (mount) => {
      const wanted = places.filter((place) => place !== null && place.mount === mount) as Place[];
      const found = wanted.length === 0 ? [] : await mount.memory.readFiles(wanted.map((place) => place.path));
      wanted.forEach((place, index) => texts.set(place, found[index] ?? null));
    });
    return places.map((place) => (place && texts.get(place)) ?? null);
  }

  async list(path: string = ROOT): Promise<MemoryEntry[]> {
    const target = this.#normalize(path, true);
    const entries = await this.#onDirectory(target, [], (memory, inner) => memory.list(inner));
    const mounted = this.#directories.namesIn(target);
    if (mounted.length === 0) return entries;
    const own = entries.filter(({ name }) => !mounted.includes(name));
    return [...own, ...mounted.map((name) => ({ name, kind: "dir" as const }))].toSorted((a, b) =>
      compareCodeUnits(a.name, b.name),
    );
  }

  append(path: string, content: string): Promise<void> {
    return this.#onFile(path, (memory, inner) => memory.append(inner, content));
  }

  update(path: string, oldContent: string, content: string): Promise<number> {
    return this.#onFile(path, (memory, inner) => memory.update(inner, oldContent, content));
  }

  async delete(path: string, options?: DeleteOptions): Promise<DeletedCounts> {
    const target = this.#normalize(path);
    if (options?.ifDirectory === "fail") return this.#onFile(target, (memory, inner) => memory.delete(inner, options));
    if (this.#directories.isMountPoint(target))
      throw refusal("EACCES", target, "is a mount point, which cannot be deleted");
    // One command of one memory. To spare what a mount hides would take a command for each name beside it, and would
    // not be atomic.
    return this.#onDirectory(target, { files: 0, dirs: 0 }, (memory, inner) => memory.delete(inner, options));
  }

  write(path: string, content: string, options?: WriteOptions): Promise<FileStat> {
    return this.#onFile(path, (memory, inner) => memory.write(inner, content, options));
  }

  edit(path: string, change: (text: string) => string): Promise<FileStat & { content?: string }> {
    return this.#onFile(path, (memory, inner) => memory.edit(inner, change));
  }

  async rename(from: string, to: string): Promise<void> {
    const [source, destination] = [this.#normalize(from), this.#normalize(to)];
    const fixed = [source, destination].find((target) => this.#directories.has(target));
    if (fixed !== undefined)
      throw refusal("EACCES", fixed, "is a mount point or has one below it, so it cannot be renamed or replaced");
    const [{ mount, path }, other] = [this.#placeOf(source), this.#placeOf(destination)];
    if (mount !== other.mount) {
      throw refusal(
        "EXDEV",
        source,
        `lies in another memory than ${destination}; write the text there, then delete it here`,
      );
    }
    await this.#told(mount, mount.memory.rename(path, other.path));
  }

  async stat(path: string): Promise<MemoryStat | null> {
    const target = this.#normalize(path, true);
    const directory: MemoryStat = { kind: "dir", sizeBytes: 0, createdAt: null, updatedAt: null };
    const stat = await this.#onDirectory(target, directory, (memory, inner) => memory.stat(inner));
    return this.#directories.has(target) && stat?.kind !== "dir" ? directory : stat;
  }

  async snapshot(): Promise<MemorySnapshot> {
    return this.#merged(await this.#inEach(async (mount) => this.#seenTree(mount, await mount.memory.snapshot())));
  }

  async outline(options: OutlineOptions = {}): Promise<MemoryOutline> {
    const outlines = (await this.outlines(options)).map(({ outline }) => outline);
    const files = outlines.flatMap((outline): OutlineFile[] => outline.files);
    const sizeBytes = files.reduce((sum, file) => sum + file.sizeBytes, 0);
    const fit = sizeBytes <= (options.maxContentBytes ?? 0) && files.every(({ content }) => content !== undefined);
    const moreThan = outlines.find((outline) => outline.moreThan !== undefined)?.moreThan;
    const uncounted = outlines.flatMap((outline) => outline.uncounted ?? []);
    const merged = {
      ...this.#merged(outlines),
      ...(moreThan !== undefined && { moreThan }),
      ...(uncounted.length > 0 && { uncounted }),
    };
    return fit || files.every(({ content }) => content === undefined)
      ? merged
      : { ...merged, files: merged.files.map(withoutContent) };
  }

  /** What each memory holds, in code-unit order of the mount points. Contents where those of one memory fit. */
  async outlines(options: OutlineOptions = {}): Promise<MountOutline[]> {
    const outlines = await this.#inEach(async (mount) => ({
      mount,
      outline: await this.#outlineOf(mount, mount.memory, options),
    }));
    return outlines.toSorted((a, b) => compareCodeUnits(a.mount.point, b.mount.point));
  }

  /** What another memory holds, as it would be seen at the root of this tree. */
  async outlineAtRoot(memory: Memory, options: OutlineOptions): Promise<MountOutline> {
    return { mount: { ...this.#root, memory }, outline: await this.#outlineOf(this.#root, memory, options) };
  }

  /** What is cut is asked for as a whole where it may lack what this tree shows. */
  async #outlineOf(mount: Mount, memory: Memory, options: OutlineOptions): Promise<MemoryOutline> {
    const outline = await memory.outline(options);
    const seen = this.#seenTree(mount, outline);
    if (outline.moreThan === undefined && outline.uncounted === undefined) return seen;
    const isAllSeen =
      seen.files.length === outline.files.length && seen.directories.length === outline.directories.length;
    // Below a name that begins with a dot the memory's own such directories are not hidden.
    const isInPlace = hiddenDirectoryOf(prefixOf(mount.point)) === undefined;
    if (isAllSeen && isInPlace && !(await this.#hidesAny(mount, memory))) return seen;
    const { maxPathChars: _limit, ...unlimited } = options;
    return this.#seenTree(mount, await memory.outline(unlimited));
  }

  /** Whether a memory has anything at the points of other mounts. */
  async #hidesAny(mount: Mount, memory: Memory): Promise<boolean> {
    const points = this.#others
      .map(({ point }) => point)
      .filter((point) => point !== mount.point && point.startsWith(prefixOf(mount.point)));
    const hides = async (point: string): Promise<boolean> => {
      try {
        return (await memory.stat(ROOT + point.slice(prefixOf(mount.point).length))) !== null;
      } catch (error) {
        // The memory could not create this name.
        if (MemoryError.isInstance(error) && error.code === "EINVAL") return false;
        throw error;
      }
    };
    return (await Promise.all(points.map(hides))).includes(true);
  }

  /**
   * Each memory has its own index, so scores of different memories are near, and not exactly, what one memory would
   * give.
   */
  async search(query: string, options?: SearchOptions): Promise<SearchHit[]> {
    const wanted = checkSearch(query, options, { beyond: this.#directories.beyond });
    const { per } = wanted;
    const found = await this.#inEachBelow(wanted.path, (mount, path) =>
      this.#seenUpTo(wanted.limit, maxSearchHits, mount, (limit) => mount.memory.search(query, { per, path, limit })),
    );
    return bestHits(found, wanted.limit);
  }

  async grep(pattern: GrepPattern, options?: GrepOptions): Promise<GrepMatch[]> {
    const wanted = checkGrep(pattern, options, { beyond: this.#directories.beyond });
    const { ignoreCase } = wanted;
    const found = await this.#inEachBelow(wanted.path, (mount, path) =>
      this.#seenUpTo(wanted.limit, maxGrepMatches, mount, (limit) =>
        mount.memory.grep(pattern, { ignoreCase, path, limit }),
      ),
    );
    return sortedByPath(found.flat()).slice(0, wanted.limit);
  }

  watch(options: WatchOptions = {}): MemoryChanges {
    const parts = this.mounts.map((mount) => ({
      changes: mount.memory.watch(options),
      shown: (change: MemoryChange): MemoryChange | null => {
        const path = this.#shownPath(mount, change.path);
        return path === null ? null : { ...change, path };
      },
    }));
    return mergedChanges(parts);
  }

  with(use: MemoryUse): MountedMemory {
    return new MountedMemory(
      this.mounts.map((mount) => ({ ...mount, memory: mount.memory.with(use) })),
      this.#directories,
      this.rights,
    );
  }

  /** Each memory under the policy. Its rules and its messages speak of the paths of the tree. */
  [restrict](policy: CheckedPolicy): MountedMemory {
    const restrictedAt = (mount: Mount): Mount => {
      // A placeholder keeps its reason.
      if (mount.missingOwner !== undefined) return mount;
      const mountPoint = pathInTree({ point: policy.mountPoint ?? ROOT }, mount.point);
      return { ...mount, memory: restricted(mount.memory, { ...policy, mountPoint }) };
    };
    return new MountedMemory(
      this.mounts.map(restrictedAt),
      this.#directories,
      bothRights(this.rights, getRights([policy])),
    );
  }

  [bookkeeping](): MountedMemory {
    const mounts = this.mounts.map((mount) => ({ ...mount, memory: forBookkeeping(mount.memory) }));
    return new MountedMemory(mounts, this.#directories, this.rights);
  }

  #historyParts(): MountedParts {
    const parts = this.mounts.map((mount): MountedPart => ({
      point: mount.point,
      memory: mount.memory,
      pathInTree: (path) => this.#shownPath(mount, path),
      told: (answer) => this.#told(mount, answer),
    }));
    const partOf = ({ point }: Mount): MountedPart => parts.find((part) => part.point === point) as MountedPart;
    return {
      // The longest point first, as the mounts themselves are looked for.
      all: parts.toSorted((a, b) => b.point.length - a.point.length),
      at: (path) => {
        const { mount, path: inner } = this.#placeOf(this.#normalize(path, true));
        return { part: partOf(mount), path: inner };
      },
      below: (path) => parts.filter(({ point }) => point.startsWith(prefixOf(this.#normalize(path, true)))),
    };
  }

  /** That at "/" first. @internal */
  get mounts(): readonly Mount[] {
    return [this.#root, ...this.#others];
  }

  #normalize(path: string, emptyIsRoot = false): string {
    return normalizePath(path, { emptyIsRoot, beyond: this.#directories.beyond });
  }

  #placeOf(target: string): Place {
    const mount = this.#others.find(
      ({ point }) => target.startsWith(point) && (target.length === point.length || target[point.length] === "/"),
    );
    return mount ? { mount, path: target.slice(mount.point.length) || ROOT } : { mount: this.#root, path: target };
  }

  /**
   * A command on what must be a file. Of a directory that mounts make, the memory is asked for its root, and refuses
   * that.
   */
  async #onFile<T>(path: string, command: (memory: Memory, inner: string) => Promise<T>): Promise<T> {
    const target = this.#normalize(path);
    const { mount, path: inner } = this.#placeOf(target);
    const isDirectory = this.#directories.has(target);
    // Not by #told: an await of its own takes longer than all else here.
    try {
      return await command(mount.memory, isDirectory ? ROOT : inner);
    } catch (error) {
      throw toldInTree(error, mount, isDirectory ? target : null);
    }
  }

  /**
   * A command on what may be a directory. @param empty answers for a directory that mounts make where the memory has
   * none
   */
  async #onDirectory<T>(target: string, empty: T, command: (memory: Memory, inner: string) => Promise<T>): Promise<T> {
    const { mount, path } = this.#placeOf(target);
    try {
      return await command(mount.memory, path);
    } catch (error) {
      // EINVAL: the memory could not create this name.
      const isNone =
        mount.missingOwner === undefined &&
        MemoryError.isInstance(error) &&
        ["ENOENT", "ENOTDIR", "EINVAL"].includes(error.code);
      if (isNone && this.#directories.has(target)) return empty;
      throw toldInTree(error, mount, null);
    }
  }

  /**
   * Runs a command on every memory at the same time, and waits for all of them, so that nothing goes on when one has
   * failed.
   */
  async #inEach<T>(command: (mount: Mount) => Promise<T> | T): Promise<T[]> {
    const run = async (mount: Mount): Promise<T> => command(mount);
    const outcomes = await Promise.allSettled(this.mounts.map((mount) => this.#told(mount, run(mount))));
    return outcomes.map((outcome) => {
      if (outcome.status === "rejected") throw outcome.reason;
      return outcome.value;
    });
  }

  /** Runs a command on every memory that has something at a path of the tree or below it. */
  async #inEachBelow<T>(target: string, command: (mount: Mount, path: string) => Promise<T[]>): Promise<T[][]> {
    const place = this.#placeOf(target);
    return this.#inEach((mount) => {
      if (mount === place.mount) return command(mount, place.path);
      return mount.point.startsWith(prefixOf(target)) ? command(mount, ROOT) : [];
    });
  }

  /** Asks a memory for more where other mounts hide some of what it found. @param most that it can be asked for */
  async #seenUpTo<T extends { path: string }>(
    limit: number,
    most: number,
    mount: Mount,
    find: (limit: number) => Promise<T[]>,
  ): Promise<T[]> {
    for (let asked = limit; ; asked = Math.min(most, 4 * asked)) {
      const found = await find(asked);
      const seen = this.#seen(mount, found);
      if (seen.length >= limit || found.length < asked || asked === most) return seen.slice(0, limit);
    }
  }

  /** The answer of a memory. An error tells the path in the tree. */
  async #told<T>(mount: Mount, answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      throw toldInTree(error, mount, null);
    }
  }

  /** With the paths of the tree, and without what other mounts hide. */
  #seen<T extends { path: string }>(mount: Mount, files: readonly T[]): T[] {
    const inTree =
      mount.point === ROOT ? [...files] : files.map((file) => ({ ...file, path: pathInTree(mount, file.path) }));
    return this.#isLeaf(mount)
      ? inTree
      : inTree.filter(({ path }) => !this.#directories.has(path) && this.#placeOf(path).mount === mount);
  }

  /** Null for what other mounts hide. */
  #shownPath(mount: Mount, path: string): string | null {
    const inTree = pathInTree(mount, path);
    return this.#directories.has(inTree) || this.#placeOf(inTree).mount !== mount ? null : inTree;
  }

  #seenTree<T extends MemorySnapshot | MemoryOutline>(mount: Mount, tree: T): T {
    const files: readonly { path: string }[] = tree.files;
    const directories = tree.directories.map((path) => pathInTree(mount, path));
    return {
      ...tree,
      files: this.#seen(mount, files),
      directories: this.#isLeaf(mount)
        ? directories
        : directories.filter((path) => this.#placeOf(path).mount === mount),
      ...("uncounted" in tree &&
        tree.uncounted && { uncounted: tree.uncounted.map((path) => pathInTree(mount, path)) }),
    };
  }

  /** Whether no other memory is mounted below it, so that nothing of it is hidden. */
  #isLeaf({ point }: Mount): boolean {
    return !this.#others.some((other) => other.point !== point && other.point.startsWith(prefixOf(point)));
  }

  #merged<T extends MemorySnapshot | MemoryOutline>(trees: readonly T[]): T {
    const [only] = trees;
    if (only !== undefined && trees.length === 1) return { ...only, revision: null };
    const directories = new Set([...trees.flatMap((tree) => tree.directories), ...this.#directories.paths]);
    return {
      files: sortedByPath(trees.flatMap((tree): { path: string }[] => tree.files)),
      directories: [...directories].toSorted(compareCodeUnits),
      revision: null,
    } as MemorySnapshot | MemoryOutline as T;
  }
}

/**
 * The tree that a memory is; null for a single memory. By shape: the other build of this package has a class of its
 * own.
 */
export function treeIn(memory: Memory): MountedMemory | null {
  return "mounts" in memory && "outlines" in memory ? (memory as MountedMemory) : null;
}

function pathInTree({ point }: { point: string }, path: string): string {
  if (point === ROOT) return path;
  return path === ROOT ? point : point + path;
}

/**
 * The same error, with the path in the tree. @param target the path that was meant, if the memory was asked for another
 */
function toldInTree(error: unknown, mount: Mount, target: string | null): unknown {
  if (MemoryError.isInstance(error) && error.path !== undefined) error.path = target ?? pathInTree(mount, error.path);
  return error;
}

function withoutContent({ content: _content, ...file }: OutlineFile): OutlineFile {
  return file;
}

function refusal(code: "EACCES" | "EXDEV", path: string, words: string): MemoryError {
  const error = new MemoryError(code, `${code}: ${path} ${words}`);
  error.path = path;
  return error;
}

function sortedByPath<T extends { path: string }>(files: readonly T[]): T[] {
  return files.toSorted((a, b) => compareCodeUnits(a.path, b.path));
}
