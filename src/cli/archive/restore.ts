import type { ArchivedHistory } from "../../core/history/archived-version.js";
import { about, CommandFault, usageFault } from "../fault.js";
import type { OpenMemory } from "../targets/open-target.js";
import { checkedHistory } from "./history-check.js";
import { readArchived, type Tree, type TreeFile, withTree } from "./tree.js";

/** A memory with its history that can be made. */
export interface Restored {
  tree: Tree;
  history: ArchivedHistory;
  /** The same for the same content only. */
  digest: string;
}

const advice = "export it again, or leave the history out";

/**
 * Checks a memory with its history.
 * @returns null where the same is there already
 * @throws CommandFault EINPUT for what is no history, EEXIST where there is another memory: two histories cannot be
 * made one
 */
export async function restorable(tree: Tree, open: OpenMemory): Promise<Restored | null> {
  const { archive, name } = open;
  const { history } = tree;
  if (history === null) return null;
  if (archive === null) throw usageFault(`${name} keeps no history; leave the history out`);
  const { digest } = await checkedHistory(tree, { where: name, advice });
  const there = await about(name, () => readArchived(open));
  if (there === null) return { tree, history, digest };
  const isSame = await withTree(
    async () => there,
    async (present) => {
      // One that is not right is another one.
      const found = await checkedHistory(present, { where: name, advice }).catch(() => null);
      return found?.digest === digest && present.history?.revision === history.revision;
    },
  );
  if (isSame) return null;
  throw new CommandFault(
    "EEXIST",
    `${name}: there is a memory already, and two histories cannot be made one; \`forget\` it first, or leave the history out`,
  );
}

export async function restore({ archive, name }: OpenMemory, { tree, history, digest }: Restored): Promise<void> {
  const { directories } = tree;
  /** Of the source, for which the destination would be blamed. */
  let fault: unknown = null;
  const files = tree.files.map(({ load, ...file }): TreeFile => ({
    ...file,
    load: () => load().catch((error: unknown) => Promise.reject((fault = error))),
  }));
  const isMade = await about(name, async () => archive?.restore({ directories, files }, history, digest)).catch(
    (error: unknown) => Promise.reject(fault ?? error),
  );
  if (isMade !== true)
    throw new CommandFault("EEXIST", `${name}: somebody has made a memory meanwhile; run the command again`);
}
