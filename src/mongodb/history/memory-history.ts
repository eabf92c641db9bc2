import type { MemoryActor } from "../../core/values/actor.js";
import type { ChangeRecords } from "../../core/approval/change-record.js";
import { redactRecords } from "../../core/approval/redact-records.js";
import { fileNotFound, fileTooLarge, invalid, MemoryError, pathIsDirectory } from "../../core/values/errors.js";
import type { MemoryVersion, RevertTarget, VersionFilter } from "../../core/history/history.js";
import type { FileLineage, HistoryBackend, LineageStep, VersionText } from "../../core/history/history-backend.js";
import { lostRace, maxAttempts, pause } from "../../core/runtime/lost-race.js";
import { ROOT } from "../../core/values/paths.js";
import type { MemorySnapshot } from "../../core/tree/snapshot.js";
import { utf8Bytes } from "../../core/values/text.js";
import type { HistorySource } from "./history-source.js";
import { HistoryView, textBefore } from "./history-view.js";
import { unlinkedVersions } from "./outbox.js";
import { redactionsOf, type ToldText, untelling } from "./redaction.js";
import { restorationFor } from "./revert-plan.js";
import { treeAt } from "./tree-at.js";
import type { VersionCollection } from "./version-collection.js";
import {
  checkVersionId,
  noSuchVersion,
  publicIdOf,
  storedId,
  type VersionDocument,
  versionOf,
} from "./version-document.js";
import type { VersionQuery } from "./version-query.js";

export interface HistoryContext {
  source: HistorySource;
  versions: VersionCollection;
  /** Moves what the memory has recorded into the collection. */
  flush: () => Promise<void>;
  /** The changes that wait or waited for a person, which hold texts too. */
  proposals: ChangeRecords;
  /** Removes what is stored of the meaning of the texts of the memory, which the next search makes anew. */
  removeVectors: () => Promise<void>;
  actor: MemoryActor | null;
  clock: () => Date;
  maxFileBytes: number;
}

/** The history of one memory in MongoDB (ADR 0015). */
export class MongoHistory implements HistoryBackend {
  readonly #context: HistoryContext;

  constructor(context: HistoryContext) {
    this.#context = context;
  }

  async page(filter: Omit<VersionFilter, "limit">, limit: number, olderThan: string | null): Promise<MemoryVersion[]> {
    const view = await this.#view("outbox");
    if (view === null) return [];
    const found = await view.page(await queryOf(view, filter), limit, olderThan);
    return found.map(versionOf);
  }

  async read(id: string): Promise<MemoryVersion & { content: string | null }> {
    const view = await this.#viewOf(id);
    const version = await view.one(id);
    return { ...versionOf(version), content: await view.textOf(version) };
  }

  async at(id: string): Promise<MemorySnapshot> {
    const view = await this.#viewOf(id);
    await view.one(id);
    return (await treeAt(view, id)).snapshot;
  }

  async texts(from: string, to: string | null): Promise<{ from: VersionText; to: VersionText }> {
    const view = await this.#viewOf(from);
    const version = await view.one(from);
    return {
      from: await textOf(view, version),
      to: to === null ? await presentOf(view, version) : await textOf(view, await view.one(to)),
    };
  }

  async lineage(path: string): Promise<FileLineage> {
    const view = await this.#view({ path });
    const text = view?.present.texts.get(path);
    if (text === undefined)
      throw path === ROOT || view?.present.isDirectory === true ? pathIsDirectory() : fileNotFound();
    const last = await view?.lastAt(path);
    return {
      text,
      steps: !view || !last || last.operation === "deleted" ? noSteps() : stepsOf(view.lineageInParts(last.file ?? "")),
    };
  }

