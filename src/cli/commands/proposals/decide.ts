import { Option } from "commander";
import { maxReasonChars } from "../../../core/approval/decision.js";
import type { MemoryProposal, MemoryProposals, Reviewer } from "../../../core/approval/memory-proposals.js";
import { actorField, maxActorChars } from "../../../core/values/actor.js";
import { isRefusal, MemoryError } from "../../../core/values/errors.js";
import { pickDefined } from "../../../core/settings/pick-defined.js";
import { createCommand, programName, type Report } from "../../command.js";
import type { CliContext } from "../../context.js";
import { CommandError, exitCodes, usageError } from "../../errors.js";
import { databaseOptions, ownerOptions, type TargetOptions } from "../../targets/target-options.js";
import { readText } from "../../terminal/text-input.js";
import { styleDiff } from "../history/format.js";
import { formatProposal } from "./format-proposal.js";
import { withProposals } from "./open-proposals.js";

interface DecisionInput extends TargetOptions {
  id: string[];
  by: Reviewer;
}

/** Decides about one proposal. */
type Decide = (proposals: MemoryProposals, id: string) => Promise<MemoryProposal>;

export const approve = createCommand<DecisionInput & { content?: string }>({
  usage: "approve <id...>",
  description:
    "Approve changes that an agent proposes. Each is made once. Refuses if somebody has already decided, or if the " +
    "file has changed since. Then it shows what the change would be now. The ids may be of several memories.",
  examples: [
    "approve $ID --by ada@example.com",
    "approve $ID $OTHER --by ada@example.com",
    'approve $ID --content "Lives in Oslo." --by ada',
  ],
  options: [
    reviewerOption("who approves it"),
    new Option("--content <text>", "the content to store instead of the proposed one; - reads the standard input"),
    ...databaseOptions,
    ...ownerOptions,
  ],
  run: async (input, context) => {
    if (input.content !== undefined && input.id.length !== 1) throw usageError("--content goes with one id");
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
  usage: "reject <id...>",
  description:
    "Reject changes that an agent proposes. The memory stays as it is. If somebody has already decided, the " +
    "command is refused.",
  examples: ['reject $ID --by ada --reason "untrue"', "reject $ID $OTHER --by ada"],
  options: [
    reviewerOption("who rejects it"),
    new Option("--reason <text>", "why, for the record").argParser((given: string) => {
      if (given.length <= maxReasonChars) return given;
      throw usageError(`--reason has ${given.length} characters, of ${maxReasonChars} at most`);
    }),
    ...databaseOptions,
    ...ownerOptions,
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
  const ids = [...new Set(input.id)];
  return withProposals(ids, { ...input, access: "write" }, context, async (found) => {
    const decided: MemoryProposal[] = [];
    for (const { id, proposals } of found) {
      try {
        decided.push(await decideOne(proposals, id));
      } catch (error) {
        // The other proposals are still decided.
        if (found.length === 1 || !isAnyRefusal(error)) throw error;
        await context.err.line(context.err.foreign(nameProposal(id, error)));
        context.exitCode = exitCodes.refused;
      }
    }
    const text = decided.map((proposal) => `${formatProposal(proposal, context.out)}\n`).join("");
    const [first] = decided;
    return { json: ids.length === 1 ? { proposal: first } : { proposals: decided }, text };
  });
}

function isAnyRefusal(error: unknown): error is Error {
  return isRefusal(error) || (error instanceof CommandError && error.code === "ECONFLICT");
}

/** A refusal that does not name its proposal gets the id in front. */
function nameProposal(id: string, { message }: Error): string {
  return message.includes(id) ? message : `proposal ${id}: ${message}`;
}

/** Prints on the standard error the diff that the approval would make now. */
async function showDiff(diff: string, { err }: CliContext): Promise<void> {
  await err.write(styleDiff(diff.endsWith("\n") ? diff : `${diff}\n`, err));
}
