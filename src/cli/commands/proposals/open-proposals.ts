import type { MemoryProposals } from "../../../core/approval/memory-proposals.js";
import { pickDefined } from "../../../core/settings/pick-defined.js";
import { checkProposalFilter } from "../../../mongodb/admin/checks.js";
import type { CliContext } from "../../context.js";
import { about, type Advice, CommandError, storageAdvice } from "../../errors.js";
import { openMemoryIn, withMemories } from "../../targets/open-target.js";
import { getOwner, type TargetOptions } from "../../targets/target-options.js";

/** A proposal, and the proposals of its memory. */
export interface FoundProposal {
  id: string;
  proposals: MemoryProposals;
}

const advice: Advice = { ENOENT: "`proposals` lists those that wait", EIO: storageAdvice };

/** Waiting proposals come first, because most ids are of them. */
const statuses = [undefined, "approved", "rejected"] as const;

/** Finds proposals of any memories by their ids, as `proposals` prints them. @throws CommandError ENOENT */
export function withProposals<T>(
  ids: readonly string[],
  { access, ...input }: TargetOptions & { access: "read" | "write" },
  context: CliContext,
  run: (found: FoundProposal[]) => Promise<T>,
): Promise<T> {
  const name = `proposal ${ids.join(", ")}`;
  return withMemories(context, input, async (database) => {
    const found = new Map<string, FoundProposal>();
    for (const status of statuses) {
      if (found.size === ids.length) break;
      const range = checkProposalFilter(pickDefined({ ...getOwner(input), status }));
      for await (const { id, address } of database.proposals(range)) {
        if (!ids.includes(id)) continue;
        const { proposals } = openMemoryIn(database, address, { access }).memory;
        if (proposals !== null) found.set(id, { id, proposals });
        if (found.size === ids.length) break;
      }
    }
    const missing = ids.filter((id) => !found.has(id));
    if (missing.length > 0)
      throw new CommandError(
        "ENOENT",
        `there is no proposal ${missing.join(", ")}; \`proposals\` lists those that wait`,
      );
    return about(name, () => run(ids.flatMap((id) => found.get(id) ?? [])), advice);
  });
}
