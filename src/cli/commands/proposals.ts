import { Option } from "commander";
import { maxReasonChars } from "../../core/approval/decision.js";
import type {
  MemoryProposal,
  MemoryProposals,
  ProposalSummary,
  Reviewer,
} from "../../core/approval/memory-proposals.js";
import type { ChangeStatus } from "../../core/contract/change-record.js";
import { actorField, maxActorChars } from "../../core/values/actor.js";
import { MemoryError } from "../../core/values/errors.js";
import { checkProposalFilter } from "../../mongodb/admin/checks.js";
import { pickDefined } from "../collections.js";
import { createCommand, programName, type Report } from "../command.js";
import { formatActor, styleDiff } from "./history/format.js";
import { getOwner } from "./memories/memories.js";
import type { CliContext } from "../context.js";
import { about, type Advice, asUsage, CommandError, storageAdvice, usageError } from "../errors.js";
import { formatAddress } from "../targets/address.js";
import { openMemoryIn, type OpenTarget, withMemories, withMemory } from "../targets/open-target.js";
import { targetOptions, type TargetOptions } from "../targets/target-options.js";
import type { Output } from "../terminal/output.js";
import { printEach } from "../terminal/print-each.js";

interface ProposalsInput extends ProposalInput {
  status?: ChangeStatus;
  all?: boolean;
}

const statuses: readonly ChangeStatus[] = ["pending", "applying", "approved", "rejected"];

const noneFound = "no proposal was found";

export const showProposals = createCommand<ProposalsInput>({
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
      const { id, status, json } = input;
      if (id === undefined) {
        const none = `${noneFound}; \`proposals --all\` lists those of all memories`;
        await printEach(context, json, open.proposals.list(pickDefined({ status })), formatProposal, none);
        return undefined;
      }
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

async function listAll(input: ProposalsInput, context: CliContext): Promise<undefined> {
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
        const message = `proposal ${id}: what it changes has changed since it was made; ${advice}`;
        throw new CommandError("ECONFLICT", message, { cause: error });
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

function decide<Decision extends DecisionInput>(
  input: Decision,
  context: CliContext,
  run: (proposals: MemoryProposals, input: Decision) => Promise<MemoryProposal>,
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

interface OpenProposals extends OpenTarget {
  proposals: MemoryProposals;
}

interface ProposalInput extends TargetOptions {
  id?: string | undefined;
  json?: boolean;
}

const advice: Advice = { ENOENT: "`proposals` lists those that wait", EIO: storageAdvice };

/**
 * Opens the proposals of a memory for reading. The memory may have no file yet. If an id comes without a memory, finds
 * the memory of the waiting proposal: `proposals --all` prints ids of all memories.
 */
async function withProposals<T>(
  input: ProposalInput,
  context: CliContext,
  run: (open: OpenProposals) => Promise<T>,
): Promise<T> {
  const { id, node, dir, paths = "posix" } = input;
  const runOpen = (open: OpenTarget): Promise<T> =>
    about(id === undefined ? open.name : `proposal ${id}`, async () => run(getProposals(open)), advice);
  if (id === undefined || node !== undefined || dir !== undefined)
    return withMemory(context, input, { access: "read", missing: "allow" }, runOpen);
  const range = asUsage("--thread or --user", () => checkProposalFilter(getOwner(input)));
  return withMemories(context, input, async (database) => {
    for await (const { id: waiting, address } of database.proposals(range))
      if (waiting === id) return runOpen(openMemoryIn(database, address, { access: "read", paths }));
    throw new CommandError("ENOENT", `no proposal ${id} waits; \`proposals --all\` lists those that do`);
  });
}

/** @throws CommandError EUSAGE if the memory keeps no proposals */
function getProposals(open: OpenTarget): OpenProposals {
  const { proposals = null } = open.memory;
  if (proposals === null) throw usageError(`${open.name} keeps no proposals; name a memory in MongoDB`);
  return { ...open, proposals };
}

/** @throws CommandError ENOENT */
async function readProposal({ proposals, name }: OpenProposals, id: string): Promise<MemoryProposal> {
  const proposal = await proposals.get(id);
  if (proposal !== null) return proposal;
  throw new CommandError("ENOENT", `${name} has no proposal ${id}; \`proposals\` lists those that wait`);
}

function formatProposal(
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
