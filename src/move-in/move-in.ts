import { randomUUID } from "node:crypto";
import { z } from "zod";
import { maxBatch } from "../core/bulk.js";
import type { Memory } from "../core/memory.js";
import { assertMemory } from "../core/mounts/mounts.js";
import { withinTime } from "../core/runtime/call.js";
import { TimeSlices } from "../core/runtime/time-slices.js";
import { checkOptions, signalField } from "../core/settings/check-options.js";
import { describeFault } from "../core/settings/faults.js";
import { getReason, hasCode, invalid, MemoryError } from "../core/values/errors.js";
import { isAbsolutePath, joinPaths, normalizePath, ROOT } from "../core/values/paths.js";
import { checkText, utf8Bytes } from "../core/values/text.js";
import { getField } from "../core/values/unknown-values.js";
import { type EntryResult, EntryWriter, type ReadyEntry } from "./entry-writer.js";
import type { MoveInEntry, MoveInNote } from "./entry.js";
import { withOrigin } from "./origin.js";

/** Options of `moveIn`. */
export interface MoveInOptions {
  /** The directory that receives everything. @default "/" */
  into?: string;
  /** Whether files with another text are replaced. Otherwise they are skipped. @default false */
  overwrite?: boolean;
  /** Writes nothing, and reports what would be. Keeps the tree in memory. @default false */
  dryRun?: boolean;
  /** The person in the source whose entries are taken. @default the user of a memory of scope `perUser` */
  fromUser?: string;
  signal?: AbortSignal;
}

/** The results of `moveIn`. With `dryRun`, the results that it would have. */
export interface MoveInReport {
  /** The run that the versions name. */
  runId: string;
  written: number;
  /** Entries that were there already. */
  unchanged: number;
  /** Entries that could not be taken. */
  skipped: number;
  /** Entries that lost a part. */
  shortened: number;
  /** The first 1,000 that were skipped or shortened: their name in the source, and the reason. */
  losses: { what: string; result: "written" | "unchanged" | "skipped"; why: string }[];
}

const maxLosses = 1000;

const optionsSchema = z.strictObject({
  into: z.string().refine(isAbsolutePath, 'must be a path, such as "/imported"').default(ROOT),
  overwrite: z.boolean().default(false),
  dryRun: z.boolean().default(false),
  fromUser: z.string().min(1).optional(),
  signal: signalField.optional(),
});

/** The client that versions of a move name. */
const moveInClient = "import";

/** The server lets the transaction of a process that was killed stand in the way for a minute. */
const timeoutMs = 120_000;

type Item = MoveInEntry | MoveInNote;

/**
 * Moves texts into a memory. Each entry is taken once: a second run changes nothing, and a run after a crash writes what
 * is missing. Keeps only a part of the entries in memory.
 *
 * @param entries as `readEntries` reads them, or of your own program
 * @returns the counts of the outcomes: nothing is left out without a reason
 * @throws TypeError for bad arguments; the errors of the entries and of the memory. What was moved stays:
 * `details.moved` of a MemoryError counts it
 */
export async function moveIn(
  memory: Memory,
  entries: AsyncIterable<Item> | Iterable<Item>,
  options: MoveInOptions = {},
): Promise<MoveInReport> {
  assertMemory(memory, "moveIn: memory");
  if (
    typeof entries !== "object" ||
    entries === null ||
    !(Symbol.asyncIterator in entries || Symbol.iterator in entries)
  )
    throw new TypeError("moveIn: entries must be an iterable of entries");
  const { into, signal, fromUser, ...settings } = checkOptions("MoveInOptions", optionsSchema, options);
  const { address } = memory;
  const owner = fromUser ?? (address.scope === "perUser" ? address.userId : undefined);
  const runId = `${moveInClient}-${randomUUID()}`;
  const target = memory.with({ actor: { client: moveInClient, runId }, timeoutMs, ...(signal && { signal }) });
  const report: MoveInReport = { runId, written: 0, unchanged: 0, skipped: 0, shortened: 0, losses: [] };
  const add = (what: string, result: EntryResult, shortened: string | null): void => {
    const outcome = MemoryError.isInstance(result) ? "skipped" : result;
    const why = MemoryError.isInstance(result) ? describeRefusal(result) : shortened;
    report[outcome] += 1;
    if (why !== null && outcome !== "skipped") report.shortened += 1;
    if (why !== null && report.losses.length < maxLosses) report.losses.push({ what, result: outcome, why });
  };
  try {
    const writer = await EntryWriter.open(target, settings);
    for await (const batch of toBatches(entries, { into: normalizePath(into), owner, signal, add })) {
      const results = await writer.write(batch);
      for (const [index, { what, shortened }] of batch.entries()) add(what, results[index] ?? "unchanged", shortened);
    }
  } catch (error) {
    throw withMoved(error, report);
  }
  return report;
}

