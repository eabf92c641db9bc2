import type { ChangeListener } from "../../../core/contract/backend.js";
import type { CheckedAddress } from "../../../core/values/address.js";
import { MemoryError } from "../../../core/values/errors.js";
import { type EventStream, isRefusedStream } from "../../driver/change-streams.js";
import { storageError } from "../../driver/errors.js";
import { lookUp, type MemoryDocument } from "../documents/page-document.js";
import { lookUpHead, type PagedMemory, prepare } from "../memory-context.js";
import { getAddressRange } from "../documents/page-ids.js";

interface ChangeEvent {
  operationType: string;
  documentKey?: object;
}

/**
 * Listens to the changes of all pages of one memory. Null on a server without change streams, and if the client has too
 * many streams.
 * @throws MemoryError EIO
 */
export async function listenToMemory(memory: PagedMemory): Promise<ChangeListener | null> {
  await prepare(memory);
  const { streams, address } = memory;
  const { found, moment } = await streams.find<MemoryDocument>(lookUpHead(memory), { _id: 1 });
  if (moment === null || !streams.hasRoom) return null;
  return new MemoryListener(streams.openAt<ChangeEvent>(moment, createPipeline(address, found?._id ?? null)));
}

class MemoryListener implements ChangeListener {
  readonly #stream: EventStream<ChangeEvent>;

  constructor(stream: EventStream<ChangeEvent>) {
    this.#stream = stream;
  }

  async nextChange(): Promise<"changed" | "unsupported"> {
    try {
      const { documentKey } = await this.#stream.next();
      // A new stream on an idle server would start at the same point and report the drop again at once.
      if (documentKey === undefined)
        throw new MemoryError("EIO", "EIO: the collection of the memories was dropped or renamed");
      return "changed";
    } catch (error) {
      if (isRefusedStream(error)) return "unsupported";
      throw storageError(error, "read", null);
    }
  }

  close(): void {
    // The server ends its part of the stream by itself.
    this.#stream.close().catch(() => undefined);
  }
}

/**
 * Returns a pipeline for the events of one memory, except those that only change the recorded history. The events
 * contain no texts, because an event can have at most 16 MB.
 * @param headId may be an ObjectId of an earlier release
 */
function createPipeline(address: CheckedAddress, headId: MemoryDocument["_id"] | null): object[] {
  const inserted = Object.fromEntries(
    Object.entries(lookUp(address)).map(([field, value]) => [`fullDocument.${field}`, { $eq: value }]),
  );
  const isPage = { "documentKey._id": getAddressRange(address) };
  const isHead = typeof headId === "string" || headId === null ? [] : [{ "documentKey._id": headId }];
  const revision = "updateDescription.updatedFields.revision";
  return [
    {
      $match: {
        $or: [
          {
            $and: [
              { $or: [isPage, ...isHead] },
              { $or: [{ operationType: { $ne: "update" } }, { [revision]: { $exists: true } }] },
            ],
          },
          { operationType: "insert", ...inserted },
          { operationType: { $in: ["drop", "rename", "dropDatabase", "invalidate"] } },
        ],
      },
    },
    { $project: { operationType: 1, documentKey: 1 } },
  ];
}
