import type { FindOptions } from "mongodb";
import { type CheckedAddress, isMemoryScope, type OwnerField, ownerFields } from "../../../core/address.js";
import { addressOfNamespace, namespaceOfMemory } from "../../../core/namespace.js";
import { mergeOrdered } from "../../driver/ordered-streams.js";
import { reading, streaming } from "../../driver/reads.js";
import { compareNamespaces } from "../../places/namespaces.js";
import { type AddressRange, addressRangesWithin } from "../address-ranges.js";
import type { MemoryDocument } from "./document.js";
import { documentIndexes } from "./document-indexes.js";
import { asPlainValues, type DocumentContext, notExpired, presentLookUp } from "./document-context.js";

/** A memory that is not empty, with as much of its document as was asked for. */
export interface FoundDocument {
  address: CheckedAddress;
  namespace: string[];
  document: MemoryDocument;
}

/** A part of one of the unique indexes. */
interface Selection {
  filter: object;
  order: Record<string, 1>;
  /** The ids that the filter leaves open, as the index sorts them. */
  openIds: readonly ("nodeId" | OwnerField)[];
}

/** Something lies in it: MongoDB compares only objects with an object, and the empty one is the least. */
const notEmpty = { $or: [{ data: { $gt: {} } }, { dirs: { $gt: {} } }] };

/** A batch of whole documents; the server also ends it at 16 MB. */
const batchSize = 20;

/** How many addresses with unusual ids are held at a time. */
const selectionSize = 1000;

/** All memories that are not empty at or below `prefix`, in the order of their namespaces. */
export function documentsWithin(
  context: DocumentContext,
  prefix: readonly string[],
  fields: "all" | "address",
): AsyncGenerator<FoundDocument> {
  const streams = addressRangesWithin(prefix).map((range) => selectionOf(range, context)).flatMap((selection) => [
    usualDocuments(context, selection, fields),
    ...(selection.openIds.length > 0 ? [unusualDocuments(context, selection, fields)] : []),
  ]);
  return mergeOrdered(streams, (a, b) => compareNamespaces(a.namespace, b.namespace));
}

function selectionOf(range: AddressRange, { expiry }: DocumentContext): Selection {
  const { key } = documentIndexes[range.scope];
  const ownerField = ownerFields[range.scope];
  const ids = ownerField === null ? (["nodeId"] as const) : (["nodeId", ownerField] as const);
  const openIds = ids.filter((id) => range[id] === undefined);
  // The partial index holds documents with an owner only; the server uses it where the filter says so too.
  const anyOwner = ownerField !== null && range[ownerField] === undefined ? { [ownerField]: { $exists: true } } : {};
  // Without the order of the index the server might choose to read the whole collection.
  return { filter: { ...range, ...anyOwner, ...notExpired(expiry.deadline(range.scope)) }, order: key, openIds };
}

/**
 * An index sorts ids by UTF-8 bytes as they are, the store sorts labels by code units as they are encoded. Ids without
 * these characters sort alike both ways, so they can be streamed straight from the index.
 */
const unusualCharacters = "[%.:\uE000-\u{10FFFF}]";

async function* usualDocuments(
  context: DocumentContext,
  { filter, order, openIds }: Selection,
  fields: "all" | "address",
): AsyncGenerator<FoundDocument> {
  const usual = openIds.map((id) => ({ [id]: { $not: { $regex: unusualCharacters } } }));
  yield* found(context, { $and: [filter, notEmpty, ...usual] }, { sort: order, ...fieldsProjection(fields) });
}

/** The others, found in passes over the index that each pick the next ones in order. */
async function* unusualDocuments(
  context: DocumentContext,
  { filter, order, openIds }: Selection,
  fields: "all" | "address",
): AsyncGenerator<FoundDocument> {
  const unusual = { $or: openIds.map((id) => ({ [id]: { $regex: unusualCharacters } })) };
  const candidates = (): AsyncGenerator<FoundDocument> =>
    found(context, { $and: [filter, unusual, notEmpty] }, { sort: order, ...fieldsProjection("address") });
  let last: string[] | null = null;
  for (;;) {
    const next = await firstAfter(last, candidates());
    for (const memory of next) {
      if (fields === "address") yield memory;
      else yield* found(context, { $and: [presentLookUp(context, memory.address), notEmpty] }, {});
    }
    if (next.length < selectionSize) return;
    last = next.at(-1)?.namespace ?? null;
  }
}

async function firstAfter(last: string[] | null, documents: AsyncIterable<FoundDocument>): Promise<FoundDocument[]> {
  let kept: FoundDocument[] = [];
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

async function* found({ collection, ready }: DocumentContext, filter: object, options: FindOptions): AsyncGenerator<FoundDocument> {
  await reading(async () => ready());
  const cursor = collection.find<MemoryDocument>(filter, { batchSize, ...asPlainValues, ...options });
  for await (const document of streaming(cursor)) {
    const stored = storedAddress(document);
    // Documents whose ids are not legal are none of ours: no memory can be opened on them.
    if (!Object.values(stored).every((id) => typeof id === "string")) continue;
    const namespace = namespaceOfMemory(stored as CheckedAddress);
    const address = addressOfNamespace(namespace);
    if (address !== null) yield { address, namespace, document };
  }
}

/** The fields of the document that say whose it is, as they are. */
export function storedAddress(document: Pick<MemoryDocument, "nodeId" | "scope" | OwnerField>): object {
  const { nodeId, scope } = document;
  const ownerField = isMemoryScope(scope) ? ownerFields[scope] : null;
  return ownerField === null ? { nodeId, scope } : { nodeId, scope, [ownerField]: document[ownerField] };
}

function fieldsProjection(fields: "all" | "address"): FindOptions {
  if (fields === "all") return {};
  return { projection: { nodeId: 1, scope: 1, threadId: 1, userId: 1 }, batchSize: selectionSize };
}
