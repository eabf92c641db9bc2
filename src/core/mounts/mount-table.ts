import { placeError } from "../values/error-paths.js";
import { MemoryError } from "../values/errors.js";
import type { Memory } from "../memory.js";
import type { MemoryOutline, MemorySnapshot } from "../tree/snapshot.js";
import { sortTree } from "../tree/sort-tree.js";
import {
  getParents,
  getPathPrefix,
  isWithin,
  joinPaths,
  normalizePath,
  type PathLength,
  ROOT,
  splitPath,
} from "../values/paths.js";
import type { Mount } from "./mounts.js";

/** The memory of a path of the tree, and the path in that memory. */
export interface Location {
  mount: Mount;
  /** The path in the mounted memory. */
  path: string;
}

/** Finds the memory of each path of a tree, and translates paths between the tree and its memories. */
export class MountTable {
  /** The longest point first, the root last. */
  readonly mounts: readonly Mount[];
  /** The mount of the paths that are below no other mount point. */
  readonly root: Mount;
  /** The mount points and the directories above them, which always exist, without the root. */
  readonly directories: ReadonlySet<string>;
  /** The number of characters and bytes that a path of the tree may have beyond the limits of a memory. */
  readonly extraPathLength: PathLength;

  /** @param mounts checked: each at a point of its own. @throws TypeError if none is at "/" */
  constructor(mounts: readonly Mount[]) {
    const root = mounts.find(({ point }) => point === ROOT);
    if (root === undefined)
      throw new TypeError(
        'mountMemories: no memory is mounted at "/"; every path belongs to a memory, so mount one there, such as ' +
          '{ "/": …, "/team": … }',
      );
    const others = mounts.filter((mount) => mount !== root);
    const points = others.map(({ point }) => point);
    this.root = root;
    this.mounts = [...others.toSorted((a, b) => b.point.length - a.point.length), root];
    this.directories = new Set(points.flatMap((point) => [...getParents(point), point]));
    this.extraPathLength = {
      chars: Math.max(0, ...points.map((point) => point.length)),
      levels: Math.max(0, ...points.map((point) => splitPath(point).length)),
    };
  }

  /** Returns a table with other memories, or this one if no mount changes. */
  map(change: (mount: Mount) => Mount): MountTable {
    const mounts = this.mounts.map(change);
    const isSame = mounts.every((mount, index) => mount === this.mounts[index]);
    return isSame ? this : new MountTable(mounts);
  }

  normalize(path: string, emptyIsRoot = false): string {
    return normalizePath(path, { emptyIsRoot, extraPathLength: this.extraPathLength });
  }

  locate(target: string): Location {
    const mount = this.mounts.find(({ point }) => isWithin(target, point)) ?? this.root;
    return { mount, path: mount === this.root ? target : target.slice(mount.point.length) || ROOT };
  }

  /** Returns every memory that can have files at a path or below it. */
  locateAll(target: string): Location[] {
    const location = this.locate(target);
    const below = this.mounts.filter(
      (mount) => mount !== location.mount && mount.point.startsWith(getPathPrefix(target)),
    );
    return [location, ...below.map((mount) => ({ mount, path: ROOT }))];
  }

  /** Returns the names of the directories directly in `path` that exist because of mounts. */
  namesIn(path: string): string[] {
    const prefix = getPathPrefix(path);
    const children = [...this.directories].filter(
      (other) => other.startsWith(prefix) && !other.includes("/", prefix.length),
    );
    return children.map((other) => other.slice(prefix.length));
  }

  /** Returns the tree path of a path of a memory; null if another mount hides it. */
  toTreePath(mount: Mount, path: string): string | null {
    const treePath = joinPaths(mount.point, path);
    return this.directories.has(treePath) || this.locate(treePath).mount !== mount ? null : treePath;
  }

  /** Returns the items with their tree paths. Leaves out items that other mounts hide. */
  toTreeItems<Item extends { path: string }>(mount: Mount, items: readonly Item[]): Item[] {
    return items.flatMap((item) => {
      const path = this.toTreePath(mount, item.path);
      return path === null ? [] : [path === item.path ? item : { ...item, path }];
    });
  }

  /** Requests more items if other mounts hide some of those that a memory returned. @param most the highest limit */
  async getVisible<Item extends { path: string }>(
    limit: number,
    most: number,
    mount: Mount,
    find: (limit: number) => Promise<Item[]>,
  ): Promise<Item[]> {
    for (let requested = limit; ; requested = Math.min(most, 4 * requested)) {
      const items = await find(requested);
      const visible = this.toTreeItems(mount, items);
      if (visible.length >= limit || items.length < requested || requested === most) return visible.slice(0, limit);
    }
  }

  /** Returns a whole memory with its tree paths, without what other mounts hide. */
  toTree<Tree extends MemorySnapshot | MemoryOutline>(mount: Mount, tree: Tree): Tree {
    const directories = tree.directories.map((path) => joinPaths(mount.point, path));
    return {
      ...tree,
      files: this.toTreeItems<{ path: string }>(mount, tree.files),
      directories: directories.filter((path) => this.locate(path).mount === mount),
    };
  }

  /** Merges the trees of the memories, whose paths are tree paths already. */
  async merge<File extends { path: string }>(
    trees: readonly { files: readonly File[]; directories: readonly string[] }[],
  ): Promise<{ files: File[]; directories: string[]; revision: null }> {
    const directories = new Set([...trees.flatMap((tree) => tree.directories), ...this.directories]);
    const files = trees.flatMap((tree) => tree.files);
    // No call waits for the sorting, because the calls of the memories have ended.
    return sortTree({ files, directories: [...directories], revision: null }, null);
  }

  /**
   * Calls each memory that can have files at a path or below it, at the same time. Waits for all calls, so that none is
   * still running after a failure.
   */
  async runInEach<R>(target: string, run: (memory: Memory, location: Location) => Promise<R>): Promise<R[]> {
    const calls = this.locateAll(target).map((location) => this.run(location.mount, (memory) => run(memory, location)));
    await Promise.allSettled(calls);
    return Promise.all(calls);
  }

  /** Runs a call on a mounted memory. Errors get the tree path. @param treePath replaces the path of the error */
  async run<R>(mount: Mount, run: (memory: Memory) => Promise<R>, treePath?: string): Promise<R> {
    try {
      return await run(mount.memory);
    } catch (error) {
      if (!MemoryError.isInstance(error)) throw error;
      throw placeError(error, (path) => treePath ?? joinPaths(mount.point, path));
    }
  }
}

/** Returns the path rule of the memories. If they differ, returns the rule that allows more. */
export function getPathRule(mounts: readonly Mount[]): Memory["paths"] {
  const [first, ...others] = mounts.map(({ memory }) => memory.paths);
  return first !== undefined && others.every((rule) => rule === first) ? first : "posix";
}
