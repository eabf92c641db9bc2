import { z } from "zod";
import type { MemoryProposal, MemoryProposals } from "../../core/approval/memory-proposals.js";
import { PageRefusal } from "../answers.js";
import { addressFields, pageOf } from "../fields.js";
import { changeableMemory, readableMemory, reviewerOf } from "../page-memory.js";
import { type Route, route } from "../route.js";

const statuses = ["pending", "applying", "approved", "rejected"] as const;
const maxProposals = 500;

const listSchema = z.object({ ...addressFields, status: z.enum(statuses).optional() }).strict();

const list = route("GET", "proposals", listSchema, async ({ status, ...address }, context) => {
  const { proposals } = readableMemory(context, address);
  if (!proposals) return { proposals: [], more: false };
  const { page, more } = await pageOf(proposals.list(status === undefined ? {} : { status }), 0, maxProposals);
  return {
    proposals: page.map(({ content: _content, oldContent: _old, diff: _diff, base: _base, ...facts }) => facts),
    more,
  };
});

const id = z.string().min(1).max(512);

/** By its list: `get` would finish what a crash has left, and a page that only shows changes nothing. */
const one = route(
  "GET",
  "proposal",
  z.object({ ...addressFields, id }).strict(),
  async ({ id: wanted, ...address }, context): Promise<MemoryProposal> => {
    const { proposals } = readableMemory(context, address);
    for (const status of proposals ? statuses : []) {
      for await (const proposal of proposals?.list({ status }) ?? []) if (proposal.id === wanted) return proposal;
    }
    throw new PageRefusal(404, "ENOENT", "this memory has no such proposal");
  },
);

const by = z.string().min(1).max(512).optional();
const decision = { address: z.object(addressFields).strict(), id, by };

const approveSchema = z.object({ ...decision, content: z.string().optional() }).strict();

const approve = route("POST", "approve", approveSchema, async ({ address, id: wanted, by: name, content }, context) =>
  proposalsOf(changeableMemory(context, address, name)).approve(wanted, {
    by: reviewerOf(context, name),
    ...(content !== undefined && { content }),
  }),
);

const rejectSchema = z.object({ ...decision, reason: z.string().min(1).max(2000).optional() }).strict();

const reject = route("POST", "reject", rejectSchema, async ({ address, id: wanted, by: name, reason }, context) =>
  proposalsOf(changeableMemory(context, address, name)).reject(wanted, {
    by: reviewerOf(context, name),
    ...(reason !== undefined && { reason }),
  }),
);

function proposalsOf({ proposals }: { proposals?: MemoryProposals | null }): MemoryProposals {
  if (proposals) return proposals;
  throw new PageRefusal(404, "ENOENT", "this memory keeps no proposals");
}

export const proposalRoutes: readonly Route[] = [list, one, approve, reject];
