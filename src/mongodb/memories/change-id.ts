import { randomUUID } from "node:crypto";

/**
 * Names a change, and no other change ever. Random, as times repeat: clocks of clients differ, and two changes are made
 * in one millisecond. Not an ObjectId, for which the driver would be loaded with this package. Node makes UUIDs in
 * advance, but no other random bytes, which take ten times as long. These 64 bits of one are all random.
 */
export function newChangeId(): string {
  const uuid = randomUUID();
  return uuid.slice(0, 8) + uuid.slice(28);
}
