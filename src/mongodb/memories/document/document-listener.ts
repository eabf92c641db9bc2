import type { ObjectId } from "mongodb";
import type { CheckedAddress } from "../../../core/values/address.js";
import { MemoryError } from "../../../core/values/errors.js";
import type { ChangeListener } from "../../../core/contract/change-listener.js";
import { type EventStream, isRefusedStream } from "../../driver/change-streams.js";
import { storageError } from "../../driver/errors.js";
import type { DocumentContext } from "./document-context.js";
import { lookUp } from "./document.js";

/** The fields of a document that a listener needs. */
interface Version {
  _id: ObjectId;
  revision?: number;
}

interface ChangeEvent {
  operationType: string;
  documentKey?: { _id: ObjectId };
  revision?: number;
}

/**
 * The `_id` is included, because the revisions of a memory that was removed and created again start anew. Null for a
 * missing memory, because it can be missing again later.
 */
export function getVersion(document: Version | null): string | null {
  return document?.revision === undefined ? null : `${document._id.toHexString()} ${document.revision}`;
}

/**
 * Listens to the changes of one document. Null on a server without change streams, and if the client has too many
 * streams.
 * @throws MemoryError EIO
 */
export async function listenToDocument(
  { streams }: DocumentContext,
  address: CheckedAddress,
): Promise<ChangeListener | null> {
  const { found, moment } = await streams.find<Version>(lookUp(address), { revision: 1 });
  if (moment === null || !streams.hasRoom) return null;
  return new DocumentListener(found, streams.openAt<ChangeEvent>(moment, pipelineFor(address, found?._id ?? null)));
}

class DocumentListener implements ChangeListener {
  latest: string | null;
  readonly #id: string | null;
  readonly #stream: EventStream<ChangeEvent>;

  constructor(found: Version | null, stream: EventStream<ChangeEvent>) {
    this.latest = getVersion(found);
    this.#id = found?._id.toHexString() ?? null;
    this.#stream = stream;
  }

  async heard(known: () => string | null): Promise<"changed" | "renew" | "deaf"> {
    try {
      for (;;) {
        const { operationType, documentKey, revision } = await this.#stream.next();
        const id = documentKey?._id.toHexString();
        // A new stream on an idle server would start at the same point and report the drop again at once.
        if (id === undefined)
          throw new MemoryError("EIO", "EIO: the collection of the memories was dropped or renamed");
        // The memory was created anew. This stream is for the previous document.
        if (operationType === "insert" && id !== this.#id) return "renew";
        this.latest = revision === undefined ? null : `${id} ${revision}`;
        if (!isKnown(id, revision, known())) return "changed";
      }
    } catch (error) {
      if (isRefusedStream(error)) return "deaf";
      throw storageError(error, "read", null);
    }
  }

  close(): void {
    // The server ends its part of the stream by itself.
    this.#stream.close().catch(() => undefined);
  }
}

function isKnown(id: string, revision: number | undefined, known: string | null): boolean {
  const [knownId, knownRevision] = known?.split(" ") ?? [];
  return revision !== undefined && id === knownId && revision <= Number(knownRevision);
}

/**
 * Returns a pipeline for the events of one document, except those that only change the recorded history. The events
 * contain no texts, because an event can have at most 16 MB.
 */
function pipelineFor(address: CheckedAddress, id: ObjectId | null): object[] {
  const inserted = Object.fromEntries(
    Object.entries(lookUp(address)).map(([field, value]) => [`fullDocument.${field}`, { $eq: value }]),
  );
  const updatedRevision = "updateDescription.updatedFields.revision";
  const revision = { $cond: [{ $eq: ["$operationType", "replace"] }, "$fullDocument.revision", `$${updatedRevision}`] };
  const ofDocument = {
    "documentKey._id": id,
    $or: [{ operationType: { $ne: "update" } }, { [updatedRevision]: { $exists: true } }],
  };
  return [
    {
      $match: {
        $or: [
          ...(id === null ? [] : [ofDocument]),
          { operationType: "insert", ...inserted },
          { operationType: { $in: ["drop", "rename", "dropDatabase", "invalidate"] } },
        ],
      },
    },
    { $project: { operationType: 1, documentKey: 1, revision } },
  ];
}
