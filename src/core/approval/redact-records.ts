import {
  type ChangeRecord,
  type ChangeRecords,
  changeStatuses,
  type RecordPage,
  type RecordPageEnd,
} from "../contract/change-record.js";
import { lostRace, maxAttempts, pause } from "../runtime/lost-race.js";
import type { MemoryActor } from "../values/actor.js";
import { isRefusal } from "../values/errors.js";
import { reload, resume } from "./apply-once.js";

/** A redaction of the proposals of a memory, and of the changes that wait for a person in a run. */
export interface RecordRedaction {
  /** Whether a record loses its texts. */
  isTied: (record: ChangeRecord) => boolean;
  /** Whether a record that loses its texts also loses this path. */
  isPathRedacted: (path: string) => boolean;
  /** Covers the text in the reason of a rejection, which stays. */
  coverShort: (text: string) => string;
  /** @returns the same sources if they stay as they are */
  coverSources: (sources: string[]) => string[];
  /** @returns the same actor if it stays as it is */
  coverActor: <Actor extends MemoryActor | null>(actor: Actor) => Actor;
}

export async function* listRecords(records: ChangeRecords): AsyncGenerator<ChangeRecord> {
  for (const kind of ["interrupt", "proposal"] as const)
    yield* listPages((after) => records.page(kind, changeStatuses, after));
}

/** Reads a page only after the previous page was consumed. */
export async function* listPages(
  readPage: (after: RecordPageEnd | null) => Promise<RecordPage>,
): AsyncGenerator<ChangeRecord> {
  let after: RecordPageEnd | null = null;
  do {
    const page: RecordPage = await readPage(after);
    yield* page.records;
    after = page.end;
  } while (after !== null);
}

/**
 * Redacts all records that the redaction concerns. A record still says who proposed and who decided. A pending record is
 * rejected, because nobody can see any more what it changes.
 * @returns the number of records that the redaction concerned. If there were any, look again: to redact a record whose
 * approval a crash has interrupted, or which another process approves at the same time, makes its change first
 */
export async function redactRecords(records: ChangeRecords, redaction: RecordRedaction): Promise<number> {
  let count = 0;
  for await (const record of listRecords(records)) if (await redactRecord(records, record, redaction)) count += 1;
  return count;
}

/** @returns whether the redaction concerned the record */
export async function redactRecord(
  records: ChangeRecords,
  record: ChangeRecord,
  redaction: RecordRedaction,
): Promise<boolean> {
  let current = record;
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const fields = createFields(current, redaction);
    if (fields === null) return attempt > 0;
    if (current.status === "applying") {
      current = await decide(records, current);
      continue;
    }
    if ((await records.swap(record.id, { status: current.status }, fields)) !== null) return true;
    const found = await records.find(record.id);
    if (found === null) return true;
    current = found;
    await pause(attempt);
  }
  throw lostRace();
}

/**
 * Finishes an approved change before its record is redacted. Reason: the process that approved it has the texts in
 * memory, and could make the change later.
 */
async function decide(records: ChangeRecords, record: ChangeRecord): Promise<ChangeRecord> {
  try {
    return await resume(records, record);
  } catch (error) {
    // The memory refuses the change, and the record is pending again.
    if (isRefusal(error)) return reload(records, record);
    throw error;
  }
}

/** @returns null if the redaction does not concern the record */
export function createFields(record: ChangeRecord, redaction: RecordRedaction): Partial<ChangeRecord> | null {
  const { actor, decidedBy, origin } = record;
  const sources = origin?.sources && redaction.coverSources(origin.sources);
  const fields = {
    ...(origin && sources !== undefined && sources !== origin.sources && { origin: { ...origin, sources } }),
    ...(redaction.isTied(record) && createEmptyFields(record, redaction)),
    ...(redaction.coverActor(actor) !== actor && { actor: redaction.coverActor(actor) }),
    ...(redaction.coverActor(decidedBy) !== decidedBy && { decidedBy: redaction.coverActor(decidedBy) }),
  };
  return Object.keys(fields).length === 0 ? null : fields;
}

/** The digest of the base goes too: a short text can be guessed from it. */
function createEmptyFields(
  { status, path, to, reason, origin }: ChangeRecord,
  { isPathRedacted, coverShort, coverSources }: RecordRedaction,
): Partial<ChangeRecord> {
  return {
    content: null,
    oldContent: null,
    before: null,
    after: null,
    edited: null,
    diff: "",
    base: "",
    ...(isPathRedacted(path) && { path: "" }),
    ...(to !== null && isPathRedacted(to) && { to: "" }),
    ...(origin && {
      origin: { ...origin, ...(origin.sources && { sources: coverSources(origin.sources) }), reason: "" },
    }),
    ...(reason !== null && { reason: coverShort(reason) }),
    ...(status === "pending" && { status: "rejected", reason: "redacted" }),
  };
}

/** Returns all texts of a record, without the names of actors. */
export function getTexts(record: ChangeRecord): string[] {
  const { path, to, content, oldContent, before, after, edited, diff, reason, origin } = record;
  // In a diff, a text of several lines has a sign before each of them.
  const shown = diff.replaceAll(/^[ +-]/gm, "");
  const own = [path, to, content, oldContent, before, after, diff, shown, reason, origin?.reason];
  return [...own, edited?.content, edited?.after, edited?.diff].filter((text) => typeof text === "string");
}
