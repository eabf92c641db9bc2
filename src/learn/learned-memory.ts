import type { MemoryProposals } from "../core/approval/memory-proposals.js";
import { isPaged, type PagedHistory } from "../core/backend-history.js";
import type { BackendProposals } from "../core/backend-proposals.js";
import type { Memory } from "../core/memory.js";
import { getMountTree } from "../core/mounts/mounted-memory.js";
import { compilePathPatterns } from "../core/values/path-pattern.js";
import { archivePath, defaultLogPath, isWithin, ROOT } from "../core/values/paths.js";
import { hasMethod } from "../core/values/unknown-values.js";
import type { MemoryNode } from "../graph/memory-node.js";
import { learnClient } from "./sources.js";

/** Raw notes and the archive: no run changes them. */
const isProtected = compilePathPatterns([`${defaultLogPath}/**`, `${archivePath}/**`]);

/** Proposals with the additional methods that only this package uses. */
interface LearnProposals extends MemoryProposals, Pick<BackendProposals, "progress" | "newest" | "withdraw"> {}

/** The memory of a run, and the paths that it may read and change. */
export interface LearnedMemory {
  memory: Memory;
  proposals: LearnProposals;
  history: PagedHistory | null;
  mayRead: (path: string) => boolean;
  mayChange: (path: string) => boolean;
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
  const { proposals, history } = memory;
  if (!isLearnProposals(proposals)) throw new TypeError("learn: the memory keeps no proposals; use a MongoMemoryStore");
  const isOfMount = (path: string): boolean => others.some(({ point }) => isWithin(path, point));
  const [isReadable, isWritable] = [compilePathPatterns(read), compilePathPatterns(write)];
  // "/profile/**" also fits "/profile". A file there would leave no place for files below it.
  const directories = write.filter((pattern) => /.\/\*\*$/.test(pattern)).map((each) => each.slice(0, -3));
  const isDirectory = compilePathPatterns(directories);
  return {
    memory,
    proposals,
    history: history !== null && isPaged(history) ? history : null,
    mayRead: (path) => isReadable(path) && !isOfMount(path),
    mayChange: (path) =>
      isWritable(path) && path !== ROOT && !isDirectory(path) && !isProtected(path) && !isOfMount(path),
  };
}

/** Checks the shape, because the other build of this package has a class of its own. */
function isLearnProposals(proposals: Memory["proposals"]): proposals is LearnProposals {
  return hasMethod(proposals, "newest");
}
