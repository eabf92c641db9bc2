import type { OlderText } from "../../../core/history/older-text.js";
import type { CallContext } from "../../../core/runtime/call.js";
import type { ExactCollection } from "../../driver/exact-collection.js";
import { type CoverMark, type OwnerDocument, storedId, type VersionDocument } from "../version-document.js";

/** The change of one version by a redaction. */
export interface Redaction {
  id: string;
  /** The expected value: if the version has another one by now, nothing is changed. */
  found?: OlderText | null;
  /** The version is not marked, and nothing is changed, if its whole text is redacted by now. */
  covering?: CoverMark;
  set: Partial<
    Pick<
      VersionDocument,
      "older" | "redactedAt" | "redactedBy" | "masked" | "sizeBytes" | "sha256" | "directories" | "actor" | "sources"
    >
  >;
  unset: readonly ("path" | "from" | "masked" | "covering")[];
}

/** Makes redactions in the given order, until a version does not have its expected value. */
export async function writeRedactions(
  collection: ExactCollection<VersionDocument | OwnerDocument>,
  memory: string,
  redactions: readonly Redaction[],
  call: CallContext,
): Promise<void> {
  for (const batch of splitRedactions(redactions)) {
    const writes = batch.map((redaction) => ({ updateOne: createUpdate(memory, redaction) }));
    const { matchedCount } = await collection.bulkWrite(writes, call);
    if (batch[0]?.found !== undefined && matchedCount === 0) return;
  }
}

/** The most redactions of one command. */
const maxRedactions = 500;

/**
 * One command writes all redactions that need no expected value. Each other redaction is one command: if it fails, the
 * following ones must not be written.
 */
function splitRedactions(redactions: readonly Redaction[]): Redaction[][] {
  const batches: Redaction[][] = [];
  for (const redaction of redactions) {
    const last = batches.at(-1);
    const fits = redaction.found === undefined && last?.[0]?.found === undefined;
    if (fits && last !== undefined && last.length < maxRedactions) last.push(redaction);
    else batches.push([redaction]);
  }
  return batches;
}

function createUpdate(
  memory: string,
  { id, found, covering, set, unset }: Redaction,
): { filter: object; update: object } {
  const isForReadable = covering !== undefined || set.masked === true;
  return {
    filter: {
      _id: storedId(memory, id),
      ...(found !== undefined && { older: found }),
      ...(isForReadable && { $or: [{ redactedAt: null }, { masked: true }] }),
    },
    update: {
      ...(covering !== undefined && { $addToSet: { covering } }),
      ...(Object.keys(set).length > 0 && { $set: set }),
      ...(unset.length > 0 && { $unset: Object.fromEntries(unset.map((field) => [field, ""])) }),
    },
  };
}
