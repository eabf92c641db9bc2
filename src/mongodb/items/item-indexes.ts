import type { IndexDescription } from "mongodb";

export const defaultItemsCollection = "items";

/** Lists the namespaces that hold an item which has not expired. */
export const byNamespace = { name: "items_by_namespace", key: { ns: 1, expiresAt: 1 } } satisfies IndexDescription;

/** MongoDB deletes what expired, about once a minute. Sparse: items without an end have no entry. */
const byExpiry = {
  name: "items_by_expiry",
  key: { expiresAt: 1 },
  expireAfterSeconds: 0,
  sparse: true,
} satisfies IndexDescription;

export function itemIndexes(needed: { expiry: boolean; ranking: readonly IndexDescription[] }): IndexDescription[] {
  return [byNamespace, ...(needed.expiry ? [byExpiry] : []), ...needed.ranking];
}
