import { z } from "zod";
import type { CheckedAddress } from "../../core/values/address.js";
import { addressIn, countField, filterFields, listFields, maxMemoriesOffset, takePage } from "../fields.js";
import { findMemories, maxListed } from "../find-memories.js";
import { PageRefusal } from "../refusal.js";
import { route } from "../route.js";

const listSchema = z.strictObject({ ...listFields, offset: countField(maxMemoriesOffset) });

const list = route("GET", "memories", listSchema, async ({ offset, ...query }, { memories }) => {
  const { page, more, isAll } = await findMemories(memories, query, offset, maxListed);
  const end = offset + maxListed;
  return { memories: page, next: more && end <= maxMemoriesOffset ? end : null, isAll };
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
