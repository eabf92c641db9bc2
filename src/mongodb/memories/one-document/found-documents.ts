import type { FindOptions } from "mongodb";
import { filterOf, type MemoryDocument } from "./document.js";
import type { MongoMemoryContext } from "./stored-document.js";
import type { CheckedAddress } from "../../../core/address.js";
import { addressOf, memoryRootLabel, namespaceOf } from "../../../core/namespace.js";
import { compareNamespaces } from "../../places/namespaces.js";
import { reading, streaming } from "../../driver/reads.js";
import { mergeOrdered } from "../../driver/ordered-streams.js";

/** A memory that is not empty, with as much of its document as was asked for. */
export interface FoundMemory {
  address: CheckedAddress;
  namespace: string[];
  document: MemoryDocument;
}

/** One of the two unique indexes of the collection, and which part of it. */
interface Selection {
  filter: { scope: "global" | "perThread"; nodeId?: string; threadId?: string | { $exists: true } };
  /** The ids that the filter leaves open, as the index sorts them. */
  openIds: readonly ("nodeId" | "threadId")[];
}

/** Values as JavaScript's own, whatever the client's defaults are. */
export const memoryReadOptions = {
  promoteValues: true,
  promoteLongs: true,
  useBigInt64: false,
  raw: false,
} satisfies FindOptions;

/** Something lies in it: MongoDB compares only objects with an object, and the empty one is the least. */
const notEmpty = { $or: [{ data: { $gt: {} } }, { dirs: { $gt: {} } }] };

/** A batch of whole documents; the server also ends it at 16 MB. */
const batchSize = 20;

/** How many addresses with unusual ids are held at a time. */
const selectionSize = 1000;

/** Whether the namespace of a memory can lie at or below `prefix`. */
export function mayHoldMemories(prefix: readonly string[]): boolean {
  return selectionsOf(prefix).length > 0;
}

/** All memories that are not empty at or below `prefix`, in the order of their namespaces. */
export function memoriesWithin(
  context: MongoMemoryContext,
  prefix: readonly string[],
  fields: "all" | "address",
): AsyncGenerator<FoundMemory> {
  const streams = selectionsOf(prefix).flatMap((selection) => [
    usualMemories(context, selection, fields),
    ...(selection.openIds.length > 0 ? [unusualMemories(context, selection, fields)] : []),
  ]);
  return mergeOrdered(streams, (a, b) => compareNamespaces(a.namespace, b.namespace));
}

function selectionsOf(prefix: readonly string[]): Selection[] {
  const [root, node] = prefix;
  if (root !== undefined && root !== memoryRootLabel) return [];
  const exact = addressOf(prefix);
  if (exact !== null) return [{ filter: { ...exact }, openIds: [] }];
  const existing = { $exists: true } as const;
  if (node === undefined) {
    return [
      { filter: { scope: "global" }, openIds: ["nodeId"] },
      { filter: { scope: "perThread", threadId: existing }, openIds: ["nodeId", "threadId"] },
    ];
  }
  const ofNode = addressOf([memoryRootLabel, node, "global"]);
  if (ofNode === null || prefix.length > 3) return [];
  const { nodeId } = ofNode;
  const global: Selection = { filter: { nodeId, scope: "global" }, openIds: [] };
  const perThread: Selection = { filter: { nodeId, scope: "perThread", threadId: existing }, openIds: ["threadId"] };
  if (prefix.length === 2) return [global, perThread];
  return prefix[2] === "perThread" ? [perThread] : [];
}

/**
 * An index sorts ids by UTF-8 bytes as they are, the store sorts labels by code units as they are encoded. Ids without
 * these characters sort alike both ways, so they can be streamed straight from the index.
 */
const unusualCharacters = "[%.:\uE000-\u{10FFFF}]";

async function* usualMemories(
  context: MongoMemoryContext,
  { filter, openIds }: Selection,
  fields: "all" | "address",
): AsyncGenerator<FoundMemory> {
  const usual = openIds.map((id) => ({ [id]: { $not: { $regex: unusualCharacters } } }));
  yield* found(context, { $and: [filter, notEmpty, ...usual] }, { sort: indexOrder(filter), ...projectionOf(fields) });
}

/** The others, found in passes over the index that each pick the next ones in order. */
async function* unusualMemories(
  context: MongoMemoryContext,
  { filter, openIds }: Selection,
  fields: "all" | "address",
): AsyncGenerator<FoundMemory> {
  const unusual = { $or: openIds.map((id) => ({ [id]: { $regex: unusualCharacters } })) };
  const candidates = (): AsyncGenerator<FoundMemory> =>
    found(context, { $and: [filter, unusual, notEmpty] }, { sort: indexOrder(filter), ...projectionOf("address") });
  let last: string[] | null = null;
  for (;;) {
    const next = await firstAfter(last, candidates());
    for (const memory of next) {
      if (fields === "address") yield memory;
      else yield* found(context, { $and: [filterOf(memory.address), notEmpty] }, {});
    }
    if (next.length < selectionSize) return;
    last = next.at(-1)?.namespace ?? null;
  }
}

/** Without it the server might choose to read the whole collection. */
function indexOrder({ scope }: Selection["filter"]): Record<string, 1> {
  return { nodeId: 1, scope: 1, ...(scope === "perThread" && { threadId: 1 }) };
}

async function firstAfter(last: string[] | null, memories: AsyncIterable<FoundMemory>): Promise<FoundMemory[]> {
  let kept: FoundMemory[] = [];
  const keepFirst = (): void => {
    kept = kept.toSorted((a, b) => compareNamespaces(a.namespace, b.namespace)).slice(0, selectionSize);
  };
  for await (const memory of memories) {
    if (last !== null && compareNamespaces(memory.namespace, last) <= 0) continue;
    kept.push(memory);
    if (kept.length >= 2 * selectionSize) keepFirst();
  }
  keepFirst();
  return kept;
}

async function* found(context: MongoMemoryContext, filter: object, options: FindOptions): AsyncGenerator<FoundMemory> {
  await reading(context.ready);
  const cursor = context.collection.find(filter, { batchSize, ...memoryReadOptions, ...options });
  for await (const document of streaming(cursor)) {
    const { nodeId, scope, threadId } = document;
    const stored = scope === "perThread" ? { nodeId, scope, threadId } : { nodeId, scope };
    // Documents whose ids are not legal are none of ours: no memory can be opened on them.
    if (!Object.values(stored).every((id) => typeof id === "string")) continue;
    const namespace = namespaceOf(stored as CheckedAddress);
    const address = addressOf(namespace);
    if (address !== null) yield { address, namespace, document };
  }
}

function projectionOf(fields: "all" | "address"): FindOptions {
  if (fields === "all") return {};
  return { projection: { nodeId: 1, scope: 1, threadId: 1 }, batchSize: selectionSize };
}
