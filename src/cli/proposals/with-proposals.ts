import type { MemoryProposal, MemoryProposals, Reviewer } from "../../core/approval/memory-proposals.js";
import { actorField, maxActorChars } from "../../core/values/actor.js";
import { MemoryError } from "../../core/values/errors.js";
import { programName } from "../command.js";
import type { CliContext } from "../context.js";
import { about, CommandFault, storageAdvice, usageFault } from "../fault.js";
import { styledDiff } from "../history/styled-diff.js";
import { type OpenMemory, withMemory } from "../targets/open-target.js";
import type { TargetOptions } from "../targets/target-options.js";

export interface OpenProposals extends OpenMemory {
  proposals: MemoryProposals;
}

export function aboutProposal<T>(subject: string, run: () => Promise<T>): Promise<T> {
  return about(subject, run, { ENOENT: "`proposals` lists those that wait", EIO: storageAdvice });
}

/**
 * Opens the proposals of the memory that the options name, which may be of a memory that has no file yet. @throws
 * CommandFault where there are none
 */
export async function withProposals<T>(
  context: CliContext,
  options: TargetOptions,
  access: "readAny" | "write",
  run: (open: OpenProposals) => Promise<T>,
): Promise<T> {
  return withMemory(context, options, access, async (open) => {
    const { proposals = null } = open.memory;
    if (proposals === null) throw usageFault(`${open.name} keeps no proposals; name a memory in MongoDB`);
    return run({ ...open, proposals });
  });
}

/** @throws CommandFault ENOENT */
export async function found({ proposals, name }: OpenProposals, id: string): Promise<MemoryProposal> {
  const proposal = await aboutProposal(`proposal ${id}`, () => proposals.get(id));
  if (proposal === null)
    throw new CommandFault("ENOENT", `${name} has no proposal ${id}; \`proposals\` lists those that wait`);
  return proposal;
}

/**
 * Opens those of a proposal that is there: to decide about one that is not would make a database of a mistyped name.
 */
export async function withProposal<T>(
  context: CliContext,
  options: TargetOptions,
  id: string,
  run: (open: OpenProposals) => Promise<T>,
): Promise<T> {
  await withProposals(context, options, "readAny", (open) => found(open, id));
  return withProposals(context, options, "write", run);
}

/** @throws CommandFault EUSAGE */
export function reviewerOf(by: string): Reviewer {
  const reviewer = { userId: by, client: programName };
  if (!actorField.safeParse(reviewer).success)
    throw usageFault(`--by: who decides is named by 1 to ${maxActorChars} characters`);
  return reviewer;
}

/** Shows what an approval would do by now, where the file has changed, as a diff on the standard error. */
export async function showingConflict<T>(
  { err }: CliContext,
  { json = false }: { json?: boolean },
  id: string,
  approve: () => Promise<T>,
): Promise<T> {
  try {
    return await approve();
  } catch (error) {
    if (!MemoryError.isInstance(error) || error.code !== "ECONFLICT") throw error;
    const [sentence = "", ...diff] = error.message.split("\n");
    if (diff.length > 0 && !json) await err.write(styledDiff(diff.join("\n").replace(/\n?$/, "\n"), err));
    throw new CommandFault("ECONFLICT", `proposal ${id}: ${sentence.replace(/\. It would now be:$/, "")}`, {
      cause: error,
    });
  }
}
