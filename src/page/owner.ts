import { type CheckedAddress, getOwner } from "../core/values/address.js";
import { describeLaterVersion } from "../core/history/later-version.js";
import { MemoryError } from "../core/values/errors.js";
import type { Steps } from "../core/runtime/time-slices.js";
import { isObject } from "../core/values/unknown-values.js";
import type { MemoryFilter, MemoryOwner, ProposalFilter } from "../mongodb/memories/addresses/memory-filter.js";
import type { PageOwner } from "./options.js";
import { PageRefusal } from "./refusal.js";
import type { PageMemories } from "./route.js";

/**
 * Confines a page to the memories of one person. It refuses all other memories without a look-up, so the answer is the
 * same whether they exist or not.
 */
export function confine(memories: PageMemories, { userId }: PageOwner): PageMemories {
  const isOwn = (address: CheckedAddress): boolean => address.scope === "perUser" && getOwner(address) === userId;
  const narrow = <Filter extends MemoryFilter>(filter: Filter): (Filter & { userId: string }) | null => {
    const { scope = "perUser", threadId, userId: asked = userId } = filter;
    return scope === "perUser" && threadId === undefined && asked === userId ? { ...filter, userId } : null;
  };
  const assertOwn = (isAllowed: boolean): void => {
    if (!isAllowed) throw new PageRefusal(404, "ENOENT", "there is no such memory");
  };
  return {
    memory: (address, access) => {
      assertOwn(isOwn(address));
      return memories.memory(address, access);
    },
    nodeOf: (address) => (isOwn(address) ? memories.nodeOf?.(address) : undefined),
    listMemories: (filter) => listNarrowed(narrow(filter), (own) => memories.listMemories(own)),
    listProposals: (filter) => listNarrowed(narrow<ProposalFilter>(filter), (own) => memories.listProposals(own)),
    forget: async (who) => {
      assertOwn(isAddress(who) ? isOwn(who) : "userId" in who && who.userId === userId);
      const { mentions: _ofOthers, ...counts } = await memories.forget(who);
      return counts;
    },
  };
}

function isAddress(who: CheckedAddress | MemoryOwner): who is CheckedAddress {
  return "nodeId" in who;
}

async function* listNarrowed<Filter, Listed>(
  filter: Filter | null,
  list: (filter: Filter) => AsyncIterable<Listed>,
): AsyncGenerator<Listed> {
  if (filter !== null) yield* list(filter);
}

/** Fields of an answer that name who did something: a person, or only a thread. */
const actorNames = new Set(["actor", "decidedBy", "redactedBy"]);

/**
 * Returns an answer without the ids of other people, in steps, because an answer may have a line for each newline of a
 * megabyte. Their changes stay, and so do the names of agents and programs.
 */
export function* hideOthers(value: unknown, owner: PageOwner, name: string | null = null): Steps<unknown> {
  if (Array.isArray(value)) {
    const shown: unknown[] = [];
    for (const each of value) shown.push(isObject(each) ? yield* hideOthers(each, owner) : each);
    return shown;
  }
  if (!isObject(value) || value instanceof Date) return value;
  yield;
  const fields: [string, unknown][] = [];
  for (const [field, inner] of Object.entries(value)) fields.push([field, yield* hideOthers(inner, owner, field)]);
  const isPerson = "userId" in value || (name !== null && actorNames.has(name));
  const isOther = isPerson && value["userId"] !== owner.userId;
  return Object.fromEntries(isOther ? fields.filter(([field]) => !personal.has(field)) : fields);
}

const personal = new Set(["userId", "threadId"]);

/** Returns an error without the names of the people who have decided about a proposal, or have changed a file since. */
export function hideOthersInError(error: unknown): unknown {
  if (!MemoryError.isInstance(error)) return error;
  const { path, details: { decision, laterVersion } = {} } = error;
  if (decision !== undefined)
    return new PageRefusal(409, "ECONFLICT", `the proposal ${decision.proposal} was ${decision.status} already`);
  if (laterVersion !== undefined)
    return new PageRefusal(409, "ECONFLICT", describeLaterVersion({ ...laterVersion, actor: null }, path));
  return error;
}
