import { randomBytes } from "node:crypto";
import { MemoryError } from "../values/errors.js";
import { lostRace, maxAttempts, pause } from "../runtime/lost-race.js";
import type { ChangeRecord, ChangeRecords } from "../contract/change-record.js";

export function newToken(): string {
  return randomBytes(12).toString("hex");
}

/**
 * Makes a change that was approved, once, whoever else tries, and whatever crashes: whoever comes next goes on here.
 *
 * An attempt takes the record over by a token of its own, reads the memory, looks whether the token still stands, and
 * changes the memory only if nobody has changed it since it was read. So an attempt that was overtaken between two of
 * these steps changes nothing.
 *
 * @param claimed with status `applying`
 * @returns `pending`: what it was made against has changed, so nothing was done, and the record is open again
 * @throws what the memory refuses; the record is then open again. EIO leaves it to the next caller
 */
export async function carryOut(records: ChangeRecords, claimed: ChangeRecord): Promise<ChangeRecord> {
  const { id } = claimed;
  let current = claimed;
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const { token } = current;
    const isCurrent = async (): Promise<boolean> => {
      const found = await records.find(id);
      return found?.status === "applying" && found.token === token;
    };
    const outcome = await applied(records, current, isCurrent);
    if (outcome === "applied") {
      const approved = await records.swap(id, { status: "applying" }, { status: "approved", token: null });
      await records.unmark(id);
      return approved ?? (await records.find(id)) ?? { ...current, status: "approved" };
    }
    if (outcome === "changed") {
      const open = await reopened(records, current);
      if (open !== null) return open;
    }
    await pause(attempt);
    const taken = await records.swap(id, { status: "applying" }, { token: newToken() });
    if (taken === null) return (await records.find(id)) ?? current;
    current = taken;
  }
  throw lostRace();
}

/** Goes on with what another attempt has begun, which may have crashed or may still be at it. */
export async function finish(records: ChangeRecords, record: ChangeRecord): Promise<ChangeRecord> {
  if (record.status !== "applying") return record;
  const taken = await records.swap(record.id, { status: "applying" }, { token: newToken() });
  return taken === null ? ((await records.find(record.id)) ?? record) : carryOut(records, taken);
}

async function applied(
  records: ChangeRecords,
  current: ChangeRecord,
  isCurrent: () => Promise<boolean>,
): ReturnType<ChangeRecords["apply"]> {
  try {
    return await records.apply(current, isCurrent);
  } catch (error) {
    if (MemoryError.isInstance(error) && error.code !== "EIO") await reopened(records, current);
    throw error;
  }
}

function reopened(records: ChangeRecords, { id, token }: ChangeRecord): Promise<ChangeRecord | null> {
  return records.swap(
    id,
    { status: "applying", token },
    { status: "pending", token: null, claim: null, edited: null, decidedBy: null, decidedAt: null },
  );
}
