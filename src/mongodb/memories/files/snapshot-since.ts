import type { VersionedFile, VersionedSnapshot } from "../../../core/tree/snapshot.js";
import { asPlainValues } from "../../driver/plain-values.js";
import { atOneMoment, inSnapshot } from "../../driver/snapshot-reads.js";
import { pathOfId, rangeOfMemory, rootIdOf } from "./document-ids.js";
import { refuseElsewhere } from "./elsewhere.js";
import { byId, listingIndex, textIdProjection } from "./file-indexes.js";
import type { FilesContext } from "./files-context.js";
import { partOfListing } from "./listed-parts.js";
import type { StoredFile, TextIdDocument } from "./stored-document.js";

type ReadContext = Pick<FilesContext, "collection" | "transactions" | "isGuest">;

/** How many documents come at a time, and how many texts one command names. */
const batchSize = 1000;

/** Ids of documents, and at the same places those of their texts. */
interface ListedPart {
  _id: { kind: TextIdDocument["kind"] };
  ids: string[];
  textIds: (string | null)[];
}

const inParts = {
  $group: { _id: partOfListing, ids: { $push: "$_id" }, textIds: { $push: { $ifNull: ["$textId", null] } } },
};

/** Everything but the root at one moment, without the texts that are known by their ids. @throws movedAway, notHere */
export function snapshotSince(
  context: ReadContext,
  memoryKey: string,
  known: ReadonlyMap<string, string>,
): Promise<VersionedSnapshot> {
  // To list the ids first would read the whole memory twice.
  return known.size === 0 ? readAll(context, memoryKey) : readChanged(context, memoryKey, known);
}

async function readAll(context: ReadContext, memoryKey: string): Promise<VersionedSnapshot> {
  const options = {
    projection: { ...textIdProjection, text: 1 },
    ...asPlainValues,
    ...atOneMoment,
    ...byId,
    batchSize,
  };
  const snapshot: VersionedSnapshot = { files: [], directories: [] };
  let root: TextIdDocument | undefined;
  for await (const document of context.collection.find<TextIdDocument & Pick<StoredFile, "text">>(
    { _id: rangeOfMemory(memoryKey) },
    options,
  )) {
    if (document._id === rootIdOf(memoryKey)) root = document;
    else addTo(snapshot, memoryKey, document, document.text);
  }
  refuseElsewhere(context, root);
  return snapshot;
}

/** The ids of all texts from the index alone, then the texts that are new. The session keeps both to one moment. */
function readChanged(
  context: ReadContext,
  memoryKey: string,
  known: ReadonlyMap<string, string>,
): Promise<VersionedSnapshot> {
  const { collection, transactions } = context;
  const rootId = rootIdOf(memoryKey);
  return inSnapshot(transactions.client, async (session) => {
    let root: Pick<TextIdDocument, "kind"> | undefined;
    const snapshot: VersionedSnapshot = { files: [], directories: [] };
    const changed = new Map<string, VersionedFile>();
    const pipeline = [{ $match: { _id: rangeOfMemory(memoryKey) } }, inParts];
    const listing = { ...asPlainValues, hint: listingIndex.name, allowDiskUse: true, batchSize, session };
    for await (const {
      _id: { kind },
      ids,
      textIds,
    } of collection.aggregate<ListedPart>(pipeline, listing)) {
      ids.forEach((_id, index) => {
        if (_id === rootId) {
          root = { kind };
          return;
        }
        const file = addTo(snapshot, memoryKey, { _id, kind, textId: textIds[index] ?? null }, null);
        // One without an id is never known.
        if (file !== null && known.get(file.path) !== file.version) changed.set(_id, file);
      });
    }
    refuseElsewhere(context, root);
    const changedIds = [...changed.keys()];
    const options = { projection: { text: 1 }, ...asPlainValues, ...byId, batchSize, session };
    for (let start = 0; start < changedIds.length; start += batchSize) {
      const filter = { _id: { $in: changedIds.slice(start, start + batchSize) } };
      for await (const { _id, text } of collection.find<Pick<StoredFile, "_id" | "text">>(filter, options)) {
        const file = changed.get(_id);
        if (file !== undefined) file.content = text;
      }
    }
    return snapshot;
  });
}

/** @returns the file; null for a directory */
function addTo(
  snapshot: VersionedSnapshot,
  memoryKey: string,
  { _id, kind, textId = null }: TextIdDocument,
  content: string | null,
): VersionedFile | null {
  const path = pathOfId(memoryKey, _id);
  if (kind === "dir") {
    snapshot.directories.push(path);
    return null;
  }
  const file = { path, version: textId, content };
  snapshot.files.push(file);
  return file;
}
