import { ROOT } from "../../../core/paths.js";
import type { VersionedFile, VersionedSnapshot } from "../../../core/snapshot.js";
import { asPlainValues } from "../../driver/plain-values.js";
import { atOneMoment } from "../../driver/snapshot-reads.js";
import { pathOfId, rangeOfMemory } from "./document-ids.js";
import { byId, listingIndex, textIdProjection } from "./file-indexes.js";
import type { FilesContext } from "./files-context.js";
import type { StoredFile, TextIdDocument } from "./stored-document.js";

type ReadContext = Pick<FilesContext, "collection" | "transactions">;

/** How many ids of texts come at a time. They take some 100 bytes each, and the server ends a batch at 16 MB. */
const listedAtOnce = 100_000;

/** How many texts come at a time, and how many one command names. */
const textsAtOnce = 1000;

/** Everything but the root at one moment, without the texts that are known by their ids. */
export function snapshotSince(context: ReadContext, memoryKey: string, known: ReadonlyMap<string, string>): Promise<VersionedSnapshot> {
  // To list the ids first would read the whole memory twice.
  return known.size === 0 ? readAll(context, memoryKey) : readChanged(context, memoryKey, known);
}

async function readAll({ collection }: ReadContext, memoryKey: string): Promise<VersionedSnapshot> {
  const options = { projection: { ...textIdProjection, text: 1 }, ...asPlainValues, ...atOneMoment, ...byId, batchSize: textsAtOnce };
  const snapshot: VersionedSnapshot = { files: [], directories: [] };
  for await (const document of collection.find<TextIdDocument & Pick<StoredFile, "text">>({ _id: rangeOfMemory(memoryKey) }, options)) {
    addTo(snapshot, memoryKey, document, document.text);
  }
  return snapshot;
}

/** The ids of all texts from the index alone, then the texts that are new. The session keeps both to one moment. */
async function readChanged({ collection, transactions }: ReadContext, memoryKey: string, known: ReadonlyMap<string, string>): Promise<VersionedSnapshot> {
  const session = transactions.client.startSession({ snapshot: true });
  try {
    const snapshot: VersionedSnapshot = { files: [], directories: [] };
    const changed = new Map<string, VersionedFile>();
    const listing = { projection: textIdProjection, ...asPlainValues, hint: listingIndex.name, batchSize: listedAtOnce, session };
    // Not one by one, which takes half as long again.
    for (const document of await collection.find<TextIdDocument>({ _id: rangeOfMemory(memoryKey) }, listing).toArray()) {
      const file = addTo(snapshot, memoryKey, document, null);
      // One without an id is never known.
      if (file !== null && known.get(file.path) !== file.version) changed.set(document._id, file);
    }
    const ids = [...changed.keys()];
    const options = { projection: { text: 1 }, ...asPlainValues, ...byId, batchSize: textsAtOnce, session };
    for (let start = 0; start < ids.length; start += textsAtOnce) {
      const filter = { _id: { $in: ids.slice(start, start + textsAtOnce) } };
      for await (const { _id, text } of collection.find<Pick<StoredFile, "_id" | "text">>(filter, options)) {
        const file = changed.get(_id);
        if (file !== undefined) file.content = text;
      }
    }
    return snapshot;
  } finally {
    await session.endSession();
  }
}

/** @returns the file; null for a directory */
function addTo(snapshot: VersionedSnapshot, memoryKey: string, { _id, kind, textId = null }: TextIdDocument, content: string | null): VersionedFile | null {
  const path = pathOfId(memoryKey, _id);
  if (kind === "dir") {
    if (path !== ROOT) snapshot.directories.push(path);
    return null;
  }
  const file = { path, version: textId, content };
  snapshot.files.push(file);
  return file;
}
