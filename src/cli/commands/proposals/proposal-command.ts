import type { OptionValues } from "commander";
import type { MemoryProposal, MemoryProposals } from "../../../core/approval/memory-proposals.js";
import { type AddCommand, type CommandTexts, type Report } from "../../command.js";
import type { CliContext } from "../../context.js";
import { type Advice, CommandError, storageAdvice, usageError } from "../../errors.js";
import { memoryCommand, type MemoryInput } from "../../memory-command.js";
import type { OpenTarget } from "../../targets/open-target.js";
import { targetOptions } from "../../targets/target-options.js";
import type { Output } from "../../terminal/output.js";
import { formatActor } from "../history/version-text.js";

export interface OpenProposals extends OpenTarget {
  proposals: MemoryProposals;
}

export interface ProposalCommandSettings<Input> extends CommandTexts {
  subject: (input: Input, name: string) => string;
  run: (open: OpenProposals, input: MemoryInput<Input>, context: CliContext) => Promise<Report | undefined>;
}

export const advice: Advice = { ENOENT: "`proposals` lists those that wait", EIO: storageAdvice };

/** Creates a command that works on the proposals of a memory. The memory may have no file yet. */
export function proposalCommand<Input extends OptionValues>(settings: ProposalCommandSettings<Input>): AddCommand {
  return memoryCommand<Input>({
    ...settings,
    options: [...(settings.options ?? []), ...targetOptions],
    access: "read",
    missing: "allow",
    advice,
    run: async (open, input, context) => settings.run(withProposals(open), input, context),
  });
}

/** @throws CommandError EUSAGE if the memory keeps no proposals */
export function withProposals(open: OpenTarget): OpenProposals {
  const { proposals = null } = open.memory;
  if (proposals === null) throw usageError(`${open.name} keeps no proposals; name a memory in MongoDB`);
  return { ...open, proposals };
}

/** @throws CommandError ENOENT */
export async function readProposal({ proposals, name }: OpenProposals, id: string): Promise<MemoryProposal> {
  const proposal = await proposals.get(id);
  if (proposal !== null) return proposal;
  throw new CommandError("ENOENT", `${name} has no proposal ${id}; \`proposals\` lists those that wait`);
}

export function formatProposal(
  proposal: Omit<MemoryProposal, "content" | "oldContent" | "diff" | "proposed" | "base">,
  out: Output,
): string {
  const { id, status, at, command, path, to, actor, decidedBy, reason } = proposal;
  const [from, target] = [path, to].map((each) => (each === "" ? "(redacted)" : each));
  const change = `${command.padEnd(6)}  ${target === null ? from : `${from} -> ${target}`}`;
  const decision = decidedBy === null ? status : `${status} by ${formatActor(decidedBy)}`;
  const facts = `${formatActor(actor)}; ${decision}${reason === null ? "" : `: ${reason}`}`;
  return (
    `${out.style("yellow", id)}  ${at.toISOString()}  ${out.foreign(change)} ` +
    ` ${out.style("dim", out.foreign(facts))}`
  );
}
