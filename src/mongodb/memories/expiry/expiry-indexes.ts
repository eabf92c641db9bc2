import { type MemoryScope, memoryScopes } from "../../../core/values/address.js";
import type { TtlIndex } from "../../driver/ttl-indexes.js";
import type { ExpireMsOptions } from "./memory-expiry.js";

const expiryIndexNames = {
  global: "expire_global",
  perThread: "expire_per_thread",
  perUser: "expire_per_user",
} as const satisfies Record<MemoryScope, string>;

/**
 * Returns the indexes by which MongoDB deletes expired documents with addresses. They are partial by type, so that the
 * server never considers them for the look-up of an address.
 */
export function expiryIndexes(expireMs: ExpireMsOptions, isPart: object = {}): TtlIndex[] {
  return memoryScopes.flatMap((scope) => {
    const { [scope]: lifetimeMs } = expireMs;
    if (lifetimeMs === undefined) return [];
    const partialFilterExpression = { scope, nodeId: { $type: "string" }, ...isPart };
    return [
      {
        name: expiryIndexNames[scope],
        key: { updatedAt: 1 },
        partialFilterExpression,
        expireAfterSeconds: Math.ceil(lifetimeMs / 1000),
      },
    ];
  });
}
