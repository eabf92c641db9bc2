import type { Item } from "@langchain/langgraph-checkpoint";
import type { CheckedAddress } from "../../../core/values/address.js";
import { namespaceOfMemory } from "../../../core/values/namespace.js";
import { ROOT } from "../../../core/values/paths.js";
import { compareCodeUnits } from "../../../core/values/text.js";
import type { MemoryLocation } from "../../operations/checked-operation.js";
import { fileItem } from "../file-items.js";
import { memoryKeyOf, pathOfId } from "./document-ids.js";
import { FileReads } from "./file-reads.js";
import type { FilesContext } from "./files-context.js";
import type { StoredDocument } from "./stored-document.js";

/** How many places one command reads. */
const maxPlacesPerCommand = 100;

/** The items at those places of one memory in their order, null where nothing is; a command for each hundred. */
export async function itemsOfMemory(
  context: FilesContext,
  places: readonly MemoryLocation[],
): Promise<(Item | null)[]> {
  const [first] = places;
  if (first === undefined) return [];
  const reads = new FileReads(context, first.address);
  const key = memoryKeyOf(first.address);
  const found = new Map<string, StoredDocument>();
  for (let start = 0; start < places.length; start += maxPlacesPerCommand) {
    const paths = places.slice(start, start + maxPlacesPerCommand).flatMap(({ path }) => path ?? []);
    for (const document of paths.length === 0 ? [] : await reads.documents(paths))
      found.set(pathOfId(key, document._id), document);
  }
  return places.map(({ path, kind, namespace }) => {
    const document = path === null ? undefined : found.get(path);
    return document === undefined || path === null || document.kind !== kind ? null : itemOf(namespace, path, document);
  });
}

/** Every item of one memory, in the order of their keys. */
export async function allItemsOf(context: FilesContext, address: CheckedAddress): Promise<Item[]> {
  const key = memoryKeyOf(address);
  const namespace = namespaceOfMemory(address);
  const items: Item[] = [];
  for (const document of await new FileReads(context, address).documents()) {
    const path = pathOfId(key, document._id);
    if (path !== ROOT) items.push(itemOf(namespace, path, document));
  }
  return items.toSorted((a, b) => compareCodeUnits(a.key, b.key));
}

function itemOf(namespace: readonly string[], path: string, document: StoredDocument): Item {
  return document.kind === "file"
    ? fileItem(namespace, path, { content: document.text }, document)
    : fileItem(namespace, `${path}/`, { directory: true }, document);
}
