import { Option } from "commander";
import type { ProposalSummary } from "../../../core/approval/memory-proposals.js";
import { type ChangeStatus, changeStatuses } from "../../../core/contract/change-record.js";
import { checkProposalFilter } from "../../../mongodb/admin/checks.js";
import { pickDefined } from "../../../core/settings/pick-defined.js";
import { createCommand } from "../../command.js";
import type { CliContext } from "../../context.js";
import { usageError } from "../../errors.js";
import { formatAddress } from "../../targets/address.js";
import { withMemories } from "../../targets/open-target.js";
import { getOwner, targetOptions, type TargetOptions } from "../../targets/target-options.js";
import type { Output } from "../../terminal/output.js";
import { printEach } from "../../terminal/print-each.js";
import { formatProposal, formatWhole } from "./format-proposal.js";
import { readProposals, withProposals } from "./open-proposals.js";

interface ProposalsInput extends TargetOptions {
  id?: string;
  run?: string;
  status?: ChangeStatus;
  all?: boolean;
}

const noneFound = "no proposal was found";

export const showProposals = createCommand<ProposalsInput>({
  usage: "proposals [id]",
  description:
    "List the proposed changes that wait for a person, oldest first, or show one with its diff. With --run it shows " +
    "the proposals of a run, each with its diff and its sources. With --all it lists the proposals of all memories, " +
    "each with its memory. With --json, it prints an object for each proposal.",
  examples: [
    "proposals --node assistant",
    "proposals --all",
    "proposals --all --user ada@example.com",
    "proposals $ID",
    "proposals --run $RUN",
    "proposals --status rejected --node assistant --json",
  ],
  options: [
    new Option(
      "--all",
      "proposals of all memories of the database, or of the memories that --node, --thread or --user names",
    ),
    new Option("--run <id>", "proposals of this run, such as a run of learn, with their diffs"),
    new Option("--status <status>", "only proposals of this status (default: waiting proposals)").choices(
      changeStatuses,
    ),
    ...targetOptions,
  ],
  run: async (input, context) => {
    if (input.all === true) return listAll(input, context);
    const { id, run, status, json } = input;
    if (id !== undefined && run !== undefined) throw usageError("pass an id or --run, not both");
    const named = { ...input, ids: id === undefined ? [] : [id] };
    return withProposals(named, context, async (open) => {
      const { out } = context;
      if (id === undefined && run === undefined) {
        const none = `${noneFound}; \`proposals --all\` lists the proposals of all memories`;
        await printEach(context, json, open.proposals.list(pickDefined({ status })), formatProposal, none);
        return undefined;
      }
      for (const [index, proposal] of (await readProposals(open, named, status)).entries())
        if (json) await out.json(proposal);
        else await out.write(`${index === 0 ? "" : "\n"}${await formatWhole(proposal, open.memory.history, out)}`);
      return undefined;
    });
  },
});

async function listAll(input: ProposalsInput, context: CliContext): Promise<undefined> {
  if (input.id !== undefined || input.run !== undefined)
    throw usageError(`${input.id === undefined ? "--run" : "an id"} does not go with --all; leave --all out`);
  const filter = pickDefined({ ...getOwner(input), status: input.status });
  const range = checkProposalFilter(filter);
  await withMemories(context, input, (database) =>
    printEach(context, input.json, database.proposals(range), formatSummary, noneFound),
  );
  return undefined;
}

function formatSummary(proposal: ProposalSummary, out: Output): string {
  return `${formatProposal(proposal, out)}  ${out.foreign(formatAddress(proposal.address))}`;
}
