import { Option } from "commander";
import { maxReasonChars } from "../../../core/approval/decision.js";
import type { MemoryProposal, MemoryProposals, Reviewer } from "../../../core/approval/memory-proposals.js";
import { actorField, maxActorChars } from "../../../core/values/actor.js";
import { MemoryError } from "../../../core/values/errors.js";
import { pickDefined } from "../../../core/settings/pick-defined.js";
import { createCommand, programName, type Report } from "../../command.js";
import type { CliContext } from "../../context.js";
import { CommandError, exitCodes, usageError } from "../../errors.js";
import { openMemoryIn } from "../../targets/open-target.js";
import { targetOptions, type TargetOptions } from "../../targets/target-options.js";
import { readText } from "../../terminal/text-input.js";
import { styleDiff } from "../history/format.js";
import { formatProposal } from "./format-proposal.js";
import { getProposals, readProposals, withProposals } from "./open-proposals.js";

interface DecisionInput extends TargetOptions {
  id: string[];
  run?: string;
  by: Reviewer;
}

/** Decides about one proposal. */
type Decide = (proposals: MemoryProposals, id: string) => Promise<MemoryProposal>;

export const approve = createCommand<DecisionInput & { content?: string }>({
  usage: "approve [id...]",
  description:
    "Approve changes that an agent proposes. Each is made once. Refuses if somebody has already decided, or if the " +
    "file has changed since. Then it shows what the change would be now. With --run, it approves all waiting " +
    "proposals of a run.",
  examples: [
    "approve $ID --by ada@example.com",
    "approve $ID --by ada@example.com --node assistant",
    'approve $ID --content "Lives in Oslo." --by ada',
    "approve --run $RUN --by ada@example.com",
  ],
  options: [
    reviewerOption("who approves it"),
    new Option("--run <id>", "all waiting proposals of this run, such as a run of learn"),
    new Option("--content <text>", "the content to store instead of the proposed one; - reads the standard input"),
    ...targetOptions,
  ],
  run: async (input, context) => {
    if (input.content !== undefined && (input.id.length !== 1 || input.run !== undefined))
      throw usageError("--content goes with one id");
    const content = input.content === undefined ? {} : { content: await readText(input.content, context.io.stdin) };
    return decide(input, context, async (proposals, id) => {
      try {
        return await proposals.approve(id, { by: input.by, ...content });
      } catch (error) {
        const presentChange = MemoryError.isInstance(error) ? error.details?.presentChange : undefined;
        if (presentChange === undefined) throw error;
        if (input.json !== true) await showDiff(presentChange, context);
        const advice = "nothing was changed; reject it, and let it be proposed again";
        const message = `proposal ${id}: what it changes has changed since it was made; ${advice}`;
        throw new CommandError("ECONFLICT", message, { cause: error });
      }
    });
  },
});

export const reject = createCommand<DecisionInput & { reason?: string }>({
  usage: "reject [id...]",
  description:
    "Reject changes that an agent proposes. The memory stays as it is. If somebody has already decided, the " +
    "command is refused. With --run, it rejects all waiting proposals of a run.",
  examples: ['reject $ID --by ada --reason "untrue"', "reject --run $RUN --by ada"],
  options: [
    reviewerOption("who rejects it"),
    new Option("--run <id>", "all waiting proposals of this run"),
    new Option("--reason <text>", "why, for the record").argParser((given: string) => {
      if (given.length <= maxReasonChars) return given;
      throw usageError(`--reason has ${given.length} characters, of ${maxReasonChars} at most`);
    }),
    ...targetOptions,
  ],
  run: (input, context) =>
    decide(input, context, (proposals, id) =>
      proposals.reject(id, { by: input.by, ...pickDefined({ reason: input.reason }) }),
    ),
});

function reviewerOption(description: string): Option {
  return new Option("--by <person>", description).makeOptionMandatory().argParser((given: string): Reviewer => {
    const reviewer = { userId: given, client: programName };
    if (actorField.safeParse(reviewer).success) return reviewer;
    throw usageError(`--by: who decides is named by 1 to ${maxActorChars} characters`);
  });
}

function decide(input: DecisionInput, context: CliContext, decideOne: Decide): Promise<Report> {
  const named = { ...input, ids: [...new Set(input.id)] };
  if ((named.ids.length === 0) === (input.run === undefined))
    throw usageError("name proposals by their ids, or a run by --run");
  return withProposals(named, context, async (open) => {
    // The proposals are read first, because opening a memory for writing would create a database for a mistyped name.
    const chosen = await readProposals(open, named);
    const { stored } = open;
    const use = { access: "write", paths: input.paths } as const;
    const opened = stored === null ? open : openMemoryIn(stored.database, stored.address, use);
    const { proposals } = getProposals(opened);
    const decided: MemoryProposal[] = [];
    for (const { id } of chosen) {
      try {
        decided.push(await decideOne(proposals, id));
      } catch (error) {
        // The other proposals are still decided.
        if (chosen.length === 1 || !isConflict(error)) throw error;
        await context.err.line(error.message);
        context.exitCode = exitCodes.refused;
      }
    }
    const text = decided.map((proposal) => `${formatProposal(proposal, context.out)}\n`).join("");
    const [first] = decided;
    return { json: named.ids.length === 1 ? { proposal: first } : { proposals: decided }, text };
  });
}

function isConflict(error: unknown): error is Error {
  return (error instanceof CommandError || MemoryError.isInstance(error)) && error.code === "ECONFLICT";
}

/** Prints on the standard error the diff that the approval would make now. */
async function showDiff(diff: string, { err }: CliContext): Promise<void> {
  await err.write(styleDiff(diff.endsWith("\n") ? diff : `${diff}\n`, err));
}
