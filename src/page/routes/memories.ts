import { z } from "zod";
import type { CheckedAddress } from "../../core/values/address.js";
import {
  addressFields,
  addressIn,
  countField,
  filterFields,
  createFilter,
  maxMemoriesOffset,
  takePage,
} from "../fields.js";
import { memorySorts, sortMemories } from "../memory-lists.js";
import { PageRefusal } from "../refusal.js";
import { route } from "../route.js";

const pageSize = 500;

const listSchema = z
  .object({
    ...filterFields,
    offset: countField(0, maxMemoriesOffset),
    sort: z.enum(memorySorts).default("changed"),
    order: z.enum(["up", "down"]).default("down"),
  })
  .strict();

const list = route("GET", "memories", listSchema, async ({ offset, sort, order, ...filter }, { lists, signal }) => {
  const { memories, isAll } = await lists.read(createFilter(filter));
  const sorted = await sortMemories(memories, sort, order === "down", signal);
  const end = offset + pageSize;
  return { memories: sorted.slice(offset, end), next: end < sorted.length ? end : null, total: sorted.length, isAll };
});

const tokenSchema = z.object(addressFields).strict();

const changeToken = route("GET", "change-token", tokenSchema, async (fields, { memories }) => {
  const { page } = await takePage(memories.listMemories(addressIn(fields)), 0, 1);
  const [memory] = page;
  if (memory === undefined) return { changeToken: null };
  return { changeToken: `${memory.updatedAt.getTime()}-${memory.sizeBytes}-${memory.files}` };
});

/** An address, or only a thread or a user: all memories of this owner, in all nodes. */
const whoSchema = z.object(filterFields).strict();

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

export const memoryRoutes = [list, changeToken, previewForget, forget] as const;
