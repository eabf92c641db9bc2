import type { CallContext } from "../../../core/runtime/call.js";
import type { Document, FindOptions } from "mongodb";
import { type CheckedAddress, isMemoryScope, type OwnerField, ownerFields } from "../../../core/values/address.js";
import { parseMemoryNamespace, getMemoryNamespace } from "../../../core/values/namespace.js";
import type { ExactCollection } from "../../driver/exact-collection.js";
import { mergeOrdered } from "../../driver/ordered-streams.js";
import { asPlainValues } from "../../driver/plain-values.js";
import { reading, streaming } from "../../driver/reads.js";
import { compareNamespaces } from "../../operations/namespaces.js";
import { addressKeys } from "./address-keys.js";
import { type AddressRange, addressRangesWithin } from "./address-ranges.js";
import { type MemoryExpiry, notExpired } from "../memory-expiry.js";

/** A memory, with as much of the document that says whose it is as was asked for. */
export interface FoundMemory<Stored> {
  address: CheckedAddress;
  namespace: string[];
  document: Stored;
}

/**
 * The documents that say which memories there are: one for each, and one for each that has moved to another layout.
 * They have the ids of its address, and an index for each scope.
 */
export interface AddressedDocuments {
  collection: Pick<ExactCollection<Document>, "find">;
  ready: () => Promise<void> | undefined;
  expiry: Pick<MemoryExpiry, "deadline">;
}

/** A part of one of those indexes. */
interface Selection {
  filter: object;
  order: Record<string, 1>;
  /** The ids that the filter leaves open, as the index sorts them. */
  openIds: readonly ("nodeId" | OwnerField)[];
}

/** By which a layout knows the mark of a memory that has moved. */
const markFields = { revision: 1, kind: 1 } as const;

/** A batch of whole documents; the server also ends it at 16 MB. */
const batchSize = 20;

/** How many addresses with unusual ids are held at a time. */
const selectionSize = 1000;

/** All memories at or below `prefix` whose documents match the filter, in the order of their namespaces. */
export function memoriesWithin<Stored extends Document>(
  documents: AddressedDocuments,
  prefix: readonly string[],
  fields: "all" | "address",
  call: CallContext,
  matching: object = {},
): AsyncGenerator<FoundMemory<Stored>> {
  const streams = addressRangesWithin(prefix)
    .map((range) => createSelection(range, matching, documents))
    .flatMap((selection) => [
      usualDocuments<Stored>(documents, selection, fields, call),
      ...(selection.openIds.length > 0 ? [unusualDocuments<Stored>(documents, selection, fields, call)] : []),
    ]);
  return mergeOrdered(streams, (a, b) => compareNamespaces(a.namespace, b.namespace));
}

function createSelection(
  range: AddressRange,
  matching: object,
  { expiry }: Pick<AddressedDocuments, "expiry">,
): Selection {
  const ownerField = ownerFields[range.scope];
  const ids = ownerField === null ? (["nodeId"] as const) : (["nodeId", ownerField] as const);
  const openIds = ids.filter((id) => range[id] === undefined);
  // The partial index holds documents with an owner only; the server uses it where the filter says so too.
  const anyOwner = ownerField !== null && range[ownerField] === undefined ? { [ownerField]: { $exists: true } } : {};
  // Without the order of the index the server might choose to read the whole collection.
  return {
    filter: { ...range, ...anyOwner, ...notExpired(expiry.deadline(range.scope)), ...matching },
    order: addressKeys[range.scope],
    openIds,
  };
}

/**
 * An index sorts ids by UTF-8 bytes as they are, the store sorts labels by code units as they are encoded. Ids without
 * these characters sort alike both ways, so they can be streamed straight from the index.
 */
const unusualCharacters = "[%.:\uE000-\u{10FFFF}]";

async function* usualDocuments<Stored extends Document>(
  documents: AddressedDocuments,
  { filter, order, openIds }: Selection,
  fields: "all" | "address",
  call: CallContext,
): AsyncGenerator<FoundMemory<Stored>> {
  const usual = openIds.map((id) => ({ [id]: { $not: { $regex: unusualCharacters } } }));
  yield* found<Stored>(documents, { $and: [filter, ...usual] }, { sort: order, ...fieldsProjection(fields) }, call);
}

/** The others, found in passes over the index that each pick the next ones in order. */
async function* unusualDocuments<Stored extends Document>(
  documents: AddressedDocuments,
  { filter, order, openIds }: Selection,
  fields: "all" | "address",
  call: CallContext,
): AsyncGenerator<FoundMemory<Stored>> {
  const unusual = { $or: openIds.map((id) => ({ [id]: { $regex: unusualCharacters } })) };
  const candidates = (): AsyncGenerator<FoundMemory<Stored>> =>
    found<Stored>(documents, { $and: [filter, unusual] }, { sort: order, ...fieldsProjection("address") }, call);
  let last: string[] | null = null;
  for (;;) {
    const next: FoundMemory<Stored>[] = await firstAfter(last, candidates());
    for (const memory of next) {
      if (fields === "address") yield memory;
      else yield* found<Stored>(documents, { $and: [filter, memory.address] }, {}, call);
    }
    if (next.length < selectionSize) return;
    last = next.at(-1)?.namespace ?? null;
  }
}

async function firstAfter<Stored>(
  last: string[] | null,
  documents: AsyncIterable<FoundMemory<Stored>>,
): Promise<FoundMemory<Stored>[]> {
  let kept: FoundMemory<Stored>[] = [];
  const keepFirst = (): void => {
    kept = kept.toSorted((a, b) => compareNamespaces(a.namespace, b.namespace)).slice(0, selectionSize);
  };
  for await (const document of documents) {
    if (last !== null && compareNamespaces(document.namespace, last) <= 0) continue;
    kept.push(document);
    if (kept.length >= 2 * selectionSize) keepFirst();
  }
  keepFirst();
  return kept;
}

async function* found<Stored extends Document>(
  { collection, ready }: AddressedDocuments,
  filter: object,
  options: FindOptions,
  call: CallContext,
): AsyncGenerator<FoundMemory<Stored>> {
  await reading(async () => ready());
  const cursor = collection.find<Stored>(filter, { batchSize, ...asPlainValues, ...options }, call);
  for await (const document of streaming(cursor)) {
    const stored = storedAddress(document);
    // Documents whose ids are not legal are none of ours: no memory can be opened on them.
    if (!Object.values(stored).every((id) => typeof id === "string")) continue;
    // All its ids are strings.
    const namespace = getMemoryNamespace(stored as CheckedAddress);
    const address = parseMemoryNamespace(namespace);
    if (address !== null) yield { address, namespace, document };
  }
}

/** The fields of the document that say whose it is, as they are. */
export function storedAddress(document: StoredAddress): object {
  const { nodeId, scope } = document;
  const ownerField = isMemoryScope(scope) ? ownerFields[scope] : null;
  return ownerField === null ? { nodeId, scope } : { nodeId, scope, [ownerField]: document[ownerField] };
}

type StoredAddress = Partial<Record<"nodeId" | "scope" | OwnerField, unknown>>;

function fieldsProjection(fields: "all" | "address"): FindOptions {
  if (fields === "all") return {};
  return { projection: { nodeId: 1, scope: 1, threadId: 1, userId: 1, ...markFields }, batchSize: selectionSize };
}
