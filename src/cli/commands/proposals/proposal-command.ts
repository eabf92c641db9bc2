import { Option, type OptionValues } from "commander";
import type { MemoryProposal, MemoryProposals, Reviewer } from "../../../core/approval/memory-proposals.js";
import { actorField, maxActorChars } from "../../../core/values/actor.js";
import { type AddCommand, type CommandTexts, programName, type Report } from "../../command.js";
import type { CliContext } from "../../context.js";
import { type Advice, CommandError, storageAdvice, usageError } from "../../errors.js";
import { memoryCommand, type MemoryInput } from "../../memory-command.js";
import { openMemoryIn, type OpenMemory } from "../../targets/open-target.js";
import { targetOptions } from "../../targets/target-options.js";
import type { Output } from "../../terminal/output.js";
import { formatActor } from "../history/version-text.js";

export interface OpenProposals extends OpenMemory {
  proposals: MemoryProposals;
}

interface ProposalCommandSettings<Input> extends CommandTexts {
  subject: (input: Input, name: string) => string;
  run: (open: OpenProposals, input: MemoryInput<Input>, context: CliContext) => Promise<Report | undefined>;
}

const advice: Advice = { ENOENT: "`proposals` lists those that wait", EIO: storageAdvice };

/** A command that works on the proposals of a memory, which may have no file yet. */
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

/** @throws CommandError EUSAGE where there are none */
function withProposals(open: OpenMemory): OpenProposals {
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

export interface DecisionInput {
  id: string;
  by: Reviewer;
}

interface DecisionCommandSettings<Input> extends CommandTexts {
  /** Names the option `--by` in the help. */
  act: string;
  decide: (
    proposals: MemoryProposals,
    input: Input,
    context: CliContext & { json: boolean },
  ) => Promise<MemoryProposal>;
}

/** A command that decides about a proposal in the name of a person. */
export function decisionCommand<Input extends DecisionInput>(settings: DecisionCommandSettings<Input>): AddCommand {
  const { act, decide, options = [] } = settings;
  const byOption = new Option("--by <person>", `who ${act} it`).makeOptionMandatory().argParser(parseReviewer);
  return proposalCommand<Input>({
    ...settings,
    options: [byOption, ...options],
    subject: ({ id }) => `proposal ${id}`,
    run: async (open, input, context) => {
      // Opened to be changed, a memory of a mistyped name would make a database.
      await readProposal(open, input.id);
      const { proposals } = withProposals(openToChange(open));
      const decided = await decide(proposals, input, { ...context, json: input.json === true });
      return { json: { proposal: decided }, text: `${formatProposal(decided, context.out)}\n` };
    },
  });
}

function openToChange({ stored, paths, ...open }: OpenMemory): OpenMemory {
  if (stored === null) return { stored, paths, ...open };
  return openMemoryIn(stored.database, stored.address, { access: "write", paths });
}

/** @throws CommandError EUSAGE */
function parseReviewer(by: string): Reviewer {
  const reviewer = { userId: by, client: programName };
  if (actorField.safeParse(reviewer).success) return reviewer;
  throw usageError(`--by: who decides is named by 1 to ${maxActorChars} characters`);
}

export function formatProposal(proposal: MemoryProposal, out: Output): string {
  const { id, status, at, command, path, to, actor, decidedBy, reason } = proposal;
  const change = `${command.padEnd(6)}  ${to === null ? path : `${path} -> ${to}`}`;
  const decision = decidedBy === null ? status : `${status} by ${formatActor(decidedBy)}`;
  const facts = `${formatActor(actor)}; ${decision}${reason === null ? "" : `: ${reason}`}`;
  return `${out.style("yellow", id)}  ${at.toISOString()}  ${out.foreign(change)}  ${out.style("dim", out.foreign(facts))}`;
}
