import type { CallContext } from "../../../core/runtime/call.js";
import type { FindCursor, FindOptions } from "mongodb";
import {
  addressOrNull,
  type CheckedAddress,
  isMemoryScope,
  type OwnerField,
  ownerFields,
} from "../../../core/values/address.js";
import { parseMemoryNamespace, getMemoryNamespace } from "../../../core/values/namespace.js";
import { type Batches, flattened, mergeOrdered } from "../../driver/ordered-streams.js";
import { reading, streamingBatches } from "../../driver/reads.js";
import { compareNamespaces } from "../../operations/namespaces.js";
import { addressKeys } from "../addresses/address-keys.js";
import { type AddressRange, addressRangesWithin } from "../addresses/address-ranges.js";
import { mayBePresent } from "../life/memory-expiry.js";
import { type MemoriesContext, nameShards } from "../memory-context.js";
import type { MemoryDocument } from "../documents/page-document.js";
import { parseHeadId } from "../documents/page-ids.js";
import { expiryFields } from "../reading/known-pages.js";

/** A memory with the requested fields of the document that contains its address. */
export interface FoundMemory {
  address: CheckedAddress;
  namespace: string[];
  document: MemoryDocument;
}

/** A part of one of the indexes of addresses. */
interface Selection {
  filter: object;
  order: Record<string, 1>;
  /** The ids that the filter leaves open, in the order of the index. */
  openIds: readonly ("nodeId" | OwnerField)[];
}

/** The size of a batch of whole documents. The server also ends a batch at 16 MB. */
const batchSize = 20;

/** The most addresses that are kept in memory at a time. */
const selectionSize = 1000;

/**
 * Matches memories with content. MongoDB compares only objects with an object, and the empty object is the smallest.
 */
const notEmpty = { $or: [{ data: { $gt: {} } }, { dirs: { $gt: {} } }, { hi: { $exists: true } }] };

/** Returns all memories with content at or below `prefix`, in the order of their namespaces. */
export async function* memoriesWithin(
  context: MemoriesContext,
  prefix: readonly string[],
  fields: "all" | "address",
  call: CallContext,
): AsyncGenerator<FoundMemory> {
  await reading(async () => context.ready());
  const selections = addressRangesWithin(prefix).map((range) => createSelection(range, context));
  const few = fields === "address" ? await findFew(context, selections, call) : null;
  if (few !== null) yield* few;
  else {
    const streams = selections.flatMap((selection) => [
      usualDocuments(context, selection, fields, call),
      ...(selection.openIds.length > 0 ? [unusualDocuments(context, selection, fields, call)] : []),
    ]);
    yield* flattened(mergeOrdered(streams, compareMemories));
  }
}

/** Finds the addresses of all scopes with one command. Null if there are more than are kept in memory. */
async function findFew(
  { collection }: MemoriesContext,
  selections: readonly Selection[],
  call: CallContext,
): Promise<FoundMemory[] | null> {
  if (selections.length === 0) return [];
  const filter = { $or: selections.map((selection) => selection.filter) };
  const options = {
    ...fieldsProjection("address"),
    limit: selectionSize + 1,
    batchSize: selectionSize + 2,
  };
  const few = await reading(() => collection.find<MemoryDocument>(filter, call, options).toArray());
  return few.length > selectionSize ? null : few.flatMap(toFound).toSorted(compareMemories);
}

function createSelection(range: AddressRange, { expiry }: MemoriesContext): Selection {
  const ownerField = ownerFields[range.scope];
  const ids = ownerField === null ? (["nodeId"] as const) : (["nodeId", ownerField] as const);
  const openIds = ids.filter((id) => range[id] === undefined);
  // The partial index contains only documents with an owner. The server uses it only if the filter requires an owner
  // too, and without an order only if the filter bounds the first id.
  const anyOwner = ownerField !== null && range[ownerField] === undefined ? { [ownerField]: { $exists: true } } : {};
  const anyNode = { nodeId: { $gte: "" } };
  // Without the order of the index the server might choose to read the whole collection.
  return {
    filter: {
      ...anyNode,
      ...range,
      ...anyOwner,
      ...mayBePresent(expiry.deadline(range.scope)),
      ...nameShards(range),
      ...notEmpty,
    },
    order: addressKeys[range.scope],
    openIds,
  };
}

