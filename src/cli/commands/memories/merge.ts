import { Option } from "commander";
import { checkAddress, type CheckedAddress } from "../../../core/values/address.js";
import { checkForgotten } from "../../../mongodb/admin/checks.js";
import type { MemoryDatabase } from "../../../mongodb/admin/memory-database.js";
import type { MergedFile, MergeReport } from "../../../move-out/merge-memories.js";
import { groupBy } from "../../collections.js";
import { createCommand, type Report } from "../../command.js";
import type { CliContext } from "../../context.js";
import { about, CommandError, exitCodes, usageError } from "../../errors.js";
import { createAddress, formatAddress } from "../../targets/address.js";
import { openMemoryIn, transferSettings, withMemories } from "../../targets/open-target.js";
import {
  databaseOptions,
  getNamedMemories,
  idOption,
  ownerOptions,
  type TargetOptions,
} from "../../targets/target-options.js";
import { assertCanConfirm, confirm } from "../../terminal/confirm.js";
import { countText } from "../../../core/display/count-text.js";

interface MergeInput extends TargetOptions {
  intoNode?: string;
  intoThread?: string;
  intoUser?: string;
  forget?: boolean;
  yes?: boolean;
  dryRun?: boolean;
}

/** A memory that was merged, with the memory that received it. */
interface Merged extends MergeReport {
  from: CheckedAddress;
  into: CheckedAddress;
}

export const merge = createCommand<MergeInput>({
  usage: "merge",
  description:
    "Add the files of a memory to another one. Without --node, adds all memories of a user or a thread to those of " +
    "another. An equal file stays once, a new one is written, and a different one is put beside it as " +
    "note-merged.md. It deletes nothing, unless you pass --forget. If it is interrupted, run it again.",
  examples: [
    "merge --user ada --into-user ada@example.com --dry-run",
    "merge --user ada --into-user ada@example.com --forget",
    "merge --node assistant --into-node helper",
  ],
  options: [
    new Option("--forget", "then erase the merged memories for good; asks. It needs that no file was skipped"),
    new Option("--yes", "do not ask; needed for --forget without a terminal"),
    new Option("--dry-run", "only show what it would do"),
    ...databaseOptions,
    ...ownerOptions,
    idOption("--into-node <id>", "node id of the memory that receives the files (default: the same node)"),
    idOption("--into-thread <id>", "its thread, in place of the thread or user"),
    idOption("--into-user <id>", "its user, in place of the thread or user"),
  ],
  run: async (input, context) => {
    const { forget = false, yes = false, dryRun = false, json } = input;
    const range = checkNames(input);
    const asks = forget && !dryRun && !yes;
    if (asks) assertCanConfirm("merge --forget", "--yes, or --dry-run to see what it would do", context);
    return withMemories(context, input, async (database): Promise<Report | undefined> => {
      const merged: Merged[] = [];
      for await (const { address: from } of database.summaries([range])) {
        const pair = { from, into: getDestination(from, input) };
        const each = { ...pair, ...(await mergePair(database, pair, { dryRun })) };
        merged.push(each);
        if (json !== true) await printMerged(each, context);
      }
      if (merged.length === 0)
        throw new CommandError("ENOENT", "no memory was found; `memories` lists those that there are");
      const forgets = forget && !dryRun && (await confirmForgetting(database, merged, asks ? context : null));
      if (forgets) for (const { from } of merged) await database.forget(checkForgotten(from));
      if (merged.some(({ files }) => files.some(isSkipped))) context.exitCode = exitCodes.refused;
      const done = dryRun ? "checked, not merged," : forgets ? "merged and erased" : "merged";
      return {
        json: { dryRun, erased: forgets, memories: merged },
        text: `${done} ${countText(merged.length, "memory")}: ${formatCounts(merged)}\n`,
      };
    });
  },
});

