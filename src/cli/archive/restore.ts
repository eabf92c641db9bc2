import type { ArchivedHistory } from "../../core/history/archived-version.js";
import { about, CommandError, usageError } from "../errors.js";
import type { OpenMemory } from "../targets/open-target.js";
import { checkHistory } from "./history-check.js";
import { readArchived, type Tree, type TreeFile, withTree } from "./tree.js";

/** A memory that can be made with its history. */
export interface Restoration {
  tree: Tree;
  history: ArchivedHistory;
  /** The same for the same content only. */
  digest: string;
}

const advice = "export it again, or leave the history out";

/**
 * Checks a memory with its history.
 * @returns null where the same is there already
 * @throws CommandError EINPUT for a wrong history, EEXIST where there is another memory: two histories cannot be made
 * one
 */
export async function planRestoration(tree: Tree, open: OpenMemory): Promise<Restoration | null> {
  const { stored, name } = open;
  const { history } = tree;
  if (history === null) return null;
  if (stored === null) throw usageError(`${name} keeps no history; leave the history out`);
  const { digest } = await checkHistory(tree, { where: name, advice });
  const present = await about(name, () => readArchived(stored, name));
  if (present === null) return { tree, history, digest };
  const isSame = await withTree(present, async () => {
    // A history that fails the check counts as different.
    const checked = await checkHistory(present, { where: name, advice }).catch(() => null);
    return checked?.digest === digest && present.history?.revision === history.revision;
  });
  if (isSame) return null;
  throw new CommandError(
    "EEXIST",
    `${name}: there is a memory already, and two histories cannot be made one; \`forget\` it first, or leave the history out`,
  );
}

export async function restore({ stored, name }: OpenMemory, { tree, history, digest }: Restoration): Promise<void> {
  /** An error of the source, which would otherwise be reported as one of the destination. */
  let sourceError: unknown = null;
  const files = tree.files.map(({ load, ...file }): TreeFile => ({
    ...file,
    load: () => load().catch((error: unknown) => Promise.reject((sourceError = error))),
  }));
  const { directories } = tree;
  const made = await about(name, async () =>
    stored?.database.restore(stored.address, { directories, files }, history, digest),
  ).catch((error: unknown) => Promise.reject(sourceError ?? error));
  if (made !== true)
    throw new CommandError("EEXIST", `${name}: somebody has made a memory meanwhile; run the command again`);
}
