import { Option } from "commander";
import type { ProposalSummary } from "../../../core/approval/memory-proposals.js";
import { type ChangeStatus, changeStatuses } from "../../../core/contract/change-record.js";
import { pickDefined } from "../../../core/settings/pick-defined.js";
import { checkProposalFilter } from "../../../mongodb/admin/checks.js";
import { createCommand } from "../../command.js";
import { formatAddress } from "../../targets/address.js";
import { withMemories } from "../../targets/open-target.js";
import { databaseOptions, getOwner, ownerOptions, type TargetOptions } from "../../targets/target-options.js";
import type { Output } from "../../terminal/output.js";
import { printEach } from "../../terminal/print-each.js";
import { formatProposal, formatWhole } from "./format-proposal.js";
import { withProposals } from "./open-proposals.js";

interface ProposalsInput extends TargetOptions {
  id?: string;
  status?: ChangeStatus;
}

export const showProposals = createCommand<ProposalsInput>({
  usage: "proposals [id]",
  description:
    "List the proposed changes that wait for a person. Lists those of all memories, oldest first, each with its " +
    "memory. With an id, shows one with its diff. With --json, it prints an object for each proposal.",
  examples: [
    "proposals",
    "proposals --user ada@example.com",
    "proposals $ID",
    "proposals --status rejected --node assistant --json",
  ],
  options: [
    new Option("--status <status>", "only proposals of this status (default: waiting proposals)").choices(
      changeStatuses,
    ),
    ...databaseOptions,
    ...ownerOptions,
  ],
  run: async (input, context) => {
    const { id, status, json } = input;
    const { out } = context;
    if (id !== undefined)
      return withProposals([id], { ...input, access: "read" }, context, async ([found]) => {
        const proposal = (await found?.proposals.get(id)) ?? null;
        if (proposal === null) return undefined;
        if (json === true) await out.json(proposal);
        else await out.write(formatWhole(proposal, out));
        return undefined;
      });
    const range = checkProposalFilter(pickDefined({ ...getOwner(input), status }));
    await withMemories(context, input, (database) =>
      printEach(context, json, database.proposals(range), formatSummary, "no proposal was found"),
    );
    return undefined;
  },
});

function formatSummary(proposal: ProposalSummary, out: Output): string {
  return `${formatProposal(proposal, out)}  ${out.foreign(formatAddress(proposal.address))}`;
}
