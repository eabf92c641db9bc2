import { Option } from "commander";
import { describeLaterVersion } from "../../../core/history/later-version.js";
import type { MemoryVersion, RevertTarget } from "../../../core/history/history.js";
import { MemoryError } from "../../../core/values/errors.js";
import { pickDefined } from "../../collections.js";
import { usageError } from "../../errors.js";
import { changeOptions } from "../../targets/target-options.js";
import { historyCommand } from "./history-command.js";
import { checkActor } from "./version-filter.js";
import { formatChange, formatVersion } from "./version-text.js";

interface RevertOptions {
  path?: string;
  to?: string;
  run?: string;
  toolCall?: string;
  force?: boolean;
  dryRun?: boolean;
}

export const revert = historyCommand<RevertOptions>({
  usage: "revert [path]",
  description:
    "Restore a file or a directory as it was after a version, or undo all changes of a run or of a tool call. It " +
    "is one step, and prints the new versions that it makes. It does not ask, because you can undo it too.",
  examples: [
    "revert /notes/today --to 12 --node assistant",
    "revert --run 1f0c --dry-run --node assistant",
    "revert --tool-call call_7 --force --node assistant",
  ],
  options: [
    new Option("--to <version>", "the version to go back to; needs a path"),
    new Option("--run <id>", "undo all changes of this run"),
    new Option("--tool-call <id>", "undo all changes of this tool call"),
    new Option("--force", "also undo later changes of the same files; without it they are refused"),
    new Option("--dry-run", "say what would change, and change nothing"),
    ...changeOptions,
  ],
  // If the memory is opened for reading, a revert changes nothing and returns the versions that it would make.
  access: ({ dryRun }) => (dryRun === true ? "read" : "write"),
  check: (input) => void getRevertTarget(input),
  run: async ({ history }, input, { out }) => {
    const { force = false, dryRun = false } = input;
    const versions = await history.revert(getRevertTarget(input), { force }).catch(nameFlag);
    const format = dryRun ? formatChange : formatVersion;
    const lines = versions.map((version) => `${format(version, out)}\n`);
    const nothing = `nothing ${dryRun ? "would be" : "was"} changed, as all is as it was then\n`;
    return {
      json: dryRun ? { dryRun, changes: versions.map(getChange) } : { versions },
      text: lines.join("") || nothing,
    };
  },
});

/** Rewrites the advice in an error of the core: it names the flag of this program. */
function nameFlag(error: unknown): never {
  const laterVersion = MemoryError.isInstance(error) ? error.details?.laterVersion : undefined;
  if (!MemoryError.isInstance(error) || laterVersion === undefined) throw error;
  const message = `ECONFLICT: ${describeLaterVersion(laterVersion, error.path)}; pass --force to undo it`;
  throw new MemoryError("ECONFLICT", message, { cause: error });
}

/** Returns the facts about a version that a dry run does not make: it has no id and no time. */
function getChange({ operation, path, from, sizeBytes, sha256 }: MemoryVersion): object {
  return { operation, path, from, sizeBytes, sha256 };
}

/** @throws CommandError EUSAGE */
function getRevertTarget({ path, to, run, toolCall }: RevertOptions): RevertTarget {
  const ways = [path ?? to, run, toolCall].filter((way) => way !== undefined);
  if (ways.length !== 1)
    throw usageError("revert takes a path with --to, or --run, or --tool-call; pass one of the three");
  checkActor(pickDefined({ runId: run, toolCallId: toolCall }));
  if (run !== undefined) return { runId: run };
  if (toolCall !== undefined) return { toolCallId: toolCall };
  if (path === undefined) throw usageError("--to needs a path; / is the whole memory");
  if (to === undefined || to === "") throw usageError("--to is missing: the version to go back to; `log` shows them");
  return { path, to };
}
