import { ownClient } from "../core/values/actor.js";
import type { Reviewer } from "../core/approval/memory-proposals.js";
import { isPaged, type PagedHistory } from "../core/backend-history.js";
import type { Memory } from "../core/memory.js";
import { getMountTree } from "../core/mounts/mounted-memory.js";
import type { Mount } from "../core/mounts/mounts.js";
import { isWithin, ROOT } from "../core/values/paths.js";
import { PageRefusal } from "./refusal.js";
import { addressIn } from "./fields.js";
import type { RouteContext } from "./route.js";

type AddressFields = Parameters<typeof addressIn>[0];

const client = `${ownClient} page`;

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
    const owner = fields.threadId ?? fields.userId;
    const memory = node.memoryToShow?.(owner) ?? node.memory(owner);
    return memory.with({ signal: context.signal, paths: "posix" });
  } catch (error) {
    // For example, a mount that answers with a promise.
    if (error instanceof TypeError)
      throw new PageRefusal(400, "EINVAL", `the tree of this node cannot be shown: ${error.message}`);
    throw error;
  }
}

/**
 * Opens a memory in which a person changes something. Its changes name the visitor, and continue even if the browser
 * has left. If the page knows the node, its guard and its limits apply.
 * @param by the visitor's signature, if the server does not know the visitor
 */
export function openToChange(context: RouteContext, fields: AddressFields, by: string | undefined): Memory {
  const address = addressIn(fields);
  const userId = context.visitor.userId ?? by;
  const actor = { client, ...(userId !== undefined && { userId }) };
  const node = context.memories.nodeOf?.(address);
  if (node?.memoryForPerson === undefined) return context.memories.memory(address, "write").with({ actor });
  return node.memoryForPerson(fields.threadId ?? fields.userId, actor).with({ paths: "posix" });
}

/**
 * Opens a memory in which a person writes files.
 * @param paths must not be in a mounted memory, which has limits and a history of its own. @throws PageRefusal
 */
export function openToEdit(
  context: RouteContext,
  fields: AddressFields,
  paths: readonly string[],
  by: string | undefined,
): Memory {
  const points = listMounts(openTree(context, fields)).map(({ point }) => point);
  for (const path of paths) {
    if (points.some((point) => isWithin(path, point)))
      throw new PageRefusal(400, "EINVAL", "this file is in a mounted memory; change it in that memory");
  }
  return openToChange(context, fields, by);
}

/** Lists the memories that are mounted in a memory. */
export function listMounts(memory: Memory): readonly Mount[] {
  return getMountTree(memory)?.mounts.filter(({ point }) => point !== ROOT) ?? [];
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
