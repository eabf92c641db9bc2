import type { MemoryProposal, MemoryProposals } from "../../../core/approval/memory-proposals.js";
import { checkProposalFilter } from "../../../mongodb/admin/checks.js";
import type { CliContext } from "../../context.js";
import { about, type Advice, asUsage, CommandError, storageAdvice, usageError } from "../../errors.js";
import { type OpenTarget, withMemories, withMemory } from "../../targets/open-target.js";
import type { TargetOptions } from "../../targets/target-options.js";
import type { Output } from "../../terminal/output.js";
import { formatActor } from "../history/version-text.js";
import { getOwner } from "../memories/memories.js";

export interface OpenProposals extends OpenTarget {
  proposals: MemoryProposals;
}

export interface ProposalInput extends TargetOptions {
  id?: string | undefined;
  json?: boolean;
}

const advice: Advice = { ENOENT: "`proposals` lists those that wait", EIO: storageAdvice };

/** Opens the proposals of a memory for reading. The memory may have no file yet. */
export async function withProposals<T>(
  input: ProposalInput,
  context: CliContext,
  run: (open: OpenProposals) => Promise<T>,
): Promise<T> {
  const target = await addMemory(input, context);
  return withMemory(context, target, { access: "read", missing: "allow" }, (open) =>
    about(input.id === undefined ? open.name : `proposal ${input.id}`, async () => run(getProposals(open)), advice),
  );
}

/** Adds the memory of a waiting proposal if none is named: `proposals --all` prints ids of all memories. */
async function addMemory(input: ProposalInput, context: CliContext): Promise<ProposalInput> {
  const { id, node: given, dir } = input;
  if (id === undefined || given !== undefined || dir !== undefined) return input;
  const range = asUsage("--thread or --user", () => checkProposalFilter(getOwner(input)));
  return withMemories(context, input, async (database) => {
    for await (const { id: waiting, address } of database.proposals(range)) {
      const { nodeId: node, threadId: thread, userId: user } = { threadId: undefined, userId: undefined, ...address };
      if (waiting === id) return { ...input, node, thread, user };
    }
    throw new CommandError("ENOENT", `no proposal ${id} waits; \`proposals --all\` lists those that do`);
  });
}

/** @throws CommandError EUSAGE if the memory keeps no proposals */
export function getProposals(open: OpenTarget): OpenProposals {
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