interface Taking {
  into: string;
  /** The person whose entries are taken. */
  owner: string | undefined;
  signal: AbortSignal | undefined;
  add: (what: string, result: EntryResult, shortened: string | null) => void;
}

/** Yields what can be written, as much as one change should bring in, and reports the rest. */
async function* toBatches(
  entries: AsyncIterable<Item> | Iterable<Item>,
  { into, owner, signal, add }: Taking,
): AsyncGenerator<ReadyEntry[]> {
  let batch: ReadyEntry[] = [];
  let bytes = 0;
  const slices = new TimeSlices(signal ?? null);
  for await (const item of untilAborted(entries, signal)) {
    // A source that waits for nothing would keep the event loop.
    if (slices.isOver()) await slices.next();
    const what = String(getField(item, "what") ?? getField(item, "path"));
    try {
      if (typeof item !== "object" || item === null) throw invalid("it is no entry");
      if (item.kind === "note") throw invalid(item.why);
      const ready = prepare(item, what, into, owner);
      bytes += utf8Bytes(ready.content);
      if (batch.length > 0 && (batch.length === maxBatch.files || bytes > maxBatch.bytes)) {
        yield batch;
        [batch, bytes] = [[], utf8Bytes(ready.content)];
      }
      batch.push(ready);
    } catch (error) {
      if (!hasCode(error, "EINVAL")) throw error;
      add(what, error, null);
    }
  }
  if (batch.length > 0) yield batch;
}

/** Yields the entries of a source. After the signal, it waits for the source no longer. @throws the reason of the signal */
async function* untilAborted(
  entries: AsyncIterable<Item> | Iterable<Item>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Item> {
  if (signal === undefined) {
    yield* entries;
    return;
  }
  const iterator: AsyncIterator<Item, undefined> | Iterator<Item, undefined> =
    Symbol.asyncIterator in entries ? entries[Symbol.asyncIterator]() : entries[Symbol.iterator]();
  const close = async (): Promise<unknown> => iterator.return?.();
  let isOver = false;
  try {
    for (;;) {
      const readNext = async (): Promise<IteratorResult<Item, undefined>> => iterator.next();
      const next = await withinTime({ signals: [signal], timeoutMs: Infinity }, "read", readNext);
      isOver = next.done === true;
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    // A generator that hangs never closes, so nobody waits for it.
    if (signal.aborted) close().catch(() => {});
    else if (!isOver) await close();
  }
}

const textField = z.string({ message: "must be a text" }).optional();
const dateField = z.date({ message: "must be a valid date" }).optional();

/** The fields that nothing else checks. */
const entrySchema = z.object({
  id: textField,
  at: dateField,
  createdAt: dateField,
  author: textField,
  sources: z.array(z.string(), { message: "must be a list of texts" }).optional(),
  shortened: textField,
});

/** @throws MemoryError EINVAL */
function prepare(entry: MoveInEntry, what: string, into: string, owner: string | undefined): ReadyEntry {
  const [issue] = entrySchema.safeParse(entry).error?.issues ?? [];
  if (issue !== undefined) throw invalid(describeFault({ issue }));
  const { userId, at = new Date(), createdAt = at, shortened = null } = entry;
  // The reason names nobody.
  if (userId !== undefined && (userId ?? undefined) !== owner) {
    if (userId === null) throw invalid("it names no user");
    throw invalid(owner === undefined ? "it belongs to a user, and no user was named" : "it belongs to another user");
  }
  const day = entry.at?.toISOString().slice(0, 10) ?? null;
  const local = normalizePath(entry.path);
  checkText(entry.content, "the text");
  const content = entry.id === undefined ? withOrigin(entry) : entry.content;
  return {
    ...entry,
    content,
    path: normalizePath(joinPaths(into, local)),
    at,
    createdAt,
    day,
    what,
    shortened,
  };
}

function describeRefusal(error: MemoryError): string {
  return error.code === "EEXIST" ? "another text is there already" : getReason(error);
}

/** Returns the error that ends a move, with the counts until then. An error of the file system is one of the source. */
function withMoved(error: unknown, report: MoveInReport): unknown {
  const code = typeof getField(error, "syscall") === "string" ? String(getField(error, "code")) : null;
  const ended = code === null ? error : invalid(`the source cannot be read (${code})`, error);
  if (!MemoryError.isInstance(ended)) return ended;
  const { losses: _, runId: __, ...moved } = report;
  return Object.assign(ended, { details: { ...ended.details, moved } });
}
