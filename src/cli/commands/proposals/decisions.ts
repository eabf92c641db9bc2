import { Option } from "commander";
import { maxReasonChars } from "../../../core/approval/decision.js";
import type { MemoryProposal, MemoryProposals, Reviewer } from "../../../core/approval/memory-proposals.js";
import { actorField, maxActorChars } from "../../../core/values/actor.js";
import { MemoryError } from "../../../core/values/errors.js";
import { createCommand, programName, type Report } from "../../command.js";
import type { CliContext } from "../../context.js";
import { pickDefined } from "../../collections.js";
import { CommandError, usageError } from "../../errors.js";
import { openMemoryIn } from "../../targets/open-target.js";
import { targetOptions, type TargetOptions } from "../../targets/target-options.js";
import { styleDiff } from "../history/style-diff.js";
import { formatProposal, getProposals, readProposal, withProposals } from "./proposal-command.js";

interface DecisionInput extends TargetOptions {
  id: string;
  by: Reviewer;
  json?: boolean;
}

export const approve = createCommand<DecisionInput>({
  usage: "approve <id>",
  description:
    "Make a change that an agent proposes, once. Refuses if somebody has already decided, or if the file has " +
    "changed since. Then it shows what the change would be now.",
  examples: ["approve $ID --by ada@example.com", "approve $ID --by ada@example.com --node assistant"],
  options: [reviewerOption("who approves it"), ...targetOptions],
  run: (input, context) =>
    decide(input, context, async (proposals, { id, by, json }) => {
      try {
        return await proposals.approve(id, { by });
      } catch (error) {
        const presentChange = MemoryError.isInstance(error) ? error.details?.presentChange : undefined;
        if (presentChange === undefined) throw error;
        if (json !== true) await showDiff(presentChange, context);
        const advice = "nothing was changed; reject it, and let it be proposed again";
        throw new CommandError(
          "ECONFLICT",
          `proposal ${id}: what it changes has changed since it was made; ${advice}`,
          {
            cause: error,
          },
        );
      }
    }),
});

export const reject = createCommand<DecisionInput & { reason?: string }>({
  usage: "reject <id>",
  description:
    "Refuse a change that an agent proposes. The memory stays as it is. If somebody has already decided, the " +
    "command is refused.",
  examples: ['reject $ID --by ada --reason "untrue"'],
  options: [
    reviewerOption("who rejects it"),
    new Option("--reason <text>", "why, for the record").argParser((given: string) => {
      if (given.length <= maxReasonChars) return given;
      throw usageError(`--reason has ${given.length} characters, of ${maxReasonChars} at most`);
    }),
    ...targetOptions,
  ],
  run: (input, context) =>
    decide(input, context, (proposals, { id, by, reason }) => proposals.reject(id, { by, ...pickDefined({ reason }) })),
});

function reviewerOption(description: string): Option {
  return new Option("--by <person>", description).makeOptionMandatory().argParser((given: string): Reviewer => {
    const reviewer = { userId: given, client: programName };
    if (actorField.safeParse(reviewer).success) return reviewer;
    throw usageError(`--by: who decides is named by 1 to ${maxActorChars} characters`);
  });
}

function decide<Input extends DecisionInput>(
  input: Input,
  context: CliContext,
  run: (proposals: MemoryProposals, input: Input) => Promise<MemoryProposal>,
): Promise<Report> {
  return withProposals(input, context, async (open) => {
    // The proposal is read first, because opening a memory for writing would create a database for a mistyped name.
    await readProposal(open, input.id);
    const { stored, paths } = open;
    const opened = stored === null ? open : openMemoryIn(stored.database, stored.address, { access: "write", paths });
    const decided = await run(getProposals(opened).proposals, input);
    return { json: { proposal: decided }, text: `${formatProposal(decided, context.out)}\n` };
  });
}

/** Prints on the standard error the diff that the approval would make now. */
async function showDiff(diff: string, { err }: CliContext): Promise<void> {
  await err.write(styleDiff(diff.endsWith("\n") ? diff : `${diff}\n`, err));
}
