import type { Db, Document } from "mongodb";
import type { CheckedAddress } from "../../src/core/values/address.js";
import { getMemoryKey, rangeOfMemory } from "../../src/mongodb/memories/files/documents.js";
import type { LayoutName } from "../../src/mongodb/memories/layouts.js";

/** Returns all documents of a memory in a layout: its document, or the documents of its files and directories. */
export function storedDocuments(db: Db, layout: LayoutName, address: CheckedAddress): Promise<Document[]> {
  if (layout === "document")
    return db
      .collection("memories")
      .find({ ...address })
      .toArray();
  return db
    .collection<Document & { _id: string }>("memories_files")
    .find({ _id: rangeOfMemory(getMemoryKey(address)) })
    .toArray();
}
