import type { Db } from "mongodb";
import { reading } from "./reads.js";

/**
 * Returns the names of collections that exist. If the user may not list collections, the answer contains those that the
 * user may read.
 * @throws MemoryError EIO
 */
export async function presentCollections(db: Db, names: readonly string[]): Promise<ReadonlySet<string>> {
  const found = await reading(() =>
    db.listCollections({ name: { $in: [...names] } }, { nameOnly: true, authorizedCollections: true }).toArray(),
  );
  return new Set(found.map(({ name }) => name));
}
