import { type OptionValues } from "commander";
import type { MemoryHistory } from "../../../core/history/history.js";
import { actorField, maxActorChars, type MemoryActor } from "../../../core/values/actor.js";
import { hasAny } from "../../collections.js";
import type { AddCommand } from "../../command.js";
import { about, type Advice, CommandError, storageAdvice, usageError } from "../../errors.js";
import { memoryCommand, type MemoryCommandSettings } from "../../memory-command.js";
import type { OpenTarget } from "../../targets/open-target.js";

interface OpenHistory extends OpenTarget {
  history: MemoryHistory;
}

/** Advice for errors. The messages of all other errors already say what would be right. */
const advice: Advice = { ENOENT: "`log` shows the versions there are", EIO: storageAdvice };

/** Creates a command that works on the history of a memory. */
export function historyCommand<Input extends OptionValues>(
  settings: MemoryCommandSettings<Input, OpenHistory>,
): AddCommand {
  return memoryCommand<Input>({
    advice,
    ...settings,
    run: async (open, input, context) => settings.run({ ...open, history: await getHistory(open) }, input, context),
  });
}

/** @throws CommandError ENOENT if the memory has no history */
async function getHistory({ memory: { history }, name }: OpenTarget): Promise<MemoryHistory> {
  if (history !== null && (await about(name, () => hasAny(history.list({ limit: 1 })), advice))) return history;
  throw new CommandError(
    "ENOENT",
    `${name} has no history; it begins with the first change by a store that has \`history: true\``,
  );
}

/** @throws CommandError EUSAGE */
export function checkActor(actor: MemoryActor): void {
  if (actorField.safeParse(actor).success) return;
  throw usageError(
    `the ids and names of who made a version have 1 to ${maxActorChars} characters; \`log --json\` shows them`,
  );
}
