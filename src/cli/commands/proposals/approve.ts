import type { CliContext } from "../../context.js";
import { CommandError } from "../../errors.js";
import { MemoryError } from "../../../core/values/errors.js";
import { styleDiff } from "../history/style-diff.js";
import { decisionCommand, type DecisionInput } from "./proposal-command.js";

export const approve = decisionCommand<DecisionInput>({
  usage: "approve <id>",
  description:
    "Make a change that an agent proposes, once. Refuses if somebody has already decided, or if the file has changed since. Then it shows what the change would be now.",
  examples: ["approve 0f3c --by ada@example.com --node assistant"],
  act: "approves",
  decide: async (proposals, { id, by }, context) => {
    try {
      return await proposals.approve(id, { by });
    } catch (error) {
      if (!MemoryError.isInstance(error) || error.code !== "ECONFLICT") throw error;
      throw await showConflict(id, error, context);
    }
  },
});

/** Shows as a diff on the standard error what the approval would change now. */
async function showConflict(
  id: string,
  error: MemoryError,
  { err, json }: Pick<CliContext, "err"> & { json: boolean },
): Promise<CommandError> {
  const [sentence = "", ...diff] = error.message.split("\n");
  if (diff.length > 0 && !json) await err.write(styleDiff(diff.join("\n").replace(/\n?$/, "\n"), err));
  const message = `proposal ${id}: ${sentence.replace(/\. It would now be:$/, "")}`;
  return new CommandError("ECONFLICT", message, { cause: error });
}
