import { withoutVersions } from "../../../core/contract/snapshot-since.js";
import type { Item } from "@langchain/langgraph-checkpoint";
import type { VersionedSnapshot } from "../../../core/tree/snapshot.js";
import type { MemoryLocation } from "../../operations/memory-location.js";
import type { PlannedWrite, StoredMemory } from "../contract/stored-memory.js";
import { readItems } from "./document-items.js";
import type { MemoryEntry, MemoryOutline, MemorySnapshot, MemoryStat, OutlineOptions } from "../../../core/memory.js";
import type { BackendLimits } from "../../../core/contract/backend.js";
import type { CallContext } from "../../../core/runtime/call.js";
import { runInTurns } from "../../../core/runtime/turns.js";
import { lostRace, maxAttempts, pause } from "../../../core/runtime/lost-race.js";
import { type Change, type ChangeResult, createsMissing, noResult } from "../../../core/tree/change.js";
import { hasNoEdits, type MemoryTree, type TreeEdits } from "../../../core/tree/memory-tree.js";
import type { MemoryOptions } from "../../../core/memory-options.js";
import type { CheckedAddress } from "../../../core/values/address.js";
import { MemoryError, memoryFull } from "../../../core/values/errors.js";
import { utf8Bytes } from "../../../core/values/text.js";
import type { ChangeListener } from "../../../core/contract/change-listener.js";
import { planChanges } from "../planned-changes.js";
import type { Applied, AttemptSettings, StorageMoment, StorageScope } from "../contract/tree-storage.js";
import { createAttempt } from "./attempts.js";
import type { ChangeParts } from "./change-pipeline.js";
import { emptyDocumentBytes, type MemoryDocument, newFileBytes } from "./document.js";
import { type DocumentContext } from "./document-context.js";
import { listenToDocument, getVersion } from "./document-listener.js";
import { DocumentReads } from "./document-reads.js";
import { DocumentWrites, type MadeChange, type DocumentWriteOptions } from "./document-writes.js";
import { createEditParts } from "./edit-parts.js";
import { type LoadedDocument, loadDocument } from "./load.js";
import { OutboxSource } from "./outbox/outbox-source.js";

/** One memory as one document (specification sections 4 and 5). */
export class DocumentStorage implements StoredMemory {
  readonly #context: DocumentContext;
  readonly #address: CheckedAddress;
  readonly #limits: BackendLimits;
  readonly #key: string;
  readonly #reads: DocumentReads;
  readonly #writes: DocumentWrites;

  constructor(context: DocumentContext, address: CheckedAddress, limits: BackendLimits) {
    this.#context = context;
    this.#address = address;
    this.#limits = limits;
    this.#key = JSON.stringify(address);
    this.#reads = new DocumentReads(context, address);
    this.#writes = new DocumentWrites(context, address, limits);
  }

  async attempt(change: Change, settings: AttemptSettings, call: CallContext): Promise<ChangeResult | null> {
    const parts = createAttempt(change, settings);
    if (parts === null) return null;
    const upsert = createsMissing(change);
    // An upsert cannot refuse the change of a missing document, so the size is checked before.
    if (upsert && this.#newDocumentBytes([change]) > this.#limits.maxMemoryBytes) return null;
    const { now, at } = settings;
    const made = await this.#try(parts, { at, createdAt: now, upsert }, call);
    if (made === null) return null;
    if (made === "missing") return change.type === "delete" && !this.#context.isGuest ? noResult : null;
    return toResult(change, made, now);
  }

  transact<Result>(
    scope: StorageScope,
    apply: (tree: MemoryTree, moment: StorageMoment) => Applied<Result> | Promise<Applied<Result>>,
    call: CallContext,
  ): Promise<Result> {
    return this.#context.edits.run(this.#key, async () => {
      for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
        call.throwIfAborted();
        const loaded = await this.#load(scope, call);
        const at = this.#context.clock();
        const { edits, result } = await apply(loaded.tree, { at, isApplied: loaded.isApplied });
        if (hasNoEdits(edits) || (await this.#store(loaded, edits, { scope, at }, call))) return result;
        await pause(attempt);
      }
      throw lostRace();
    });
  }

  read(path: string, call: CallContext): Promise<string> {
    return this.#reads.read(path, call);
  }

  readFiles(paths: readonly string[], call: CallContext): Promise<(string | null)[]> {
    return this.#reads.readFiles(paths, call);
  }

  list(path: string, call: CallContext): Promise<MemoryEntry[]> {
    return this.#reads.list(path, call);
  }

  stat(path: string, call: CallContext): Promise<MemoryStat | null> {
    return this.#reads.stat(path, call);
  }

  snapshot(call: CallContext): Promise<MemorySnapshot> {
    return this.#reads.snapshot(call);
  }

  outline(options: Required<OutlineOptions>, call: CallContext): Promise<MemoryOutline> {
    return this.#reads.outline(options, call);
  }

