import type { ArchivedHistory } from "../../core/history/archived-version.js";
import type { HistoryView } from "./history-view.js";
import { archivedVersion, type VersionDocument } from "./version-document.js";

/** The history of a memory on its way out of the database. A page of versions is held at a time. */
export function archivedHistoryOf(view: HistoryView): ArchivedHistory {
  const passOn = async (
    versions: AsyncIterable<VersionDocument>,
    use: Parameters<ArchivedHistory["each"]>[0],
  ): Promise<void> => {
    for await (const version of versions) await use(archivedVersion(version));
  };
  return {
    revision: view.present.revision,
    each: (use) => passOn(view.newerThan(0), use),
    eachOf: (files, use) => passOn(view.ofFiles(files), use),
  };
}
