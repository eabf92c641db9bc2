import type { CallContext } from "../../../core/runtime/call.js";
import type { CheckedAddress } from "../../../core/values/address.js";
import { isUnauthorized } from "../../driver/errors.js";
import { reading } from "../../driver/reads.js";
import { getIncarnation, type MemoryDocument } from "../documents/page-document.js";
import { getHeadId } from "../documents/page-ids.js";
import { parseAddress } from "../listing/found-memories.js";
import type { MemoriesContext } from "../memory-context.js";

/*
 * Versions whose memory is gone: MongoDB has removed it, or the process of a removal died. A store without history may
 * lack the rights for the versions of another store. It leaves them, and MongoDB removes those that expire.
 */

type VersionsContext = Pick<MemoriesContext, "collection" | "versions" | "history">;

const lacksRights = ({ history }: VersionsContext, error: unknown): boolean =>
  history === null && isUnauthorized(error);

/**
 * Finds memories that are gone and have versions.
 * @param owners selects the documents that name the owners of versions
 * @returns the prefixes of the ids of their versions, in batches
 */
export async function* findGoneMemories(
  context: VersionsContext,
  owners: object,
  call: CallContext,
): AsyncGenerator<string[]> {
  try {
    for await (const batch of context.versions.findOwners(owners, call)) {
      const present = await findIncarnations(
        context,
        batch.flatMap((owner) => parseAddress(owner) ?? []),
        call,
      );
      yield batch.map(({ _id }) => _id).filter((id) => !present.has(id));
    }
  } catch (error) {
    if (!lacksRights(context, error)) throw error;
  }
}

/** Finds the incarnations of memories, including expired ones. A later memory of an address has another one. */
async function findIncarnations(
  { collection }: VersionsContext,
  addresses: readonly CheckedAddress[],
  call: CallContext,
): Promise<Set<string>> {
  const heads = { _id: { $in: addresses.map(getHeadId) } };
  const found = collection.find<MemoryDocument>(heads, call, { projection: { key: 1 } });
  return new Set((await reading(() => found.toArray())).map(getIncarnation));
}

/**
 * Removes the versions of a memory that is gone.
 * @param uncounted the ids of versions that are not counted. @default none
 * @returns the number of versions
 */
export async function removeVersions(
  context: VersionsContext,
  memory: string,
  call: CallContext,
  uncounted?: readonly string[],
): Promise<number> {
  try {
    return await context.versions.remove(memory, call, uncounted);
  } catch (error) {
    if (lacksRights(context, error)) return 0;
    throw error;
  }
}
