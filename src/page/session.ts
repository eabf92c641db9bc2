import type { DatabasePlace } from "../core/values/database-place.js";
import type { Visitor } from "./guard.js";
import type { PageMemories } from "./route.js";

/** What the client shows of the visitor, and where the memories are, if it is known. */
export type Session = Visitor & { place: DatabasePlace | null };

/** Where the memories are concerns nobody who may see only their own. */
export function describeSession(visitor: Visitor, { place = null }: { place?: PageMemories["place"] | null }): Session {
  return { ...visitor, place: visitor.owner === undefined ? place : null };
}
