import { findTopology } from "../../driver/topology.js";
import type { PagesContext } from "./pages-context.js";

/**
 * The size from which on a page is split. Smaller pages make reads of the whole memory slower, and larger ones make
 * changes slower (ADR 0051).
 */
export const defaultPageBytes = 256 * 1024;

/** Returns the size from which on a change must split its page first. Null on a server without transactions. */
export function getSplitBytes({ server, pageBytes }: Pick<PagesContext, "server" | "pageBytes">): number | null {
  return server.hasTransactions === false ? null : pageBytes;
}

/** Whether the server has transactions. Asks it once. @throws MemoryError EIO */
export async function hasTransactions({ server, db }: Pick<PagesContext, "server" | "db">): Promise<boolean> {
  server.hasTransactions ??= (await findTopology(db)) !== "standalone";
  return server.hasTransactions;
}
