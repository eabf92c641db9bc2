import type { Item } from "@langchain/langgraph-checkpoint";
import type { MemorySnapshot } from "../../../core/memory.js";
import { compareCodeUnits } from "../../../core/values/text.js";

export interface ItemTimes {
  createdAt: Date;
  updatedAt: Date;
}

/** Returns a file or directory of a memory as the store shows it (specification section 6). */
export function fileItem(namespace: readonly string[], key: string, value: Item["value"], times: ItemTimes): Item {
  return { value, key, namespace: [...namespace], createdAt: times.createdAt, updatedAt: times.updatedAt };
}

/** Returns every file and directory of a memory, in the order of their keys. */
export function fileItems(
  namespace: readonly string[],
  { files, directories }: MemorySnapshot,
  directoryTimes: ItemTimes,
): Item[] {
  const items = [
    ...files.map((file) => fileItem(namespace, file.path, { content: file.content }, file)),
    ...directories.map((path) => fileItem(namespace, `${path}/`, { directory: true }, directoryTimes)),
  ];
  return items.toSorted((a, b) => compareCodeUnits(a.key, b.key));
}
