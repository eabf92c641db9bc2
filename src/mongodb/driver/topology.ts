import type { Db } from "mongodb";
import { reading } from "./reads.js";

export type Topology = "standalone" | "replica set" | "sharded cluster";

/** Queries the server. @throws MemoryError EIO */
export async function findTopology(db: Db): Promise<Topology> {
  const { msg, setName } = await reading(() => db.command({ hello: 1 }));
  if (msg === "isdbgrid") return "sharded cluster";
  return setName === undefined ? "standalone" : "replica set";
}
