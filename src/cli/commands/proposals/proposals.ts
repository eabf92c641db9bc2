import { isDeepStrictEqual } from "node:util";
import { Option } from "commander";
import type { ChangeStatus } from "../../../core/contract/change-record.js";
import type { ProposalSummary } from "../../../core/approval/proposal-summary.js";
import { checkProposalFilter } from "../../../mongodb/admin/checks.js";
import { pickDefined } from "../../collections.js";
import { createCommand } from "../../command.js";
import type { CliContext } from "../../context.js";
import { asUsage, usageError } from "../../errors.js";
import { formatAddress } from "../../targets/format-address.js";
import { type OpenTarget, withMemories } from "../../targets/open-target.js";
import { targetOptions } from "../../targets/target-options.js";
import { countText } from "../../terminal/format.js";
import type { Output } from "../../terminal/output.js";
import { printEach } from "../../terminal/print-each.js";
import { styleDiff } from "../history/style-diff.js";
import { getOwner } from "../memories/memories.js";
import {
  formatProposal,
  type OpenProposals,
  type ProposalInput,
  readProposal,
  withProposals,
} from "./proposal-command.js";

interface Input extends ProposalInput {
  status?: ChangeStatus;
  all?: boolean;
}

const statuses: readonly ChangeStatus[] = ["pending", "applying", "approved", "rejected"];

const noneFound = "no proposal was found";

/** More are not counted. */
const maxCounted = 1000;

export const proposals = createCommand<Input>({
  usage: "proposals [id]",
  description:
    "List the proposed changes that wait for a person, oldest first, or show one with its diff. With --all it lists " +
    "those of all memories, with the memory of each. With --json, it prints an object for each proposal.",
  examples: [
    "proposals --node assistant",
    "proposals --all",
    "proposals --all --user ada@example.com",
    "proposals $ID",
    "proposals --status rejected --node assistant --json",
  ],
  options: [
    new Option(
      "--all",
      "those of all memories of the database, or with --node, --thread or --user of the memories that have this id",
    ),
    new Option("--status <status>", "only proposals of this status (default: those that wait)").choices(statuses),
    ...targetOptions,
  ],
  run: async (input, context) => {
    if (input.all === true) return listAll(input, context);
    return withProposals(input, context, async (open) => {
      const { id, json } = input;
      if (id === undefined) return listOwn(open, input, context);
      const { out } = context;
      const proposal = await readProposal(open, id);
      const { diff, proposed, base } = proposal;
      const shownDiff = base === "" ? "The text of this proposal was redacted.\n" : styleDiff(diff, out);
      const text = `${formatProposal(proposal, out)}\n\n${shownDiff}`;
      const original = proposed === undefined ? "" : `\nWhat the agent proposed:\n\n${styleDiff(proposed.diff, out)}`;
      await (json ? out.json(proposal) : out.write(text + original));
      return undefined;
    });
  },
});

async function listAll(input: Input, context: CliContext): Promise<undefined> {
  if (input.id !== undefined) throw usageError("an id does not go with --all; leave --all out");
  const filter = pickDefined({ ...getOwner(input), status: input.status });
  const range = asUsage("--node, --thread or --user", () => checkProposalFilter(filter));
  await withMemories(context, input, (database) =>
    printEach(context, input.json, database.proposals(range), formatSummary, noneFound),
  );
  return undefined;
}

function formatSummary(proposal: ProposalSummary, out: Output): string {
  return `${formatProposal(proposal, out)}  ${out.foreign(formatAddress(proposal.address))}`;
}

async function listOwn(open: OpenProposals, { status, json }: Input, context: CliContext): Promise<undefined> {
  await printEach(context, json, open.proposals.list(pickDefined({ status })), formatProposal, noneFound);
  if (status !== undefined) return undefined;
  const count = await countElsewhere(open);
  if (count === 0) return undefined;
  const waiting = `${count > maxCounted ? "over " : ""}${countText(Math.min(count, maxCounted), "proposal")}`;
  const verb = count === 1 ? "waits" : "wait";
  await context.err.note(`${waiting} ${verb} in other memories; \`proposals --all\` lists them`, json === true);
  return undefined;
}

/** Counts the proposals that wait in other memories of the database. Stops after one more than `maxCounted`. */
async function countElsewhere({ stored }: OpenTarget): Promise<number> {
  if (stored === null) return 0;
  let count = 0;
  for await (const { address } of stored.database.proposals(checkProposalFilter({}))) {
    if (!isDeepStrictEqual({ ...address }, { ...stored.address })) count += 1;
    if (count > maxCounted) break;
  }
  return count;
}
