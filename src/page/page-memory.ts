import type { MemoryActor } from "../core/values/actor.js";
import type { Reviewer } from "../core/approval/memory-proposals.js";
import { isPaged, type PagedHistory } from "../core/backend-history.js";
import type { Memory } from "../core/memory.js";
import { PageRefusal } from "./refusal.js";
import { addressIn } from "./fields.js";
import type { RouteContext } from "./route.js";

type AddressFields = Parameters<typeof addressIn>[0];

const client = "langgraph-mongo-memory page";

/** @throws MemoryError EINVAL */
export function openMemory({ memories, signal }: RouteContext, address: AddressFields): Memory {
  return memories.memory(addressIn(address), "read").with({ signal });
}

/**
 * Opens a memory with the mounts of its node. @throws MemoryError EINVAL, PageRefusal for a mount that only a run can
 * find
 */
export function openTree(context: RouteContext, fields: AddressFields): Memory {
  const address = addressIn(fields);
  const node = context.memories.nodeOf?.(address);
  if (node === undefined) return openMemory(context, address);
  try {
    return node.memory(fields.threadId ?? fields.userId).with({ signal: context.signal, paths: "posix" });
  } catch (error) {
    // For example, a mount that answers with a promise.
    if (error instanceof TypeError)
      throw new PageRefusal(400, "EINVAL", `the tree of this node cannot be shown: ${error.message}`);
    throw error;
  }
}

/**
 * Opens a memory whose changes name the visitor. A change continues even if the browser has left. @param by the
 * visitor's signature, if the server does not know the visitor
 */
export function openToChange(
  { memories, visitor }: RouteContext,
  address: AddressFields,
  by: string | undefined,
): Memory {
  const userId = visitor.userId ?? by;
  const actor: MemoryActor = { client, ...(userId !== undefined && { userId }) };
  return memories.memory(addressIn(address), "write").with({ actor });
}

/** @throws PageRefusal if nobody is named */
export function requireReviewer({ visitor }: RouteContext, by: string | undefined): Reviewer {
  const userId = visitor.userId ?? by;
  if (userId === undefined) throw new PageRefusal(400, "EINVAL", "by: a decision needs the name of who decides");
  return { userId, client };
}

/** @throws MemoryError EINVAL, PageRefusal if no history is kept */
export function openHistory(context: RouteContext, address: AddressFields): PagedHistory {
  return requireHistory(openMemory(context, address));
}

/** @throws PageRefusal */
export function requireHistory({ history }: Memory): PagedHistory {
  if (history !== null && isPaged(history)) return history;
  throw new PageRefusal(404, "ENOENT", "this memory keeps no history: the store needs the option `history`");
}
