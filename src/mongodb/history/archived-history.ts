import type { CallContext } from "../../core/runtime/call.js";
import type { ArchivedHistory } from "../../core/history/archived-version.js";
import type { HistoryView } from "./history-view.js";
import type { VersionCollection } from "./version-collection.js";
import { archivedVersion, type OwnerDocument, unarchivedVersion, type VersionDocument } from "./version-document.js";

/** Opens the history of a memory for an export. Keeps one page of versions in memory at a time. */
export function archiveHistory(view: HistoryView): ArchivedHistory {
  const passOn = async (
    versions: AsyncIterable<VersionDocument>,
    use: Parameters<ArchivedHistory["each"]>[0],
  ): Promise<void> => {
    for await (const version of versions) await use(archivedVersion(version));
  };
  return {
    revision: view.present.revision,
    each: (use) => passOn(view.newerThan(0), use),
    eachOf: (files, use) => passOn(view.versionsByFile(files), use),
  };
}

/** The size of one insert. A version can contain a text of 15 MB, and a command at most 48 MB. */
const maxBatch = { versions: 500, chars: 4_000_000 };

/** Inserts the versions of an archive, after the document that names their owner. Skips versions that exist already. */
export async function insertVersions(
  collection: VersionCollection,
  owner: OwnerDocument,
  history: ArchivedHistory,
  call: CallContext,
): Promise<void> {
  const expiry = owner.expiresAt && { expiresAt: owner.expiresAt };
  let batch: VersionDocument[] = [];
  let chars = 0;
  const insert = async (): Promise<void> => {
    await collection.insert(owner, batch, call);
    batch = [];
    chars = 0;
  };
  await history.each(async (version) => {
    batch.push({ ...unarchivedVersion(owner._id, version), ...expiry });
    chars += version.older?.text.length ?? 0;
    if (batch.length >= maxBatch.versions || chars >= maxBatch.chars) await insert();
  });
  await insert();
}
