import type { MemoryHistory } from "../../core/history/history.js";
import type { CliContext } from "../context.js";
import { about, type Advice, CommandFault, storageAdvice, usageFault } from "../fault.js";
import { type OpenMemory, withMemory } from "../targets/open-target.js";
import type { TargetOptions } from "../targets/target-options.js";

export interface OpenHistory extends OpenMemory {
  history: MemoryHistory;
}

/** The rest says by itself what would be right. */
const advice: Advice = { ENOENT: "`log` shows the versions there are", EIO: storageAdvice };

/** Runs a command of a history; its refusal then names `subject`. */
export function aboutHistory<T>(subject: string, run: () => Promise<T>): Promise<T> {
  return about(subject, run, advice);
}

/** Opens the history of the memory that the options name. @throws CommandFault where there is none */
export function withHistory<T>(
  context: CliContext,
  options: TargetOptions,
  access: "read" | "change",
  run: (open: OpenHistory) => Promise<T>,
): Promise<T> {
  return withMemory(context, options, access, async (open) => {
    const { memory, name } = open;
    const { history } = memory;
    if (history === null)
      throw usageFault(`${name} keeps no history; name a memory in MongoDB, of a store that has \`history: true\``);
    for await (const _ of await aboutHistory(name, async () => history.list({ limit: 1 })))
      return run({ ...open, history });
    throw new CommandFault(
      "ENOENT",
      `${name} has no history; it begins with the first change by a store that has \`history: true\``,
    );
  });
}
