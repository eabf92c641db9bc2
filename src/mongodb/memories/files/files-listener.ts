import { MemoryError } from "../../../core/values/errors.js";
import { nextTurn } from "../../../core/runtime/turns.js";
import type { ChangeListener } from "../../../core/contract/change-listener.js";
import { type EventStream, isRefusedStream } from "../../driver/change-streams.js";
import { storageError } from "../../driver/errors.js";
import { isMark, rangeOfMemory, getRootId, type StoredRoot } from "./documents.js";
import { type FilesContext, refuseElsewhere } from "./files-context.js";

interface ChangeEvent {
  operationType: string;
  /** Present for a document that was inserted or replaced. */
  kind?: string;
}

const endings = ["drop", "rename", "dropDatabase", "invalidate"];

/**
 * Listens to the changes of the documents of a memory. Null on a server without change streams, and if the client has
 * too many streams.
 * @throws MemoryError EIO
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
  /** The memory does not count its changes. */
  readonly latest = null;
  readonly #stream: EventStream<ChangeEvent>;
  /** An event that was requested and has not arrived. */
  #asked: Promise<ChangeEvent> | null = null;

  constructor(stream: EventStream<ChangeEvent>) {
    this.#stream = stream;
  }

  async heard(): Promise<"changed" | "renew" | "deaf"> {
    try {
      let event = await this.#next();
      let isMoved = isMark(event);
      // One refresh is enough for all events that have arrived so far.
      for (let other = await this.#nextThatCame(); other !== null; other = await this.#nextThatCame()) {
        event = other;
        isMoved ||= isMark(other);
      }
      if (isMoved) return "renew";
      // A new stream on an idle server would start at the same point and report the drop again at once.
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
   * Returns null if the next event has not arrived yet; the request for it stays open. The driver itself would wait
   * some seconds.
   */
  async #nextThatCame(): Promise<ChangeEvent | null> {
    const next = this.#next();
    const came = await Promise.race([next, nextTurn().then(() => null)]);
    if (came !== null) return came;
    // The next call of `heard` reports the error.
    next.catch(() => undefined);
    this.#asked = next;
    return null;
  }

  close(): void {
    // The server ends its part of the stream by itself.
    this.#stream.close().catch(() => undefined);
  }
}