/** @throws CommandError EUSAGE */
function checkNames(input: MergeInput): ReturnType<typeof checkForgotten> {
  const { node, intoNode, intoThread, intoUser } = input;
  const range = getNamedMemories(input, "the memory to merge");
  if ((intoNode ?? intoThread ?? intoUser) === undefined)
    throw usageError("no destination was named; pass --into-node, --into-thread or --into-user");
  if (intoThread !== undefined && intoUser !== undefined)
    throw usageError("--into-thread and --into-user exclude each other; pass one of them");
  if (intoNode !== undefined && node === undefined)
    throw usageError("--into-node needs --node, as it takes the files of one memory");
  return range;
}

/** @throws CommandError EUSAGE for a bad id, or if it is the same memory */
function getDestination(from: CheckedAddress, { intoNode, intoThread, intoUser }: MergeInput): CheckedAddress {
  const nodeId = intoNode ?? from.nodeId;
  const isSameOwner = (intoThread ?? intoUser) === undefined;
  const named = isSameOwner ? { ...from, nodeId } : createAddress(nodeId, { thread: intoThread, user: intoUser });
  const destination = checkAddress(named);
  if (JSON.stringify(destination) === JSON.stringify(from))
    throw usageError(`${formatAddress(from)}: a memory cannot be merged into itself; name another one`);
  return destination;
}

async function mergePair(
  database: MemoryDatabase,
  pair: Pick<Merged, "from" | "into">,
  options: { dryRun: boolean },
): Promise<MergeReport> {
  const { mergeMemories } = await import("../../../move-out/merge-memories.js");
  const from = openMemoryIn(database, pair.from, { ...transferSettings, access: "read" });
  const to = openMemoryIn(database, pair.into, { ...transferSettings, access: options.dryRun ? "read" : "write" });
  return about(from.name, () => mergeMemories(from.memory, to.memory, options));
}

/**
 * @param context null if nobody is asked
 * @throws CommandError if the memories still have what is not merged
 */
async function confirmForgetting(
  database: MemoryDatabase,
  merged: readonly Merged[],
  context: CliContext | null,
): Promise<boolean> {
  const refuse = (from: CheckedAddress, reason: string): CommandError =>
    new CommandError("ECONFLICT", `${formatAddress(from)}: merged, but not erased: ${reason}`);
  const question = `Erase ${countText(merged.length, "merged memory")} and all that is kept of them for good?`;
  for (const { from, files, proposals } of merged) {
    if (files.some(isSkipped)) throw refuse(from, "a file was skipped; move or rename it, and run it again");
    if (proposals > 0) throw refuse(from, `proposals that wait for a person: ${proposals}; decide, and run it again`);
  }
  if (context !== null && !(await confirm(question, "erased", context))) return false;
  for (const { from, revision } of merged) {
    const { memory } = openMemoryIn(database, from, { access: "read" });
    if ((await memory.outline()).revision !== revision)
      throw refuse(from, "somebody has changed it meanwhile; run it again");
  }
  return true;
}

const isSkipped = ({ result }: MergedFile): boolean => result === "skipped";

/** Prints what happened to each file that was not equal. */
async function printMerged({ from, into: to, files, proposals }: Merged, { out, err }: CliContext): Promise<void> {
  await out.line(out.style("bold", out.foreign(`${formatAddress(from)} into ${formatAddress(to)}`)));
  for (const { path, result, to: target, reason } of files) {
    if (result === "equal") continue;
    const details = target === undefined ? (reason === undefined ? "" : `: ${reason}`) : ` as ${target}`;
    await out.line(`${result.padEnd(8)}  ${out.foreign(path + details)}`);
  }
  if (proposals > 0) await err.line(`proposals that stay there, and wait for a person: ${proposals}`);
}

function formatCounts(merged: readonly Merged[]): string {
  const byResult = groupBy(
    merged.flatMap(({ files }) => files),
    ({ result }) => result,
  );
  const parts = Array.from(byResult, ([result, files]) => `${countText(files.length, "file")} ${result}`);
  return parts.length === 0 ? "no files" : parts.join(", ");
}
