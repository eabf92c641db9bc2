import type { Command } from "commander";
import type { RevertTarget } from "../../core/history.js";
import { newCommand } from "../command.js";
import type { CliContext } from "../context.js";
import { CommandFault, usageFault } from "../fault.js";
import { checkActor } from "../history/version-filter.js";
import { versionLine } from "../history/version-text.js";
import { aboutHistory, withHistory } from "../history/with-history.js";
import { addMountOption } from "../targets/mount-options.js";
import { addActorOption, addTargetOptions, type TargetOptions } from "../targets/target-options.js";

interface RevertOptions extends TargetOptions {
  to?: string;
  run?: string;
  toolCall?: string;
  force?: boolean;
  json?: boolean;
}

export function addRevert(program: Command, context: CliContext): void {
  const command = newCommand(
    program,
    "revert [path]",
    "Make a file or a directory as it was after a version, or undo what a run or a call of a tool has changed. In one step, by new versions; so it can be " +
      "undone, too, and asks nothing. Prints those versions.",
    ["revert /notes/today --to 12 --node assistant", "revert --run 1f0c --node assistant --user ada@example.com", "revert --tool-call call_7 --force --node assistant"],
  )
    .option("--to <version>", "with a path: the version to go back to")
    .option("--run <id>", "undo all changes of this run")
    .option("--tool-call <id>", "undo all changes of this call of a tool")
    .option("--force", "undo later changes of the same files, too, which are refused otherwise");
  addActorOption(addMountOption(addTargetOptions(command))).action(async (path: string | undefined, options: RevertOptions) => {
    const what = targetOfRevert(path, options);
    await withHistory(context, options, "change", async ({ history, name }) => {
      const revert = (): ReturnType<typeof history.revert> => history.revert(what, { force: options.force === true });
      const versions = await aboutHistory(path ?? name, revert).catch((error: unknown) => {
        throw error instanceof CommandFault ? inOptions(error) : error;
      });
      const { out } = context;
      if (options.json) return out.json({ ok: true, versions });
      for (const version of versions) await out.line(versionLine(version, out));
      if (versions.length === 0) await out.line("nothing was changed, as all is as it was then");
    });
  });
}

/** @throws CommandFault EUSAGE */
function targetOfRevert(path: string | undefined, { to, run, toolCall }: RevertOptions): RevertTarget {
  const ways = [path ?? to, run, toolCall].filter((way) => way !== undefined);
  if (ways.length !== 1) throw usageFault("revert takes a path with --to, or --run, or --tool-call; pass one of the three");
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
