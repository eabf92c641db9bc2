import type { MemoryProposal, MemoryProposals, ProposalSummary } from "../../../core/approval/memory-proposals.js";
import { checkProposalFilter } from "../../../mongodb/admin/checks.js";
import type { CliContext } from "../../context.js";
import { about, type Advice, CommandError, storageAdvice, usageError } from "../../errors.js";
import { openMemoryIn, type OpenTarget, withMemories, withMemory } from "../../targets/open-target.js";
import { getOwner, type TargetOptions } from "../../targets/target-options.js";

interface OpenProposals extends OpenTarget {
  proposals: MemoryProposals;
}

/** Proposals by their ids, or all of a run. */
interface ProposalInput extends TargetOptions {
  ids: readonly string[];
  run?: string | undefined;
}

const advice: Advice = { ENOENT: "`proposals` lists those that wait", EIO: storageAdvice };

/**
 * Opens the proposals of a memory for reading. The memory may have no file yet. If an id or a run comes without a memory,
 * finds the memory of a waiting proposal: `proposals --all` prints ids of all memories.
 */
export async function withProposals<T>(
  input: ProposalInput,
  context: CliContext,
  run: (open: OpenProposals) => Promise<T>,
): Promise<T> {
  const { ids, run: runId, node, dir, paths } = input;
  const name = ids.length > 0 ? `proposal ${ids.join(", ")}` : runId && `run ${runId}`;
  const runOpen = (open: OpenTarget): Promise<T> =>
    about(name ?? open.name, async () => run(getProposals(open)), advice);
  if (name === undefined || node !== undefined || dir !== undefined)
    return withMemory(context, input, { access: "read", missing: "allow" }, runOpen);
  const range = checkProposalFilter(getOwner(input));
  const isNamed = ({ id, actor }: ProposalSummary): boolean => ids.includes(id) || actor?.runId === (runId ?? null);
  return withMemories(context, input, async (database) => {
    for await (const waiting of database.proposals(range))
      if (isNamed(waiting)) return runOpen(openMemoryIn(database, waiting.address, { access: "read", paths }));
    throw new CommandError("ENOENT", `no ${name} waits; \`proposals --all\` lists those that do`);
  });
}

/** @throws CommandError EUSAGE if the memory keeps no proposals */
export function getProposals(open: OpenTarget): OpenProposals {
  const { proposals } = open.memory;
  if (proposals === null) throw usageError(`${open.name} keeps no proposals; name a memory in MongoDB`);
  return { ...open, proposals };
}

/** Reads the named proposals, or those of the run that have the status. @throws CommandError ENOENT */
export async function readProposals(
  { proposals, name }: OpenProposals,
  { ids, run }: ProposalInput,
  status?: MemoryProposal["status"],
): Promise<MemoryProposal[]> {
  const found: MemoryProposal[] = [];
  for (const id of ids) {
    const proposal = await proposals.get(id);
    if (proposal === null)
      throw new CommandError("ENOENT", `${name} has no proposal ${id}; \`proposals\` lists those that wait`);
    found.push(proposal);
  }
  if (run === undefined) return found;
  for await (const proposal of proposals.list(status === undefined ? {} : { status }))
    if (proposal.actor?.runId === run) found.push(proposal);
  if (found.length > 0) return found;
  throw new CommandError(
    "ENOENT",
    `${name} has no such proposal of the run ${run}; \`proposals\` lists those that wait`,
  );
}
