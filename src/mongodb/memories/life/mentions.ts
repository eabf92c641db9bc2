import type { Document } from "mongodb";
import { type CallContext, withinTime } from "../../../core/runtime/call.js";
import { hasCode } from "../../../core/values/errors.js";
import { isUnauthorized } from "../../driver/errors.js";
import { ExactCollection } from "../../driver/exact-collection.js";
import { reading } from "../../driver/reads.js";
import { versionsCollectionName } from "../../history/version-collection.js";
import { bound, type Expression, literal, where } from "../documents/expressions.js";
import { keyOfPath } from "../documents/page-document.js";
import type { Mentions } from "../addresses/memory-filter.js";
import { addressProjection } from "../listing/found-memories.js";
import { type FoundOwner, listAddresses, lookUpOwners } from "../listing/found-owners.js";
import type { MemoriesContext } from "../memory-context.js";

const maxCounted = 10_000;
const maxAddresses = 20;
/** The part of the time of a call in which texts are looked through. */
const timeShare = 0.3;

/**
 * Looks for an id in the texts of all memories, their versions and proposals, and in all items. The server reads all of
 * them, and returns ids only.
 * @param startMs when the call began
 * @returns null if the time is up, or if the user may not read one of the collections
 */
export async function findMentions(
  context: MemoriesContext,
  itemsCollection: string,
  id: string,
  startMs: number,
  call: CallContext,
): Promise<Mentions | null> {
  const leftMs = 0.9 * call.timeoutMs - (performance.now() - startMs);
  const timeoutMs = Math.min(timeShare * call.timeoutMs, leftMs);
  if (timeoutMs <= 0) return null;
  try {
    return await withinTime({ signals: [call.signal], timeoutMs }, "read", (part) =>
      countMentions(context, itemsCollection, id, part),
    );
  } catch (error) {
    call.throwIfAborted();
    if (isUnauthorized(error) || (hasCode(error, "EIO") && performance.now() - startMs >= timeoutMs)) return null;
    throw error;
  }
}

async function countMentions(
  { db, collection: { name } }: MemoriesContext,
  itemsCollection: string,
  id: string,
  call: CallContext,
): Promise<Mentions> {
  // The key of a path has another form of some characters.
  const pattern = [...new Set([id, keyOfPath(`/${id}`)])].map(escapeRegex).join("|");
  const inTexts = (fields: readonly string[]): Document => ({
    $or: fields.map((field) => ({ [field]: { $regex: pattern } })),
  });
  const inValues = (fields: readonly string[]): Document => ({
    $expr: bound([["values", fields.map((field) => `$${field}`)]], mentions("$$values", pattern)),
  });
  const find = (collection: string, filter: Document, stages: Document[] = []): Promise<FoundOwner[]> => {
    const pipeline = [{ $match: filter }, { $limit: maxCounted }, { $project: addressProjection }, ...stages];
    return reading(() =>
      new ExactCollection(db.collection(collection)).aggregate<FoundOwner>(pipeline, call).toArray(),
    );
  };
  const pages = await find(name, inValues(["data", "dirs", "outbox.files", "outbox.directories"]));
  const versionsName = versionsCollectionName(name);
  const versions = await find(
    versionsName,
    inTexts(["path", "from", "older.text", ...changedDirectories.map((field) => `directories.${field}`)]),
    lookUpOwners(versionsName),
  );
  const proposals = await find(`${name}_proposals`, inTexts(recordFields));
  const items = await find(itemsCollection, inValues(["ns", "key", "value"]));
  const addresses = listAddresses([...pages, ...versions, ...proposals]);
  return {
    memories: addresses.length,
    addresses: addresses.slice(0, maxAddresses),
    proposals: proposals.length,
    items: items.length,
  };
}

const changedDirectories = ["added", "removed", "moved.from", "moved.to"];

const recordFields = [
  "path",
  "to",
  "content",
  "oldContent",
  "before",
  "after",
  "diff",
  "reason",
  "origin.reason",
  "origin.sources",
  "edited.content",
  "edited.after",
  "edited.diff",
];

/** The deepest value that is looked through. */
const maxDepth = 12;

/** Whether a text matches the pattern, or any text or name of a field inside a value. */
function mentions(value: Expression, pattern: string, depth = maxDepth): Expression {
  const text = { $convert: { input: value, to: "string", onError: null } };
  const isText = { $regexMatch: { input: text, regex: literal(pattern) } };
  if (depth === 0) return isText;
  const parts = where(
    { $isArray: [value] },
    value,
    where({ $eq: [{ $type: value }, "object"] }, namesAndValues(value), []),
  );
  const part = `part${depth}`;
  const inParts = { $map: { input: parts, as: part, in: mentions(`$$${part}`, pattern, depth - 1) } };
  return { $or: [isText, { $anyElementTrue: [inParts] }] };
}

const namesAndValues = (value: Expression): Expression => ({
  $map: { input: { $objectToArray: value }, as: "field", in: ["$$field.k", "$$field.v"] },
});

function escapeRegex(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}\s_]/gu, String.raw`\$&`);
}
