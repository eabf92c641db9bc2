import type { Db } from "mongodb";
import { reading } from "./reads.js";

/**
 * Which of these collections there are. Answered to users who may not list collections, too: those that they may read.
 * @throws MemoryError EIO
 */
export async function presentCollections(db: Db, names: readonly string[]): Promise<ReadonlySet<string>> {
  const found = await reading(() =>
    db.listCollections({ name: { $in: [...names] } }, { nameOnly: true, authorizedCollections: true }).toArray(),
  );
  return new Set(found.map(({ name }) => name));
}
