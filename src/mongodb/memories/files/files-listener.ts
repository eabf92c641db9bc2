import { MemoryError } from "../../../core/values/errors.js";
import { nextTurn } from "../../../core/runtime/turns.js";
import type { ChangeListener } from "../../../core/contract/change-listener.js";
import { type EventStream, isRefusedStream } from "../../driver/change-streams.js";
import { storageError } from "../../driver/errors.js";
import { isMark, rangeOfMemory, getRootId, type StoredRoot } from "./documents.js";
import { type FilesContext, refuseElsewhere } from "./files-context.js";

interface ChangeEvent {
  operationType: string;
  /** Of a document that was made or replaced. */
  kind?: string;
}

const endings = ["drop", "rename", "dropDatabase", "invalidate"];

/**
 * Hears of the changes of a memory's documents. Null on a server without change streams, and where the client has too
 * many of them. @throws MemoryError EIO
 */
export async function listenToMemory(context: FilesContext, memoryKey: string): Promise<ChangeListener | null> {
  const { streams } = context;
  const { found, moment } = await streams.find<Pick<StoredRoot, "kind">>({ _id: getRootId(memoryKey) }, { kind: 1 });
  refuseElsewhere(context, found);
  if (moment === null || !streams.hasRoom) return null;
  const pipeline = [
    { $match: { $or: [{ "documentKey._id": rangeOfMemory(memoryKey) }, { operationType: { $in: endings } }] } },
    {
      $project: {
        operationType: 1,
        kind: { $ifNull: ["$fullDocument.kind", "$updateDescription.updatedFields.kind"] },
      },
    },
  ];
  return new FilesListener(streams.openAt<ChangeEvent>(moment, pipeline));
}

class FilesListener implements ChangeListener {
  /** The memory keeps no count of its changes. */
  readonly latest = null;
  readonly #stream: EventStream<ChangeEvent>;
  /** An event that was asked for and has not come. */
  #asked: Promise<ChangeEvent> | null = null;

  constructor(stream: EventStream<ChangeEvent>) {
    this.#stream = stream;
  }

  async heard(): Promise<"changed" | "renew" | "deaf"> {
    try {
      let event = await this.#next();
      let isMoved = isMark(event);
      // One look is enough for all that has come until now.
      for (let other = await this.#nextThatCame(); other !== null; other = await this.#nextThatCame()) {
        event = other;
        isMoved ||= isMark(other);
      }
      if (isMoved) return "renew";
      // A new stream, which begins at the same moment of a server that is idle, would tell it at once again.
      if (endings.includes(event.operationType))
        throw new MemoryError("EIO", "EIO: the collection of the memories was dropped or renamed");
      return "changed";
    } catch (error) {
      if (isRefusedStream(error)) return "deaf";
      throw storageError(error, "read", null);
    }
  }

  #next(): Promise<ChangeEvent> {
    const next = this.#asked ?? this.#stream.next();
    this.#asked = null;
    return next;
  }

  /**
   * Null where the next event has not come yet; it stays asked for. The driver itself would wait for it some seconds.
   */
  async #nextThatCame(): Promise<ChangeEvent | null> {
    const next = this.#next();
    const came = await Promise.race([next, nextTurn().then(() => null)]);
    if (came !== null) return came;
    // Whoever hears next gets its error.
    next.catch(() => undefined);
    this.#asked = next;
    return null;
  }

  close(): void {
    // What the server still has of it, it ends by itself.
    this.#stream.close().catch(() => undefined);
  }
}
