import type { CallContext } from "../../../core/runtime/call.js";
import type { Item } from "@langchain/langgraph-checkpoint";
import type { Document } from "mongodb";
import { reading } from "../../driver/reads.js";
import type { MemoryLocation } from "../../operations/memory-location.js";
import type { FoundMemory } from "../addresses/found-memories.js";
import { fileItem, fileItems, type ItemTimes } from "../file-items.js";
import { keyOfPath, type MemoryDocument, snapshotOfDocument } from "./document.js";
import { type Expression } from "../expressions.js";
import { isDirectory, valueAt } from "./expressions.js";
import { asPlainValues } from "../../driver/plain-values.js";
import { type DocumentContext, presentLookUp } from "./document-context.js";

/** How many files one projection reads. Each takes three expressions, and the server limits their number. */
const maxPlacesPerCommand = 100;

/**
 * Reads the items at these places of one memory in their order, null if there is none. One command for each hundred.
 */
export async function readItems(
  context: DocumentContext,
  places: readonly MemoryLocation[],
  call: CallContext,
): Promise<(Item | null)[]> {
  const items: (Item | null)[] = [];
  for (let start = 0; start < places.length; start += maxPlacesPerCommand) {
    items.push(...(await projectedItems(context, places.slice(start, start + maxPlacesPerCommand), call)));
  }
  return items;
}

/** Returns every item of one memory, in the order of their keys. */
export function toItems({ namespace, document }: Pick<FoundMemory<MemoryDocument>, "namespace" | "document">): Item[] {
  return fileItems(namespace, snapshotOfDocument(document), itemTimes(document, undefined));
}

async function projectedItems(
  context: DocumentContext,
  places: readonly MemoryLocation[],
  call: CallContext,
): Promise<(Item | null)[]> {
  const [first] = places;
  if (first === undefined || places.every((place) => place.path === null)) return places.map(() => null);
  const find = <Found extends Document>(projection: object): Promise<Found | null> =>
    reading(async () => {
      await context.ready();
      const filter = presentLookUp(context, first.address);
      return context.collection.findOne<Found>(filter, { ...asPlainValues, projection }, call);
    });
  const projected = await find<ProjectedDocument>(placesProjection(places));
  if (projected === null) return places.map(() => null);
  if (projected.revision !== undefined) return places.map((place, index) => projectedItem(place, projected, index));
  const document = await find<MemoryDocument>({});
  if (document === null) return places.map(() => null);
  const items = new Map(toItems({ ...first, document }).map((item) => [item.key, item]));
  return places.map((place) => items.get(place.key) ?? null);
}

/**
 * The result of one command for several places: the text and times of a file, or whether the directory exists. A
 * document of the earlier layout has no revision.
 */
interface ProjectedDocument extends Pick<MemoryDocument, "_id" | "revision" | "createdAt" | "updatedAt"> {
  [field: `text${number}`]: string;
  [field: `times${number}`]: Partial<ItemTimes>;
  [field: `isDirectory${number}`]: boolean;
}

function placesProjection(places: readonly MemoryLocation[]): Record<string, Expression> {
  const fields = places.flatMap(({ path, kind }, index): [string, Expression][] => {
    if (path === null) return [];
    if (kind === "dir") return [[`isDirectory${index}`, isDirectory(path)]];
    return [
      [`text${index}`, valueAt("$data", keyOfPath(path))],
      [`times${index}`, valueAt("$meta", keyOfPath(path))],
    ];
  });
  return { revision: 1, createdAt: 1, updatedAt: 1, ...Object.fromEntries(fields) };
}

function projectedItem({ namespace, key }: MemoryLocation, document: ProjectedDocument, index: number): Item | null {
  const times = itemTimes(document, document[`times${index}`]);
  const content = document[`text${index}`];
  if (content !== undefined) return fileItem(namespace, key, { content }, times);
  return document[`isDirectory${index}`] === true ? fileItem(namespace, key, { directory: true }, times) : null;
}

/**
 * Returns the times of the file itself. Uses the times of the memory if the document has none, as for every directory.
 */
function itemTimes(
  document: Pick<MemoryDocument, "_id" | "createdAt" | "updatedAt">,
  own: Partial<ItemTimes> | undefined,
): ItemTimes {
  const fallback = document.createdAt ?? document._id.getTimestamp();
  return { createdAt: own?.createdAt ?? fallback, updatedAt: own?.updatedAt ?? document.updatedAt ?? fallback };
}
