import { type Command, Option } from "commander";
import type { ChangeStatus } from "../../core/contract/change-record.js";
import type { MemoryProposal } from "../../core/approval/memory-proposals.js";
import { newCommand } from "../command.js";
import type { CliContext } from "../context.js";
import { exitCodes } from "../exit-codes.js";
import { styledDiff } from "../history/styled-diff.js";
import { actorText } from "../history/version-text.js";
import { aboutProposal, found, withProposals } from "../proposals/with-proposals.js";
import { addTargetOptions, type TargetOptions } from "../targets/target-options.js";
import type { Output } from "../terminal/output.js";
import { addPagerOption, type PagerOptions, withPager } from "../terminal/pager.js";

interface ProposalsOptions extends TargetOptions, PagerOptions {
  status?: ChangeStatus;
}

const statuses: readonly ChangeStatus[] = ["pending", "applying", "approved", "rejected"];

export function addProposals(program: Command, context: CliContext): void {
  const command = newCommand(
    program,
    "proposals [id]",
    "List the proposed changes that wait for a person, oldest first, or show one with its diff. With --json, it prints an object for each proposal.",
    [
      "proposals --node assistant",
      "proposals 0f3c --node assistant",
      "proposals --status rejected --node assistant --user ada@example.com --json",
    ],
  ).addOption(
    new Option("--status <status>", "only proposals of this status (default: those that wait)").choices(statuses),
  );
  addPagerOption(addTargetOptions(command)).action((id: string | undefined, options: ProposalsOptions) =>
    id === undefined ? list(options, context) : show(id, options, context),
  );
}

async function list(options: ProposalsOptions, context: CliContext): Promise<void> {
  const { status, json } = options;
  const { out, err } = context;
  await withProposals(context, options, "readAny", ({ proposals, name }) =>
    aboutProposal(name, async () => {
      let isEmpty = true;
      for await (const proposal of proposals.list(status === undefined ? {} : { status })) {
        isEmpty = false;
        await (json ? out.json(proposal) : out.line(proposalLine(proposal, out)));
      }
      if (!isEmpty) return;
      await err.line("no proposal was found");
      context.exitCode = exitCodes.refused;
    }),
  );
}

async function show(id: string, options: ProposalsOptions, context: CliContext): Promise<void> {
  await withProposals(context, options, "readAny", async (open) => {
    const proposal = await found(open, id);
    if (options.json) return context.out.json(proposal);
    await withPager(context, options, (out) =>
      out.write(`${proposalLine(proposal, out)}\n\n${styledDiff(proposal.diff, out)}`),
    );
  });
}

export function proposalLine(
  { id, status, at, command, path, to, actor, decidedBy, reason }: MemoryProposal,
  out: Output,
): string {
  const change = `${command.padEnd(6)}  ${to === null ? path : `${path} -> ${to}`}`;
  const decision =
    decidedBy === null ? status : `${status} by ${actorText(decidedBy)}${reason === null ? "" : `: ${reason}`}`;
  return `${out.style("yellow", id)}  ${at.toISOString()}  ${out.foreign(change)}  ${out.style("dim", out.foreign(`${actorText(actor)}; ${decision}`))}`;
}
