import { listRecords, type RecordRedaction, redactRecords } from "../../../core/approval/redact-records.js";
import type { ChangeRecord } from "../../../core/contract/change-record.js";
import type { CheckPath } from "../../../core/history/history-backend.js";
import type { CallContext } from "../../../core/runtime/call.js";
import { lostRace, maxAttempts, pause } from "../../../core/runtime/lost-race.js";
import { MemoryTree } from "../../../core/tree/memory-tree.js";
import type { HistoryContext } from "../history-context.js";
import type { HistoryView } from "../history-view.js";
import { planRedactions } from "./plan-versions.js";
import { hasText, isAbove, isStaleDigest, isWaitingOn, type RedactedFileText } from "./tied-records.js";
import type { Redaction } from "./write-redactions.js";
import {
  checkVersionId,
  getPublicId,
  isTextRedacted,
  noSuchVersion,
  type VersionDocument,
} from "../version-document.js";

/** Redacts whole versions of a memory, and the records with their texts (ADR 0052). */
export class VersionRedaction {
  readonly #context: HistoryContext;
  readonly #ids: readonly string[];
  readonly #readView: () => Promise<HistoryView | null>;
  readonly #call: CallContext;
  /** The texts of the versions, read before the versions are redacted. */
  readonly #texts: RedactedFileText[] = [];
  /** The ids of the versions that this call has redacted. They may no longer be kept. */
  readonly #redacted = new Set<string>();

  constructor(
    context: HistoryContext,
    ids: readonly string[],
    readView: () => Promise<HistoryView | null>,
    call: CallContext,
  ) {
    this.#context = context;
    this.#ids = ids;
    this.#readView = readView;
    this.#call = call;
  }

  /**
   * Checks all that `run` checks before its first change.
   * @returns whether anything is to be redacted
   * @throws MemoryError EINVAL, ENOENT, and what `checkPath` throws
   */
  async check(checkPath: CheckPath | null): Promise<boolean> {
    return (await this.#plan(checkPath)).open.length > 0;
  }

  /** @returns the number of redacted versions */
  async run(checkPath: CheckPath | null): Promise<number> {
    const { source, proposals, versions, removeVectors } = this.#context;
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      await source.flush(this.#call);
      const { view, open, redactions, records } = await this.#plan(checkPath);
      // Comes first, because a redacted version no longer has the text to search for.
      const recordCount = await redactRecords(proposals, records);
      if (open.length + recordCount === 0) return this.#redacted.size;
      await removeVectors();
      const ids = open.map(getPublicId);
      if (ids.every((id) => view.isStored(id))) {
        const count = await versions.redact(view.present.memory, redactions, this.#call);
        if (count === redactions.length) for (const id of ids) this.#redacted.add(id);
      }
      await pause(attempt);
    }
    throw lostRace();
  }

  async #plan(checkPath: CheckPath | null): Promise<Plan> {
    const view = await this.#readView();
    if (view === null) throw noSuchVersion(checkVersionId(this.#ids[0]));
    const open = await this.#findOpen(view);
    for (const { path, from } of open) for (const each of [path, from]) if (each !== undefined) checkPath?.(each);
    const { redactions, texts } = await planRedactions(view, open, this.#context.clock(), this.#call.actor);
    this.#texts.push(...texts);
    const records = this.#tieRecords(view);
    for await (const record of checkPath === null ? [] : listRecords(this.#context.proposals))
      if (records.isTied(record)) checkPath?.(record.path);
    return { view, open, redactions, records };
  }

  /** @throws MemoryError ENOENT for a version that is not kept */
  async #findOpen(view: HistoryView): Promise<VersionDocument[]> {
    const kept = await view.several(this.#ids.map(checkVersionId));
    for (const id of this.#ids)
      if (kept.get(id)?.operation === undefined && !this.#redacted.has(id)) throw noSuchVersion(id);
    return [...kept.values()].filter((version) => !isTextRedacted(version));
  }

  #tieRecords({ present: { tree } }: HistoryView): RecordRedaction {
    const paths = this.#texts.map(({ path }) => path);
    const present = new MemoryTree(tree);
    const sources = new Set(this.#ids.map((id) => `version:${id}`));
    const isTied = (record: ChangeRecord): boolean =>
      isWaitingOn(record, sources) ||
      this.#texts.some((text) => hasText(record, text)) ||
      (record.isDirectory && isAbove(record, paths) && isStaleDigest(record, present));
    return {
      isTied,
      isPathRedacted: (path) => paths.includes(path),
      coverShort: (text) => text,
      coverSources: (ids) => ids,
      coverActor: (actor) => actor,
    };
  }
}

interface Plan {
  view: HistoryView;
  /** The versions that are not redacted yet. */
  open: VersionDocument[];
  redactions: Redaction[];
  records: RecordRedaction;
}