  async version(call: CallContext): Promise<string | null> {
    return getVersion(await this.#reads.find<MemoryDocument>({ revision: 1 }, call));
  }

  async snapshotSince(_known: ReadonlyMap<string, string>, call: CallContext): Promise<VersionedSnapshot> {
    return withoutVersions(await this.snapshot(call));
  }

  /** A search reads the whole document. */
  prefilter(): Promise<null> {
    return Promise.resolve(null);
  }

  items(places: readonly MemoryLocation[], call: CallContext): Promise<(Item | null)[]> {
    return readItems(this.#context, places, call);
  }

  async listen(): Promise<ChangeListener | null> {
    await this.#context.ready();
    return listenToDocument(this.#context, this.#address);
  }

  get history(): StoredMemory["history"] {
    return this.#context.history === null ? null : new OutboxSource(this.#context, this.#address);
  }

  async appliedIds(call: CallContext): Promise<string[]> {
    const found = await this.#reads.find<MemoryDocument>({ revision: 1, applied: 1 }, call);
    return Object.keys(found?.applied ?? {});
  }

  removeAppliedIds(ids: readonly string[], call: CallContext): Promise<void> {
    return this.#writes.removeAppliedIds(ids, call);
  }

  async updatedAt(call: CallContext): Promise<Date | null> {
    const found = await this.#reads.find<MemoryDocument>({ revision: 1, updatedAt: 1 }, call);
    return found?.updatedAt ?? null;
  }

  /** Rewrites a document of the earlier system, as its next change would do. @returns whether the document was one */
  async upgrade(call: CallContext): Promise<boolean> {
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const document = await this.#reads.findWhole(call);
      if (document === null || document.revision !== undefined) return false;
      if (await this.#writes.rewriteLegacy(document, call)) return true;
      await pause(attempt);
    }
    throw lostRace();
  }

  /** Deletes an expired document that the server has not deleted yet. Such a document would prevent a new one. */
  deleteExpired(call: CallContext): Promise<void> {
    return this.#writes.deleteExpired(call);
  }

  /** Refuses changes that the memory in its present state would refuse. Changes nothing. */
  async checkChanges(
    changes: readonly PlannedWrite[],
    options: Required<MemoryOptions>,
    call: CallContext,
  ): Promise<void> {
    const paths = changes.map(({ path }) => path);
    const below = changes.flatMap(({ kind, path }) => (kind === "deleteDirectory" ? [path] : []));
    const loaded = await loadDocument(this.#reads, { paths, below, chars: 0 }, call);
    for (const edits of planChanges(loaded.tree, changes, options))
      await this.#checkRoom(loaded, edits, await runInTurns(createEditParts(loaded, edits), call), call);
  }

  /** Refuses edits after which the memory would exceed its limit. @throws ENOSPC */
  async #checkRoom(
    { isMissing, sizeBytes }: LoadedDocument,
    { files }: TreeEdits,
    parts: ChangeParts,
    call: CallContext,
  ): Promise<void> {
    const { maxMemoryBytes } = this.#limits;
    const most = isMissing ? this.#newDocumentBytes(files) : sizeBytes + parts.growth;
    if (most <= maxMemoryBytes || parts.growth === 0) return;
    const now = this.#context.clock();
    const measured = isMissing ? null : await this.#writes.measure(parts, { at: now, createdAt: now }, call);
    const after = measured ?? most;
    if (after > Math.max(maxMemoryBytes, sizeBytes)) throw memoryFull(after, maxMemoryBytes);
  }

  /** Makes a change. Null if the change is too large: the tree then reports how large. */
  async #try(
    parts: ChangeParts,
    options: DocumentWriteOptions,
    call: CallContext,
  ): Promise<MadeChange | "missing" | null> {
    try {
      return await this.#writes.make(parts, options, call);
    } catch (error) {
      if (MemoryError.isInstance(error) && error.code === "ENOSPC") return null;
      throw error;
    }
  }

  #load(scope: StorageScope, call: CallContext): Promise<LoadedDocument> {
    // The history records the previous texts.
    const recordsTexts = this.#context.history !== null && scope.keepsTexts !== true;
    const needsTexts = scope.needsTexts === true || recordsTexts;
    return loadDocument(this.#reads, { ...scope, needsTexts }, call);
  }

  async #store(
    loaded: LoadedDocument,
    edits: TreeEdits,
    { scope, at }: { scope: StorageScope; at: Date },
    call: CallContext,
  ): Promise<boolean> {
    const { isMissing } = loaded;
    const parts = await runInTurns(createEditParts(loaded, edits, scope.approvalId), call);
    await this.#checkRoom(loaded, edits, parts, call);
    // An upsert cannot refuse the change of a missing document. `#checkRoom` has checked the size.
    const checked = isMissing ? { ...parts, growth: 0 } : parts;
    const createdAt = edits.files.reduce(
      (earliest, file) => (file.createdAt < earliest ? file.createdAt : earliest),
      at,
    );
    const made = await this.#writes.make(checked, { at, createdAt, upsert: isMissing }, call);
    return made !== null && made !== "missing";
  }

  #newDocumentBytes(files: readonly { path: string; content: string }[]): number {
    const texts = files.map(({ path, content }) => newFileBytes(path) + utf8Bytes(content));
    return texts.reduce((sum, bytes) => sum + bytes, emptyDocumentBytes(this.#address));
  }
}

function toResult(change: Change, { counts: [first, second], createdAt }: MadeChange, now: Date): ChangeResult {
  switch (change.type) {
    case "write": {
      const sizeBytes = utf8Bytes(change.content);
      return { ...noResult, file: { kind: "file", sizeBytes, createdAt: createdAt ?? now, updatedAt: now } };
    }
    case "update":
      return { ...noResult, replaced: first };
    case "delete":
      return { ...noResult, deleted: { files: first, dirs: second } };
    case "append":
    case "edit":
    case "rename":
      return noResult;
  }
}
