import type { ArchivedHistory } from "../../core/history/archived-version.js";
import { about, CommandError, usageError } from "../errors.js";
import type { OpenTarget } from "../targets/open-target.js";
import { checkHistory } from "./history-check.js";
import { TransferCheck } from "./transfer-check.js";
import type { TransferCounts, TransferPlan } from "./transfer-plan.js";
import { readArchived, type Tree, type TreeFile, withTree } from "./tree.js";

const advice = "export it again, or leave the history out";

/**
 * Makes a memory with its history, all at once.
 * @throws CommandError for whatever the memory cannot take or is no history; EEXIST where there is another memory, as
 * two histories cannot be made one
 */
export async function planRestoration(tree: Tree, history: ArchivedHistory, open: OpenTarget): Promise<TransferPlan> {
  const { stored, name } = open;
  const { files, directories } = tree;
  const check = new TransferCheck(open, { files: [], directories: [] });
  check.directories(directories);
  for (const file of files) check.file(file);
  check.total(files);
  if (stored === null) throw usageError(`${name} keeps no history; leave the history out`);
  const { digest, versions } = await checkHistory(tree, { where: name, advice });
  const present = await about(name, () => readArchived(stored, name));
  if (present === null)
    return {
      files: files.length,
      run: async (onFile) => {
        await restore({ name, stored }, tree, history, digest);
        files.forEach(onFile);
        return { ...none, written: files.length, versions };
      },
    };
  const isSame = await withTree(present, async () => {
    // A history that fails the check counts as different.
    const checked = await checkHistory(present, { where: name, advice }).catch(() => null);
    return checked?.digest === digest && present.history?.revision === history.revision;
  });
  if (isSame) return { files: 0, run: async () => ({ ...none, unchanged: files.length }) };
  throw new CommandError(
    "EEXIST",
    `${name}: there is a memory already, and two histories cannot be made one; \`forget\` it first, or leave the ` +
      "history out",
  );
}

const none: TransferCounts = { written: 0, replaced: 0, unchanged: 0, versions: 0 };

/** @param digest the same for the same content only, so that an interrupted restoration can go on */
async function restore(
  { name, stored: { database, address } }: { name: string; stored: NonNullable<OpenTarget["stored"]> },
  { files, directories }: Tree,
  history: ArchivedHistory,
  digest: string,
): Promise<void> {
  /** An error of the source, which would otherwise be reported as one of the destination. */
  let sourceError: unknown = null;
  const watchedFiles = files.map(({ load, ...file }): TreeFile => ({
    ...file,
    load: () => load().catch((error: unknown) => Promise.reject((sourceError = error))),
  }));
  const made = await about(name, () =>
    database.restore(address, { directories, files: watchedFiles }, history, digest),
  ).catch((error: unknown) => Promise.reject(sourceError ?? error));
  if (!made) throw new CommandError("EEXIST", `${name}: somebody has made a memory meanwhile; run the command again`);
}
