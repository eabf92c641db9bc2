import { z } from "zod";
import type { MemoryProposal, MemoryProposals } from "../../core/approval/memory-proposals.js";
import type { Memory } from "../../core/memory.js";
import { changeStatuses } from "../../core/contract/change-record.js";
import { isRefusal } from "../../core/values/errors.js";
import { maxBodyBytes } from "../body.js";
import { addressFields, changeFields, filterFields, outerId, takePage } from "../fields.js";
import { parseHunks } from "../hunks.js";
import { openMemory, openToChange, requireReviewer } from "../page-memory.js";
import { PageRefusal } from "../refusal.js";
import { route } from "../route.js";

const maxProposals = 500;

const listSchema = z.strictObject({ ...filterFields, status: z.enum(changeStatuses).optional() });

/** The proposals of one memory, or of all memories, oldest first. Without a status, only proposals that wait for a person. */
const list = route("GET", "proposals", listSchema, async ({ status, nodeId, ...owner }, context) => {
  const address = nodeId === undefined ? {} : openMemory(context, { nodeId, ...owner }).address;
  const proposals = context.memories.listProposals({ ...address, ...(status !== undefined && { status }) });
  const { page, more } = await takePage(proposals, 0, maxProposals);
  return { proposals: page, more };
});

const oneSchema = z.strictObject({ ...addressFields, id: outerId });

const one = route("GET", "proposal", oneSchema, async ({ id, ...address }, context) => {
  const { diff, proposed, ...proposal } = await findProposal(requireProposals(openMemory(context, address)), id);
  const proposedHunks = proposed === undefined ? null : parseHunks(proposed.diff);
  return { ...proposal, hunks: parseHunks(diff), proposedHunks };
});

/**
 * Searches the lists instead of calling `get`. Reason: `get` completes the work of a crashed process, and a read-only
 * page must change nothing.
 */
async function findProposal(proposals: MemoryProposals, id: string): Promise<MemoryProposal> {
  for (const status of changeStatuses)
    for await (const proposal of proposals.list({ status })) if (proposal.id === id) return proposal;
  throw new PageRefusal(404, "ENOENT", "this memory has no such proposal");
}

const decisionFields = { ...changeFields, id: outerId };

const approveSchema = z.strictObject({ ...decisionFields, content: z.string().optional() });

const approve = route(
  "POST",
  "approve",
  approveSchema,
  async ({ address, id, by, content }, context) =>
    requireProposals(openToChange(context, address, by)).approve(id, {
      by: requireReviewer(context, by),
      ...(content !== undefined && { content }),
    }),
  maxBodyBytes.text,
);

const reasonField = z.string().min(1).max(2000).optional();

const rejectSchema = z.strictObject({ ...decisionFields, reason: reasonField });

const reject = route("POST", "reject", rejectSchema, async ({ address, id, by, reason }, context) =>
  requireProposals(openToChange(context, address, by)).reject(id, {
    by: requireReviewer(context, by),
    ...(reason !== undefined && { reason }),
  }),
);

const decideSchema = z.strictObject({
  ...changeFields,
  ids: z.array(outerId).min(1).max(maxProposals),
  decision: z.enum(["approve", "reject"]),
  reason: reasonField,
});

/** Decides about the proposals that a person was shown, one by one. Returns how many were refused. */
const decide = route(
  "POST",
  "decide",
  decideSchema,
  async ({ address, ids, decision, reason, by: name }, context) => {
    const proposals = requireProposals(openToChange(context, address, name));
    const by = requireReviewer(context, name);
    let refused = 0;
    for (const id of ids) {
      try {
        if (decision === "approve") await proposals.approve(id, { by });
        else await proposals.reject(id, { by, ...(reason !== undefined && { reason }) });
      } catch (error) {
        if (!isRefusal(error)) throw error;
        refused += 1;
      }
    }
    return { refused };
  },
  maxBodyBytes.text,
);

function requireProposals({ proposals }: Memory): MemoryProposals {
  if (proposals !== null) return proposals;
  throw new PageRefusal(404, "ENOENT", "this memory keeps no proposals");
}

export const proposalRoutes = [list, one, approve, reject, decide] as const;
