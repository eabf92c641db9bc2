import type { Command } from "commander";
import type { CliContext } from "../context.js";
import { usageFault } from "../fault.js";
import { Output } from "./output.js";

export interface PagerOptions {
  /** Of `--no-pager`. */
  pager: boolean;
  json?: boolean;
}

export function addPagerOption(command: Command): Command {
  return command.option("--no-pager", "print directly, without $PAGER or less");
}

/** What a shell exits with for a command that it cannot run. */
const noSuchCommand = new Set([126, 127]);

/**
 * Runs with an output that people read page by page, as that of git: through `$PAGER`, else `less`, on a terminal only.
 */
export async function withPager(
  context: CliContext,
  options: PagerOptions,
  run: (out: Output) => Promise<void>,
): Promise<void> {
  const { io, out } = context;
  const { PAGER: command } = io.env;
  const isWanted = options.pager && options.json !== true && out.isTerminal && command !== "" && command !== "cat";
  const pager = isWanted ? await io.openPager(command ?? null) : null;
  if (pager === null) return run(out);
  let exitCode = 0;
  try {
    await run(new Output(pager.stream, io.env));
  } finally {
    exitCode = await pager.close();
  }
  if (noSuchCommand.has(exitCode)) throw noPager(command);
}

function noPager(command: string | undefined): Error {
  return usageFault(
    `the pager ${JSON.stringify(command ?? "less")} cannot be run; set PAGER to another one, or pass --no-pager`,
  );
}
