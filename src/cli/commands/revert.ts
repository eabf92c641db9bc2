import type { Command } from "commander";
import type { MemoryVersion, RevertTarget } from "../../core/history/history.js";
import { newCommand } from "../command.js";
import type { CliContext } from "../context.js";
import { CommandFault, usageFault } from "../fault.js";
import { checkActor } from "../history/version-filter.js";
import { changeText, versionLine } from "../history/version-text.js";
import { aboutHistory, withHistory } from "../history/with-history.js";
import { addMountOption } from "../targets/mount-options.js";
import { addActorOption, addTargetOptions, type TargetOptions } from "../targets/target-options.js";

interface RevertOptions extends TargetOptions {
  to?: string;
  run?: string;
  toolCall?: string;
  force?: boolean;
  dryRun?: boolean;
  json?: boolean;
}

export function addRevert(program: Command, context: CliContext): void {
  const command = newCommand(
    program,
    "revert [path]",
    "Restore a file or a directory as it was after a version, or undo all changes of a run or of a tool call. It is one step, and prints the new versions that it makes. " +
      "It does not ask, because you can undo it too.",
    [
      "revert /notes/today --to 12 --node assistant",
      "revert --run 1f0c --dry-run --node assistant",
      "revert --tool-call call_7 --force --node assistant",
    ],
  )
    .option("--to <version>", "the version to go back to; needs a path")
    .option("--run <id>", "undo all changes of this run")
    .option("--tool-call <id>", "undo all changes of this tool call")
    .option("--force", "also undo later changes of the same files; without it they are refused")
    .option("--dry-run", "say what would change, and change nothing");
  addActorOption(addMountOption(addTargetOptions(command))).action(
    async (path: string | undefined, options: RevertOptions) => {
      const what = targetOfRevert(path, options);
      const { dryRun = false } = options;
      // A memory that is opened for reading only tells what a revert would make.
      await withHistory(context, options, dryRun ? "read" : "change", async ({ history, name }) => {
        const revert = (): ReturnType<typeof history.revert> => history.revert(what, { force: options.force === true });
        const versions = await aboutHistory(path ?? name, revert).catch((error: unknown) => {
          throw error instanceof CommandFault ? inOptions(error) : error;
        });
        const { out } = context;
        if (options.json)
          return out.json(dryRun ? { ok: true, dryRun, changes: versions.map(changeOf) } : { ok: true, versions });
        for (const version of versions) await out.line(dryRun ? changeText(version, out) : versionLine(version, out));
        if (versions.length === 0)
          await out.line(`nothing ${dryRun ? "would be" : "was"} changed, as all is as it was then`);
      });
    },
  );
}

/** Of a version that is not made, without its id and time. */
function changeOf({ operation, path, from, sizeBytes, sha256 }: MemoryVersion): object {
  return { operation, path, from, sizeBytes, sha256 };
}

/** @throws CommandFault EUSAGE */
function targetOfRevert(path: string | undefined, { to, run, toolCall }: RevertOptions): RevertTarget {
  const ways = [path ?? to, run, toolCall].filter((way) => way !== undefined);
  if (ways.length !== 1)
    throw usageFault("revert takes a path with --to, or --run, or --tool-call; pass one of the three");
  checkActor({ ...(run !== undefined && { runId: run }), ...(toolCall !== undefined && { toolCallId: toolCall }) });
  if (run !== undefined) return { runId: run };
  if (toolCall !== undefined) return { toolCallId: toolCall };
  if (path === undefined) throw usageFault("--to needs a path; / is the whole memory");
  if (to === undefined || to === "") throw usageFault("--to is missing: the version to go back to; `log` shows them");
  return { path, to };
}

/** In the words of this program. */
function inOptions({ code, message, cause }: CommandFault): CommandFault {
  return new CommandFault(code, message.replace(/pass force /, "pass --force "), { cause });
}
