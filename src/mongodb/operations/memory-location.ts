import type { CheckedAddress } from "../../core/values/address.js";

/** A file or directory of a memory. The path is null if no memory can have it. */
export interface MemoryLocation {
  address: CheckedAddress;
  namespace: string[];
  key: string;
  path: string | null;
  kind: "file" | "dir";
}

/** Groups by namespace, because each memory has one namespace. */
export function groupedByMemory<T extends { namespace: string[] }>(elements: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const element of elements) {
    const id = JSON.stringify(element.namespace);
    const group = groups.get(id);
    if (group === undefined) groups.set(id, [element]);
    else group.push(element);
  }
  return groups;
}
