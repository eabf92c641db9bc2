import { createUnlimitedCall } from "../../core/runtime/call.js";
import { types } from "node:util";
import { MemoryError } from "../../core/values/errors.js";
import { parseMemoryNamespace } from "../../core/values/namespace.js";
import type { ItemCollection } from "../items/item-collection.js";
import type { ItemOperation, RankedFields } from "../items/item-document.js";
import type { ItemPut } from "../items/item-updates.js";
import { literals } from "../driver/records.js";
import { isPlainObject } from "../operations/values.js";
import { copyFile } from "../memories/files/file-copies.js";
import type { ItemTimes } from "../memories/reading/file-items.js";
import type { MemoriesContext } from "../memories/memory-context.js";
import { checkOperation } from "../operations/checked-operation.js";
import type { Ranking } from "../search/ranking.js";

/** An item of another store, unchecked. */
export interface ForeignItem {
  namespace: unknown;
  key: unknown;
  value: unknown;
  createdAt: unknown;
  updatedAt: unknown;
  /** Absent: the item never expires. */
  expiresAt?: unknown;
}

export interface CopyReport {
  copied: number;
  /** Items that the store already has, with the same time or a newer one. */
  unchanged: number;
  /** Expired items, and directories of memories, which come with their files. */
  skipped: number;
  /** Items that this store cannot store, each with the error of a `put`. */
  refused: { item: ForeignItem; reason: Error }[];
}

export interface ForeignItemsContext {
  items: ItemCollection;
  memories: MemoriesContext;
  ranking: Ranking | undefined;
  clock: () => Date;
}

interface GivenTimes extends ItemTimes {
  expiresAt?: Date;
}

/**
 * Copies items of another store with their times. Never replaces an item that is as new or newer. Sends one bulk write
 * for all items, and up to four commands for each file of a memory. A dry run only reads, and reports the same counts.
 * @throws MemoryError EIO
 */
export async function copyForeignItems(
  context: ForeignItemsContext,
  items: readonly ForeignItem[],
  dryRun: boolean,
): Promise<CopyReport> {
  const { memories, ranking, clock } = context;
  const report: CopyReport = { copied: 0, unchanged: 0, skipped: 0, refused: [] };
  const puts = new Map<ItemPut, GivenTimes>();
  for (const item of items) {
    try {
      const times = checkTimes(item);
      if (hasExpired(times, clock()) || isDirectory(item)) {
        report.skipped += 1;
        continue;
      }
      const { namespace, key, value } = item;
      const checked = checkOperation({ namespace, key, value }, ranking);
      if (checked.kind === "putItem") puts.set(checked, times);
      else if (checked.kind === "putMemory") report[await copyFile(memories, checked, times, dryRun)] += 1;
      else throw new TypeError("an item's value must be a plain object (given null)");
    } catch (error) {
      if (!isRefusal(error)) throw error;
      report.refused.push({ item, reason: error });
    }
  }
  const copied = await (dryRun ? countOlder(context, puts) : copyItems(context, puts));
  report.copied += copied;
  report.unchanged += puts.size - copied;
  return report;
}

async function countOlder({ items }: ForeignItemsContext, puts: ReadonlyMap<ItemPut, GivenTimes>): Promise<number> {
  const stored = await items.find(
    Array.from(puts.keys(), ({ location }) => location.id),
    createUnlimitedCall(),
  );
  const isStored = ([{ location }, { updatedAt }]: [ItemPut, GivenTimes]): boolean =>
    (stored.get(location.id)?.updatedAt ?? 0) >= updatedAt;
  return [...puts].filter((put) => !isStored(put)).length;
}

async function copyItems(
  { items, ranking }: ForeignItemsContext,
  puts: ReadonlyMap<ItemPut, GivenTimes>,
): Promise<number> {
  const call = createUnlimitedCall();
  const ranked = await ranking?.createFields([...puts.keys()], items, call);
  return items.copy(
    Array.from(puts, ([put, times]) => createCopy(put, { ...times, ...ranked?.get(put) })),
    call,
  );
}

/** The filter is the id alone, as for puts. The server keeps a stored item that is as new or newer. */
function createCopy({ location, ns, value }: ItemPut, fields: GivenTimes & RankedFields): ItemOperation {
  const { id, key } = location;
  const copy = { _id: "$_id", ...literals({ ns, key, value, ...fields }) };
  // A new document has no time. A missing time sorts before every date.
  const isOlder = { $lt: ["$updatedAt", fields.updatedAt] };
  const update = [{ $replaceWith: { $cond: [isOlder, copy, "$$ROOT"] } }];
  return { updateOne: { filter: { _id: id }, update, upsert: true } };
}

function checkTimes({ createdAt, updatedAt, expiresAt }: ForeignItem): GivenTimes {
  if (!types.isDate(createdAt) || !types.isDate(updatedAt))
    throw new TypeError("an item's createdAt and updatedAt must be dates");
  if (expiresAt === undefined || expiresAt === null) return { createdAt, updatedAt };
  if (!types.isDate(expiresAt)) throw new TypeError("an item's expiresAt must be a date");
  return { createdAt, updatedAt, expiresAt };
}

function hasExpired({ expiresAt }: GivenTimes, now: Date): boolean {
  return expiresAt !== undefined && expiresAt <= now;
}

/** Whether the item is a directory, as memories in other stores write one. */
function isDirectory({ namespace, key, value }: ForeignItem): boolean {
  if (!Array.isArray(namespace) || typeof key !== "string" || !isPlainObject(value)) return false;
  // Labels that are no strings are refused later.
  return value["directory"] === true && key.endsWith("/") && parseMemoryNamespace(namespace as string[]) !== null;
}

/** Whether the item is refused. Errors of the storage or of the embeddings end the copy. */
function isRefusal(error: unknown): error is Error {
  if (MemoryError.isInstance(error)) return error.code !== "EIO";
  return error instanceof TypeError || (error instanceof Error && error.name === "InvalidNamespaceError");
}
