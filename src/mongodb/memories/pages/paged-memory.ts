import type { Item } from "@langchain/langgraph-checkpoint";
import type { ChangeListener } from "../../../core/contract/change-listener.js";
import type { MemoryEntry, MemoryOutline, MemorySnapshot, MemoryStat, OutlineOptions } from "../../../core/memory.js";
import type { MemoryOptions } from "../../../core/memory-options.js";
import type { CallContext } from "../../../core/runtime/call.js";
import { lostRace, maxAttempts, pause } from "../../../core/runtime/lost-race.js";
import { type Change, type ChangeResult, createsMissing, getScope, noResult } from "../../../core/tree/change.js";
import { hasNoEdits, type MemoryTree } from "../../../core/tree/memory-tree.js";
import type { VersionedSnapshot } from "../../../core/tree/snapshot.js";
import { MemoryError } from "../../../core/values/errors.js";
import { storageError } from "../../driver/errors.js";
import { utf8Bytes } from "../../../core/values/text.js";
import type { MemoryLocation } from "../../operations/memory-location.js";
import type { PlannedWrite, StoredMemory } from "../contract/stored-memory.js";
import type { Applied, AttemptSettings, StorageMoment, StorageScope } from "../contract/tree-storage.js";
import { getPlanScope, planChanges } from "../planned-changes.js";
import { createAttempt } from "./attempts.js";
import type { ChangeParts } from "./change-pipeline.js";
import { findKnownPages, selectPages } from "./known-pages.js";
import { listenToMemory } from "./memory-listener.js";
import { OutboxSource } from "./outbox/outbox-source.js";
import { newMemoryBytes } from "./page-document.js";
import { targetHeadAlone, targetKnownPage } from "./page-target.js";
import { getSplitBytes, type MemoryContext } from "./pages-context.js";
import { PageReads } from "./page-reads.js";
import { type MadeChange, makeChange, type PageWriteOptions, removeAppliedIds } from "./page-writes.js";
import { PagedChange } from "./paged-change.js";
import { touchHead } from "./touch-head.js";
import { upgradeHead } from "./upgrade.js";

/** One memory as one or more pages (specification sections 4, 5 and 16, ADR 0051). */
export class PagedMemory implements StoredMemory {
  readonly #memory: MemoryContext;
  readonly #reads: PageReads;

  constructor(memory: MemoryContext) {
    this.#memory = memory;
    this.#reads = new PageReads(memory);
  }

  async attempt(change: Change, settings: AttemptSettings, call: CallContext): Promise<ChangeResult | null> {
    await this.#prepare();
    const known = findKnownPages(this.#memory);
    const [page] = known === undefined ? [] : selectPages(known.pages, { paths: [change.path], below: [] });
    const parts = createAttempt(change, settings, page?.lo ?? "");
    if (parts === null) return null;
    const { now, at } = settings;
    if (known === undefined || page === undefined) {
      const upsert = createsMissing(change);
      // An upsert cannot refuse the change of a missing document, so the size is checked before.
      if (upsert && newMemoryBytes(this.#memory.address, [change]) > this.#memory.limits.maxMemoryBytes) return null;
      const target = targetHeadAlone(this.#memory);
      const made = await this.#try(parts, { target, at, createdAt: now, upsert }, call);
      if (made === "missing") return change.type === "delete" ? noResult : null;
      return made && toResult(change, made, now);
    }
    // The record of the change and the limit are kept in the head.
    if (this.#memory.history !== null || this.#memory.limits.isLimited === true) return null;
    if (change.type === "delete" && selectPages(known.pages, getScope(change)).length > 1) return null;
    if (!(await touchHead(this.#memory, known, call))) return null;
    const target = targetKnownPage(this.#memory, page, change);
    const made = await this.#try(parts, { target, at, createdAt: now, upsert: false }, call);
    return made === null || made === "missing" ? null : toResult(change, made, now);
  }

  transact<Result>(
    scope: StorageScope,
    apply: (tree: MemoryTree, moment: StorageMoment) => Applied<Result> | Promise<Applied<Result>>,
    call: CallContext,
  ): Promise<Result> {
    return this.#memory.edits.run(this.#memory.key, async () => {
      const change = new PagedChange(this.#memory, scope);
      for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
        call.throwIfAborted();
        const loaded = await change.load(call);
        const at = this.#memory.clock();
        const { edits, result } = await apply(loaded.tree, { at, isApplied: loaded.head?.isApplied === true });
        if (hasNoEdits(edits)) return result;
        const outcome = await change.store(loaded, edits, at, call);
        if (outcome === "stored") return result;
        if (outcome === "lost") await pause(attempt);
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

  version(call: CallContext): Promise<string | null> {
    return this.#reads.version(call);
  }

  snapshotSince(known: ReadonlyMap<string, string>, call: CallContext): Promise<VersionedSnapshot> {
    return this.#reads.snapshotSince(known, call);
  }

  items(places: readonly MemoryLocation[], call: CallContext): Promise<(Item | null)[]> {
    return this.#reads.items(places, call);
  }

  async listen(): Promise<ChangeListener | null> {
    await this.#prepare();
    return listenToMemory(this.#memory);
  }

  get history(): StoredMemory["history"] {
    return this.#memory.history === null ? null : new OutboxSource(this.#memory);
  }

  async appliedIds(call: CallContext): Promise<string[]> {
    const head = await this.#reads.findHead({ applied: 1 }, call);
    return Object.keys(head?.applied ?? {});
  }

  removeAppliedIds(ids: readonly string[], call: CallContext): Promise<void> {
    return removeAppliedIds(this.#memory, ids, call);
  }

  async updatedAt(call: CallContext): Promise<Date | null> {
    const head = await this.#reads.findHead({}, call);
    return head?.updatedAt ?? null;
  }

  /** Rewrites a document of an earlier release in the present form, as changes do. @returns whether it was one */
  async upgrade(call: CallContext): Promise<boolean> {
    await this.#prepare();
    return upgradeHead(this.#memory, call);
  }

  /** Refuses changes that the memory in its present state would refuse. Changes nothing. */
  async checkChanges(
    changes: readonly PlannedWrite[],
    options: Required<MemoryOptions>,
    call: CallContext,
  ): Promise<void> {
    const scope = getPlanScope(changes);
    const change = new PagedChange(this.#memory, scope);
    const loaded = await change.load(call);
    await change.checkRoom(loaded, planChanges(loaded.tree, changes, options, this.#memory.clock()), call);
  }

  async #prepare(): Promise<void> {
    try {
      await this.#memory.ready();
    } catch (error) {
      throw storageError(error, "write", null);
    }
  }

  /** Makes a change. Null if the change is too large: the tree then reports how large, or the page is split. */
  async #try(
    parts: ChangeParts,
    options: Omit<PageWriteOptions, "splitBytes">,
    call: CallContext,
  ): Promise<MadeChange | "missing" | null> {
    try {
      return await makeChange(this.#memory, parts, { ...options, splitBytes: getSplitBytes(this.#memory) }, call);
    } catch (error) {
      if (MemoryError.isInstance(error) && error.code === "ENOSPC") return null;
      throw error;
    }
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
