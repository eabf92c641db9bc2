import { randomBytes } from "node:crypto";
import { isRefusal } from "../values/errors.js";
import { lostRace, maxAttempts, pause } from "../runtime/lost-race.js";
import type { ApplyOutcome, ApprovedTexts, ChangeRecord, InterruptRecords } from "../contract/change-record.js";

export function createToken(): string {
  return randomBytes(12).toString("hex");
}

/** Approves a pending record. @returns null if it is not pending any more */
export function claimRecord(
  records: InterruptRecords,
  id: string,
  decision: ApprovedTexts & Pick<ChangeRecord, "decidedBy"> & Partial<Pick<ChangeRecord, "actor">>,
): Promise<ChangeRecord | null> {
  const tokens = { token: createToken(), claim: createToken() };
  const fields = { ...decision, ...tokens, decidedAt: records.now(), status: "applying" } as const;
  return records.swap(id, { status: "pending" }, fields);
}

/**
 * Makes an approved change exactly once, even if other processes try too or a process crashes: the next caller resumes.
 *
 * Each attempt first writes its own token into the record. Then it reads the memory, checks that the record still has
 * the token, and changes the memory only if nobody changed it meanwhile. So an attempt changes nothing if another
 * attempt overtook it between two of these steps.
 *
 * @param claimed with status `applying`
 * @returns a record with status `pending` if the base has changed: nothing was done, and the record is released
 * @throws the refusal of the memory; the record is then released. After EIO the next caller resumes
 */
export async function applyOnce(records: InterruptRecords, claimed: ChangeRecord): Promise<ChangeRecord> {
  let current = claimed;
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const outcome = await attemptToApply(records, current);
    if (outcome === "applied") return finish(records, current);
    const released = outcome === "changed" ? await release(records, current) : null;
    if (released !== null) return released;
    await pause(attempt);
    const taken = await takeOver(records, current);
    if (taken === null) return reload(records, current);
    current = taken;
  }
  throw lostRace();
}

/** Continues an attempt that may have crashed, or may still be running. */
export async function resume(records: InterruptRecords, record: ChangeRecord): Promise<ChangeRecord> {
  if (record.status !== "applying") return record;
  const taken = await takeOver(records, record);
  return taken === null ? reload(records, record) : applyOnce(records, taken);
}

/** Returns the stored state of a record. */
export async function reload(records: InterruptRecords, record: ChangeRecord): Promise<ChangeRecord> {
  return (await records.find(record.id)) ?? record;
}

async function attemptToApply(records: InterruptRecords, current: ChangeRecord): Promise<ApplyOutcome> {
  const isCurrent = async (): Promise<boolean> => {
    const stored = await records.find(current.id);
    return stored?.status === "applying" && stored.token === current.token;
  };
  try {
    return await records.apply(current, isCurrent);
  } catch (error) {
    if (isRefusal(error)) await release(records, current);
    throw error;
  }
}

async function finish(records: InterruptRecords, current: ChangeRecord): Promise<ChangeRecord> {
  const approved = await records.swap(current.id, { status: "applying" }, { status: "approved", token: null });
  await records.unmark(current.id);
  return approved ?? reload(records, { ...current, status: "approved" });
}

function takeOver(records: InterruptRecords, { id }: ChangeRecord): Promise<ChangeRecord | null> {
  return records.swap(id, { status: "applying" }, { token: createToken() });
}

function release(records: InterruptRecords, { id, token }: ChangeRecord): Promise<ChangeRecord | null> {
  const undecided = { token: null, claim: null, edited: null, decidedBy: null, decidedAt: null };
  return records.swap(id, { status: "applying", token }, { ...undecided, status: "pending" });
}
