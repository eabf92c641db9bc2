import { z } from "zod";
import type { CheckedAddress } from "../../core/values/address.js";
import {
  addressIn,
  countField,
  filterFields,
  listFields,
  createFilter,
  maxMemoriesOffset,
  takePage,
} from "../fields.js";
import { memorySorts, sortMemories } from "../memory-lists.js";
import { PageRefusal } from "../refusal.js";
import { route } from "../route.js";

const pageSize = 500;

const listSchema = z.strictObject({
  ...listFields,
  offset: countField(0, maxMemoriesOffset),
  sort: z.enum(memorySorts).default("changed"),
});

const list = route("GET", "memories", listSchema, async (input, { lists, signal }) => {
  const { offset, sort, named, ...filter } = input;
  const { memories, isAll } = await lists.find(createFilter(filter), named);
  const byNode = await sortMemories(memories, sort, signal);
  const end = offset + pageSize;
  const page = [...byNode.values()].flat().slice(offset, end);
  const nodes = [...new Set(page.map(({ address }) => address.nodeId))];
  return {
    memories: page,
    /** The number of memories of each node, on all pages of the list. */
    nodes: nodes.map((nodeId) => ({ nodeId, count: byNode.get(nodeId)?.length ?? 0 })),
    next: end < memories.length ? end : null,
    total: memories.length,
    isAll,
  };
});

/** An address, or only a thread or a user: all memories of this owner, in all nodes. */
const whoSchema = z.strictObject(filterFields);

type Who = CheckedAddress | { threadId: string } | { userId: string };

function parseWho({ nodeId, scope, threadId, userId }: z.output<typeof whoSchema>): Who {
  if (nodeId !== undefined) return addressIn({ nodeId, scope, threadId, userId });
  if (scope === undefined && threadId !== undefined && userId === undefined) return { threadId };
  if (scope === undefined && userId !== undefined && threadId === undefined) return { userId };
  throw new PageRefusal(400, "EINVAL", "pass the address of a memory, or a threadId or a userId alone");
}

const maxCounted = 5000;
const maxShown = 20;

const previewForget = route("GET", "forget-preview", whoSchema, async (fields, { memories }) => {
  const { page, more } = await takePage(memories.listMemories(parseWho(fields)), 0, maxCounted);
  return {
    memories: page.slice(0, maxShown),
    count: page.length,
    files: page.reduce((sum, { files }) => sum + files, 0),
    more,
  };
});

const forget = route("POST", "forget", whoSchema, async (fields, { memories }) => memories.forget(parseWho(fields)));

export const memoryRoutes = [list, previewForget, forget] as const;