/**
 * An index sorts ids by UTF-8 bytes; the store sorts encoded labels by code units. Ids without these characters have
 * the same order in both, so they can be streamed from the index.
 */
const unusualCharacters = "[%.:\uE000-\u{10FFFF}]";

async function* usualDocuments(
  context: MemoriesContext,
  { filter, order, openIds }: Selection,
  fields: "all" | "address",
  call: CallContext,
): AsyncGenerator<FoundMemory[]> {
  const usual = openIds.map((id) => ({ [id]: { $not: { $regex: unusualCharacters } } }));
  yield* found(context, { $and: [filter, ...usual] }, { sort: order, ...fieldsProjection(fields) }, call);
}

/**
 * Reads the memories with unusual ids. Reads the index in several passes, each of which selects the next ones in order.
 */
async function* unusualDocuments(
  context: MemoriesContext,
  { filter, order, openIds }: Selection,
  fields: "all" | "address",
  call: CallContext,
): AsyncGenerator<FoundMemory[]> {
  const unusual = { $or: openIds.map((id) => ({ [id]: { $regex: unusualCharacters } })) };
  const candidates = (): AsyncGenerator<FoundMemory[]> =>
    found(context, { $and: [filter, unusual] }, { sort: order, ...fieldsProjection("address") }, call);
  let last: string[] | null = null;
  for (;;) {
    const next: FoundMemory[] = await firstAfter(last, candidates());
    if (fields === "address") yield next;
    else for (const { address } of next) yield* found(context, { $and: [filter, address] }, {}, call);
    if (next.length < selectionSize) return;
    last = next.at(-1)?.namespace ?? null;
  }
}

async function firstAfter(last: string[] | null, documents: Batches<FoundMemory>): Promise<FoundMemory[]> {
  let kept: FoundMemory[] = [];
  for await (const batch of documents) {
    const later = batch.filter(({ namespace }) => last === null || compareNamespaces(namespace, last) > 0);
    kept = [...kept, ...later].toSorted(compareMemories).slice(0, selectionSize);
  }
  return kept;
}

async function* found(
  { collection }: MemoriesContext,
  filter: object,
  options: FindOptions,
  call: CallContext,
): AsyncGenerator<FoundMemory[]> {
  const open = async (): Promise<FindCursor<MemoryDocument>> =>
    collection.find<MemoryDocument>(filter, call, { batchSize, ...options });
  for await (const documents of streamingBatches(open)) yield documents.flatMap(toFound);
}

/** Empty if the ids are invalid, because no memory can be opened on such a document. */
function toFound(document: MemoryDocument): FoundMemory[] {
  const stored = storedAddress(document);
  if (!Object.values(stored).every((id) => typeof id === "string")) return [];
  // All its ids are strings.
  const namespace = getMemoryNamespace(stored as CheckedAddress);
  const address = parseMemoryNamespace(namespace);
  return address === null ? [] : [{ address, namespace, document }];
}

function compareMemories(a: { namespace: string[] }, b: { namespace: string[] }): number {
  return compareNamespaces(a.namespace, b.namespace);
}

/** Projects the fields that form the address of a memory, for `storedAddress`. */
export const addressProjection = { nodeId: 1, scope: 1, threadId: 1, userId: 1 } as const;

/** Returns the fields of the document that form the address, unchecked. */
export function storedAddress(document: StoredAddress): object {
  const { nodeId, scope } = document;
  const ownerField = isMemoryScope(scope) ? ownerFields[scope] : null;
  return ownerField === null ? { nodeId, scope } : { nodeId, scope, [ownerField]: document[ownerField] };
}

/** Only heads have the fields of the address, but the ids of all pages begin with it. Null if no memory can have it. */
export function parseAddress(document: StoredAddress & { _id: unknown }): CheckedAddress | null {
  return addressOrNull(storedAddress(document)) ?? parseHeadId(document._id);
}

type StoredAddress = Partial<Record<"nodeId" | "scope" | OwnerField, unknown>>;

function fieldsProjection(fields: "all" | "address"): FindOptions {
  if (fields === "all") return {};
  return { projection: { ...addressProjection, ...expiryFields }, batchSize: selectionSize };
}
