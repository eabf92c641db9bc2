import type { z } from "zod";
import { pickDefined } from "../core/settings/pick-defined.js";
import { type CheckedAddress, getOwner } from "../core/values/address.js";
import type { MemorySummary } from "../mongodb/memories/addresses/memory-filter.js";
import { type listFields, takePage } from "./fields.js";
import type { PageMemories } from "./route.js";

/** Selects memories of a list. `named` is a part of an id, in any case. */
type ListQuery = z.output<z.ZodObject<typeof listFields>>;

interface FoundMemories {
  /** In the order of the store. */
  page: MemorySummary[];
  /** Whether there are more pages. */
  more: boolean;
  /** False if there are memories that were not read. */
  isAll: boolean;
}

/** The most memories of a page of the list. */
export const maxListed = 500;

/** MongoDB has no index for a part of an id, so that many memories are read to find it. */
const maxRead = 5000;

/** Returns a page of the selected memories. Behind the first 5,000, an id must equal the text of `named`. */
export async function findMemories(
  memories: Pick<PageMemories, "listMemories">,
  { named, ...fields }: ListQuery,
  offset: number,
  limit: number,
): Promise<FoundMemories> {
  const filter = pickDefined(fields);
  if (named === undefined) {
    const { page, more } = await takePage(memories.listMemories(filter), offset, limit);
    return { page, more, isAll: !more };
  }
  const first = await takePage(memories.listMemories(filter), 0, maxRead);
  const found = first.page.filter(({ address }) => isNamed(address, named));
  const { nodeId, threadId, userId, scope } = filter;
  if (first.more && (nodeId ?? threadId ?? userId) === undefined) {
    const known = new Set(found.map(({ address }) => JSON.stringify(address)));
    for (const id of [{ nodeId: named }, { threadId: named }, { userId: named }]) {
      const { page } = await takePage(memories.listMemories(id), 0, maxRead);
      const isNew = ({ address }: MemorySummary): boolean =>
        address.scope === (scope ?? address.scope) && !known.has(JSON.stringify(address));
      found.push(...page.filter(isNew));
    }
  }
  const more = found.length > offset + limit;
  return { page: found.slice(offset, offset + limit), more, isAll: !first.more && !more };
}

function isNamed(address: CheckedAddress, text: string): boolean {
  return [address.nodeId, getOwner(address) ?? ""].some((id) => id.toLowerCase().includes(text.toLowerCase()));
}