  async revert(what: RevertTarget, force: boolean, checkPath: (path: string) => void): Promise<MemoryVersion[]> {
    const { source, maxFileBytes } = this.#context;
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const view = await this.#view("tree");
      if (view === null)
        throw "path" in what ? noSuchVersion(what.to) : new MemoryError("ENOENT", "ENOENT: the memory has no versions");
      const restoration = await restorationFor(view, what, force);
      if (restoration === null) return [];
      for (const [path, content] of restoration.files) {
        checkPath(path);
        const sizeBytes = content === null ? 0 : utf8Bytes(content);
        if (sizeBytes > maxFileBytes) throw fileTooLarge(sizeBytes, maxFileBytes);
      }
      const change = await source.restore(restoration, view.present.revision);
      if (change !== null) {
        const texts = [...restoration.files].filter((entry): entry is [string, string] => entry[1] !== null);
        const made = unlinkedVersions(view.present.memory, [change], new Map(texts)).map(({ document }) => document);
        return made.filter(({ operation }) => operation !== undefined).map(versionOf);
      }
      await pause(attempt);
    }
    throw lostRace();
  }

  async redact(ids: readonly string[], checkPath: (path: string) => void): Promise<number> {
    const { versions, proposals, removeVectors, actor, clock, flush } = this.#context;
    const redacted = new Set<string>();
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      await flush();
      const view = await this.#view("tree");
      if (view === null) throw noSuchVersion(checkVersionId(ids[0]));
      const { open, telling } = await redactable(view, ids, redacted);
      const changed = [...open, ...[...telling.values()].map(({ teller }) => teller)];
      if (changed.length === 0) return redacted.size;
      for (const { path } of changed) checkPath(path ?? ROOT);
      const oldestPending = view.present.changes[0]?.revision ?? Infinity;
      if (
        changed.every(
          (version) => version._id < storedId(view.present.memory, String(Math.min(oldestPending, 9_999_999_999))),
        )
      ) {
        const redactions = [
          ...(await redactionsOf(view, open, clock(), actor)),
          ...[...telling.values()].map((told) => untelling(view, told)),
        ];
        for (const id of [...open.map(publicIdOf), ...telling.keys()]) redacted.add(id);
        const texts = [
          ...(await keptTexts(view, open)),
          ...[...telling.values()].flatMap(({ newer }) => textBefore(newer, view.present.texts) ?? []),
        ];
        // First, because a version that is redacted no longer tells which text it had.
        await redactRecords(proposals, { paths: [], texts });
        await removeVectors();
        if (await versions.redact(view.present.memory, redactions)) return redacted.size;
      }
      await pause(attempt);
    }
    throw lostRace();
  }

  async #view(what: "outbox" | "tree" | { path: string }): Promise<HistoryView | null> {
    const present = await this.#context.source.read(what);
    return present === null ? null : HistoryView.of(present, this.#context.versions);
  }

  async #viewOf(id: string): Promise<HistoryView> {
    const view = await this.#view("tree");
    if (view === null) throw noSuchVersion(checkVersionId(id));
    return view;
  }
}

interface Redactable {
  /** Versions that are kept and not redacted. */
  open: VersionDocument[];
  /** What still tells the text of a version that is no longer kept, by the id of that one. */
  telling: Map<string, ToldText>;
}

/**
 * @param redacted ids that were found in an attempt before, of which nothing need be left
 * @throws MemoryError ENOENT for another version of which nothing is kept
 */
async function redactable(
  view: HistoryView,
  ids: readonly string[],
  redacted: ReadonlySet<string>,
): Promise<Redactable> {
  const kept = await view.several(ids.map(checkVersionId));
  const telling = new Map<string, ToldText>();
  for (const id of ids) {
    if (kept.get(id)?.operation !== undefined) continue;
    const teller = await view.tellerOf(id);
    if (teller !== null)
      telling.set(id, { teller, newer: [...(await view.lineage(teller.file ?? "", publicIdOf(teller))), teller] });
    else if (!redacted.has(id)) throw noSuchVersion(id);
  }
  return { open: [...kept.values()].filter(({ redactedAt }) => redactedAt === undefined), telling };
}

/** Of versions that have a text which is still kept. */
async function keptTexts(view: HistoryView, versions: readonly VersionDocument[]): Promise<string[]> {
  const texts = await Promise.all(
    versions.map(async (version) => {
      try {
        return await view.textOf(version);
      } catch (error) {
        if (MemoryError.isInstance(error) && error.code === "ENOENT") return null;
        throw error;
      }
    }),
  );
  return texts.filter((text) => text !== null);
}

async function queryOf(view: HistoryView, { path, ...filter }: Omit<VersionFilter, "limit">): Promise<VersionQuery> {
  if (path === undefined || path === ROOT) return filter;
  if (await view.hasBelow(path)) return { ...filter, below: path };
  const last = await view.lastAt(path);
  return { ...filter, ofFile: { path, last } };
}

async function textOf(view: HistoryView, version: VersionDocument): Promise<VersionText> {
  const id = publicIdOf(version);
  if (version.redactedAt !== undefined) throw invalid(`version ${id} is redacted: it has no text to compare`);
  return { path: version.path ?? "", id, content: await view.textOf(version) };
}

/** The file of a version as it is now, wherever it lies. */
async function presentOf(view: HistoryView, version: VersionDocument): Promise<VersionText> {
  const [newest = version] = await view.lineage(version.file ?? "", publicIdOf(version));
  const path = newest.path ?? version.path ?? "";
  return { path, id: null, content: view.present.texts.get(path) ?? null };
}

/** Ends where a version is no longer kept: what is older than that one does not lead to the present text. */
async function* stepsOf(parts: AsyncIterable<readonly VersionDocument[]>): AsyncGenerator<LineageStep[]> {
  let since: string | undefined;
  for await (const part of parts) {
    const steps: LineageStep[] = [];
    for (const version of part) {
      if (since !== undefined && since !== publicIdOf(version)) {
        yield steps;
        return;
      }
      steps.push({ version: versionOf(version), before: beforeOf(version) });
      ({ since } = version);
    }
    yield steps;
  }
}

async function* noSteps(): AsyncGenerator<LineageStep[]> {}

function beforeOf({ operation, older }: VersionDocument): LineageStep["before"] {
  if (operation === "created") return "none";
  return operation === "renamed" && older === undefined ? "same" : (older ?? null);
}
