import { Option } from "commander";
import type { ChangeStatus } from "../../../core/contract/change-record.js";
import { printEach } from "../../terminal/print-each.js";
import { pickDefined } from "../../collections.js";
import { styleDiff } from "../history/style-diff.js";
import { formatProposal, proposalCommand, readProposal } from "./proposal-command.js";

const statuses: readonly ChangeStatus[] = ["pending", "applying", "approved", "rejected"];

export const proposals = proposalCommand<{ id?: string; status?: ChangeStatus }>({
  usage: "proposals [id]",
  description:
    "List the proposed changes that wait for a person, oldest first, or show one with its diff. With --json, it " +
    "prints an object for each proposal.",
  examples: [
    "proposals --node assistant",
    "proposals 0f3c --node assistant",
    "proposals --status rejected --node assistant --json",
  ],
  options: [
    new Option("--status <status>", "only proposals of this status (default: those that wait)").choices(statuses),
  ],
  subject: ({ id }, name) => (id === undefined ? name : `proposal ${id}`),
  run: async (open, { id, status, json }, context) => {
    const { out } = context;
    if (id === undefined) {
      const waiting = open.proposals.list(pickDefined({ status }));
      await printEach(context, json, waiting, formatProposal, "no proposal was found");
      return undefined;
    }
    const proposal = await readProposal(open, id);
    const text = `${formatProposal(proposal, out)}\n\n${styleDiff(proposal.diff, out)}`;
    await (json ? out.json(proposal) : out.write(text));
    return undefined;
  },
});
