import type { CallContext } from "../../../../core/runtime/call.js";
import type { CheckedAddress } from "../../../../core/values/address.js";
import type { MemorySnapshot } from "../../../../core/memory.js";
import { ROOT } from "../../../../core/values/paths.js";
import { reading } from "../../../driver/reads.js";
import { flush } from "../../../history/flush.js";
import type { PresentMemory, StoredHistory } from "../../../history/history-source.js";
import { keyOfPath, type MemoryDocument, pathOfKey, snapshotOfDocument } from "../document.js";
import { asPlainValues } from "../../../driver/plain-values.js";
import { type DocumentContext, presentLookUp } from "../document-context.js";
import { bound, type Expression, literal, where } from "../../expressions.js";
import { entriesWhere, isDirectory } from "../expressions.js";
import { recordedChange, recordedKeys } from "./outbox.js";

interface OutboxDocument extends Pick<MemoryDocument, "_id" | "revision" | "outbox" | "hasVersions"> {
  texts?: { k: string; v: unknown }[];
  isDirectory?: true;
}

const maxInt = 2 ** 31 - 1;

const fields = { revision: 1, outbox: 1, hasVersions: 1 } as const;

/** The changes that the document of a memory contains. */
export class OutboxSource implements StoredHistory {
  readonly #context: DocumentContext;
  readonly #address: CheckedAddress;

  constructor(context: DocumentContext, address: CheckedAddress) {
    this.#context = context;
    this.#address = address;
  }

  async read(what: "outbox" | "tree" | { path: string }, call: CallContext): Promise<PresentMemory | null> {
    if (what === "tree") return this.#readTree(call);
    const isWanted = typeof what === "object" ? [{ $eq: ["$$entry.k", literal(keyOfPath(what.path))] }] : [];
    // Without the variable the server would collect the keys again for each file.
    const texts = bound(
      [["keys", recordedKeys]],
      entriesWhere("$data", { $or: [{ $in: ["$$entry.k", "$$keys"] }, ...isWanted] }),
    );
    const isDirectoryThere = typeof what === "object" && what.path !== ROOT && { isDirectory: isDirectory(what.path) };
    const found = await this.#find<OutboxDocument>({ ...fields, texts, ...isDirectoryThere }, call);
    if (found?.revision === undefined) return found === null ? null : this.#readTree(call);
    const textsByPath = new Map(
      (found.texts ?? []).flatMap(({ k, v }) => (typeof v === "string" ? [[pathOfKey(k), v] as const] : [])),
    );
    return { ...describeMemory(found, this.#address), texts: textsByPath, isDirectory: found.isDirectory === true };
  }

  async settle({ documentId, changes }: PresentMemory, call: CallContext): Promise<boolean> {
    const { collection, clock, expiry } = this.#context;
    const until = expiry.versionsExpireAt(this.#address.scope, clock());
    // Another process may have removed the changes already: no two changes have the same revision.
    const isFirst: Expression = { $eq: [{ $arrayElemAt: ["$outbox.revision", 0] }, changes[0]?.revision ?? null] };
    const update = [
      {
        $set: {
          outbox: where(isFirst, { $slice: ["$outbox", changes.length, maxInt] }, "$outbox"),
          hasVersions: true,
          ...(until && { versionsExpireAt: { $min: ["$versionsExpireAt", until.expiresAt] } }),
        },
      },
      { $set: { outboxActors: where({ $eq: ["$outbox", []] }, "$$REMOVE", "$outboxActors") } },
    ];
    // Does not wait for a majority or the journal: if a crash undoes the update, the next call repeats it.
    const { matchedCount } = await collection.updateOne(
      { _id: documentId },
      update,
      {
        writeConcern: { w: 1, journal: false },
      },
      call,
    );
    return matchedCount > 0;
  }

  /** @throws MemoryError EIO */
  flush(call: CallContext): Promise<void> {
    return reading(() => moveVersions(this.#context, this.#address, call));
  }

  async #readTree(call: CallContext): Promise<PresentMemory | null> {
    const found = await this.#find<MemoryDocument>({}, call);
    if (found === null) return null;
    return presentMemory(found, this.#address);
  }

  #find<Found extends object>(projection: object, call: CallContext): Promise<Found | null> {
    return reading(async () => {
      await this.#context.ready();
      const filter = presentLookUp(this.#context, this.#address);
      return this.#context.collection.findOne<Found>(filter, { ...asPlainValues, projection }, call);
    });
  }
}

/** Reads the history of a memory from its whole document. */
export function presentMemory(
  document: MemoryDocument,
  address: CheckedAddress,
): PresentMemory & { tree: MemorySnapshot } {
  const tree = snapshotOfDocument(document);
  return {
    ...describeMemory(document, address),
    texts: new Map(tree.files.map(({ path, content }) => [path, content])),
    tree,
  };
}

function describeMemory(
  { _id, revision = 0, outbox = [], hasVersions }: OutboxDocument,
  address: CheckedAddress,
): Omit<PresentMemory, "texts"> {
  const memory = String(_id);
  const owner = hasVersions === true ? null : { _id: memory, ...address };
  return { documentId: _id, memory, revision, changes: outbox.map(recordedChange), owner };
}

/** Moves recorded changes from the document of a memory into the collection of versions. */
export function moveVersions(context: DocumentContext, address: CheckedAddress, call: CallContext): Promise<void> {
  const expiresAt = context.expiry.versionsExpireAt(address.scope, context.clock())?.expiresAt ?? null;
  return flush(new OutboxSource(context, address), context.versions, expiresAt, call);
}
