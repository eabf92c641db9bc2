import type { MemoryProposal, MemoryProposals } from "../core/approval/memory-proposals.js";
import type { ChangeStatus } from "../core/contract/change-record.js";
import type { RunLease } from "../core/contract/run-lease.js";
import type { Memory } from "../core/memory.js";
import { getMountTree } from "../core/mounts/mounted-memory.js";
import { errorOnPaths } from "../core/values/error-paths.js";
import { compilePathPattern } from "../core/values/path-pattern.js";
import { archivePath, defaultLogPath, getPathPrefix, ROOT } from "../core/values/paths.js";
import { hasMethod } from "../core/values/unknown-values.js";
import type { MemoryNode } from "../graph/memory-node.js";
import { learnClient } from "./sources.js";

/** Raw notes, which nobody rewrites, and what was put away. */
const protectedPaths = [`${defaultLogPath}/**`, `${archivePath}/**`].map(compilePathPattern);

/** The proposals of a memory, as the two builds of this package have them. */
interface LearnProposals {
  /** @param thread for the messages of a thread. Default: the memory's own lease */
  lease: (thread?: string) => RunLease;
  newest: (client: string, status: ChangeStatus, limit: number) => Promise<MemoryProposal[]>;
  /** Removes a proposal that still waits. */
  withdraw: (id: string) => Promise<void>;
}

/** The memory of a run, and the paths that it may read and change. */
export interface LearnedMemory {
  memory: Memory;
  proposals: MemoryProposals & LearnProposals;
  mayRead: (path: string) => boolean;
  /** @throws MemoryError EACCES */
  checkPath: (path: string) => void;
}

/** @throws TypeError for a memory that keeps no proposals */
export function openLearnedMemory(
  given: MemoryNode | Memory,
  { read, write, signal }: { read: readonly string[]; write: readonly string[]; signal?: AbortSignal | undefined },
): LearnedMemory {
  const opened = "memoryForRun" in given ? given.memory() : given;
  const [root, ...others] = getMountTree(opened)?.mounts ?? [];
  const own = root?.memory ?? opened;
  const memory = own.with({ actor: { client: learnClient }, ...(signal && { signal }) });
  const { proposals } = memory;
  if (!isLearnProposals(proposals)) throw new TypeError("learn: the memory keeps no proposals; use a MongoMemoryStore");
  const isOfMount = (path: string): boolean =>
    others.some(({ point }) => path === point || path.startsWith(getPathPrefix(point)));
  const [readable, writable] = [read, write].map((patterns) => patterns.map(compilePathPattern));
  // "/profile/**" fits "/profile" too, where a file would be in the way of all others.
  const directories = write
    .filter((pattern) => /.\/\*\*$/.test(pattern))
    .map((each) => compilePathPattern(each.slice(0, -3)));
  const fits = (patterns: typeof readable, path: string): boolean => patterns?.some((each) => each(path)) === true;
  const checkPath = (path: string): void => {
    const isBelow = fits(writable, path) && path !== ROOT && !fits(directories, path);
    if (!isBelow || fits(protectedPaths, path) || isOfMount(path))
      throw errorOnPaths("EACCES", (place) => `EACCES: ${place(path)} may not be changed by this run`, path);
  };
  return { memory, proposals, checkPath, mayRead: (path) => fits(readable, path) && !isOfMount(path) };
}

/** Checks the shape, because the other build of this package has a class of its own. */
function isLearnProposals(proposals: Memory["proposals"]): proposals is MemoryProposals & LearnProposals {
  return hasMethod(proposals, "newest");
}
