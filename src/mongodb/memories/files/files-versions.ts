import { MemoryError } from "../../../core/values/errors.js";
import { isUnauthorized } from "../../driver/errors.js";
import { asPlainValues } from "../../driver/plain-values.js";
import { ownerOfAnyNode, rangeFilter } from "../address-keys.js";
import type { AddressRange } from "../address-ranges.js";
import { type FilesContext, versionsInCall } from "./files-context.js";
import type { StoredRoot } from "./stored-document.js";

/**
 * Those of memories that are gone, found by the documents that say whose they are. A store without history may lack the
 * rights for what another has kept, and leaves alone who has changed the memories of others.
 * @returns how many there were
 */
export async function removeVersions(
  context: FilesContext,
  range: AddressRange,
  kept: readonly string[],
): Promise<number> {
  const versions = versionsInCall(context);
  try {
    const owned: string[] = [];
    for await (const memory of versions.memories({ ...range })) owned.push(memory);
    const projection = { projection: { "history.id": 1 }, ...asPlainValues };
    const present =
      owned.length === 0
        ? []
        : await context.collection.find<Pick<StoredRoot, "history">>(rangeFilter(range), projection).toArray();
    const live = new Set([...kept, ...present.map(({ history }) => history?.id)]);
    let count = 0;
    for (const memory of owned.filter((each) => !live.has(each))) count += await versions.remove(memory);
    const field = ownerOfAnyNode(range);
    const id = field === null ? undefined : range[field];
    if (context.history !== null && field !== null && id !== undefined) await versions.unname(field, id);
    return count;
  } catch (error) {
    const cause = MemoryError.isInstance(error) ? error.cause : error;
    if (context.history === null && isUnauthorized(cause)) return 0;
    throw error;
  }
}
