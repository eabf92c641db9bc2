import { randomUUID } from "node:crypto";

/**
 * Creates a unique name for a change. Random, because times repeat: clients have different clocks, and two changes can
 * be made in one millisecond. No ObjectId, because this package would then load the driver. Node makes UUIDs in
 * advance; other random bytes take ten times as long. These 64 bits of a UUID are all random.
 */
export function newChangeId(): string {
  const uuid = randomUUID();
  return uuid.slice(0, 8) + uuid.slice(28);
}
