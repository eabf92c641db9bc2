import { isDeepStrictEqual } from "node:util";
import type { CallContext } from "../../core/runtime/call.js";
import { fileTooLarge, invalid, MemoryError } from "../../core/values/errors.js";
import type { MemoryVersion, RevertTarget, TextOccurrences, VersionFilter } from "../../core/history/history.js";
import type {
  CheckPath,
  FileLineage,
  HistoryBackend,
  LineageStep,
  RedactionTarget,
  VersionChange,
  VersionText,
} from "../../core/history/history-backend.js";
import { retryLostRace } from "../../core/runtime/lost-race.js";
import { runInTimeSlices } from "../../core/runtime/time-slices.js";
import { ROOT } from "../../core/values/paths.js";
import type { ChangeScope } from "../../core/tree/change.js";
import { MemoryTree } from "../../core/tree/memory-tree.js";
import type { MemorySnapshot } from "../../core/tree/snapshot.js";
import { utf8Bytes } from "../../core/values/text.js";
import type { HistoryContext, PresentPart } from "./history-context.js";
import { HistoryView } from "./history-view.js";
import { addTexts, createChangeVersions } from "./outbox.js";
import { FormRedaction } from "./redaction/redact-forms.js";
import { findRevert, planRestoration } from "./revert-plan.js";
import { readLaterChanges, treeAt } from "./tree-at.js";
import {
  checkVersionId,
  noSuchVersion,
  getPublicId,
  isTextRedacted,
  type VersionDocument,
  toMemoryVersion,
} from "./version-document.js";
import type { VersionQuery } from "./version-query.js";

/** The history of one memory in MongoDB, for one call (ADR 0015). */
export class MongoHistory implements HistoryBackend {
  readonly #context: HistoryContext;
  readonly #call: CallContext;

  constructor(context: HistoryContext, call: CallContext) {
    this.#context = context;
    this.#call = call;
  }

  async page(filter: Omit<VersionFilter, "limit">, limit: number, olderThan: string | null): Promise<MemoryVersion[]> {
    const view = await this.#view("outbox");
    if (view === null) return [];
    const query = await this.#createQuery(view, filter);
    const found = await view.page(query, limit, olderThan, { projection: { older: 0 } });
    return found.map(toMemoryVersion);
  }

  async read(id: string): Promise<MemoryVersion & { content: string | null }> {
    const { view, version, newer } = await this.#open(id);
    return { ...toMemoryVersion(version), content: await view.restoreText(version, newer) };
  }

  async after(newerThan: string | null, limit: number): Promise<MemoryVersion[]> {
    const view = await this.#view("outbox");
    return view === null ? [] : (await view.after(newerThan, limit)).map(toMemoryVersion);
  }

  async readChange(id: string): Promise<VersionChange> {
    const [change] = await this.readChanges([id]);
    if (change === undefined) throw noSuchVersion(id);
    return change;
  }

  async readChanges(ids: readonly string[]): Promise<VersionChange[]> {
    const changes = new Map<string, VersionChange>();
    for (const id of ids) {
      if (changes.has(id)) continue;
      const { view, version, newer } = await this.#open(id);
      const lineage = [...newer, version];
      for (const [index, each] of lineage.entries())
        if (ids.includes(getPublicId(each)))
          changes.set(getPublicId(each), await readChange(view, each, lineage.slice(0, index)));
    }
    return ids.flatMap((id) => changes.get(id) ?? []);
  }

  async at(when: string | Date): Promise<MemorySnapshot> {
    const view = await this.#view("tree");
    if (view === null) throw typeof when === "string" ? noSuchVersion(checkVersionId(when)) : noVersions();
    const id = typeof when === "string" ? getPublicId(await view.one(when)) : ((await view.lastUntil(when)) ?? "0");
    return (await treeAt(view, id, await readLaterChanges(view, id))).snapshot;
  }

  async texts(from: string, to: string | null): Promise<{ from: VersionText; to: VersionText }> {
    const older = await this.#open(from);
    return {
      from: await readVersionText(older),
      to: to === null ? getPresentText(older) : await readVersionText(await this.#open(to)),
    };
  }

  async lineage(path: string): Promise<FileLineage> {
    const view = await this.#view({ paths: [path], below: [] });
    const { content: text } = (view?.present.tree ?? new MemoryTree()).file(path);
    const last = await view?.lastAt(path);
    return {
      text,
      steps:
        !view || !last || last.operation === "deleted"
          ? noSteps()
          : readSteps(view.lineagePages(last.file ?? "", null)),
    };
  }

  async revert(
    what: RevertTarget,
    force: boolean,
    checkPath: CheckPath | null,
    guard: (path: string, text: string) => Promise<string>,
  ): Promise<MemoryVersion[]> {
    const { restore, maxFileBytes } = this.#context;
    return retryLostRace(async () => {
      const found = await this.#find((view) => findRevert(view, what, force), "path" in what ? [what.path] : []);
      if (found === null) throw "path" in what ? noSuchVersion(what.to) : noVersions();
      const { present } = found.view;
      const restoration = await planRestoration(present.tree, await found.findTarget(), guard);
      if (restoration === null) return [];
      for (const [path, content] of restoration.files) {
        checkPath?.(path);
        const sizeBytes = content === null ? 0 : utf8Bytes(content);
        if (sizeBytes > maxFileBytes) throw fileTooLarge(sizeBytes, maxFileBytes);
      }
      const change = await restore(restoration, present.revisions);
      if (change === null) return undefined;
      const texts = [...restoration.files].filter((entry): entry is [string, string] => entry[1] !== null);
      const made = createChangeVersions(present.memory, change);
      await runInTimeSlices(addTexts(made, new Map(texts)), this.#call);
      return made
        .filter(({ document }) => document.operation !== undefined)
        .map(({ document }) => toMemoryVersion(document));
    });
  }

  findText(text: string): Promise<TextOccurrences> {
    return this.#redaction({ text }).find();
  }

  redact(what: RedactionTarget, checkPath: CheckPath | null): Promise<number> {
    return this.#redaction(what).run("text" in what && what.cut, checkPath);
  }

  #redaction(what: { text: string } | { path: string }): FormRedaction {
    return new FormRedaction(this.#context, what, () => this.#view("tree"), this.#call);
  }

  async #createQuery(view: HistoryView, { path, ...filter }: Omit<VersionFilter, "limit">): Promise<VersionQuery> {
    if (path === undefined || path === ROOT) return filter;
    const last = await view.lastAt(path);
    if (last === null) return { ...filter, below: path };
    const part = await this.#context.source.load({ paths: [path], below: [] }, this.#call);
    const kind = part?.tree.kind(path) ?? null;
    const isDirectory = kind === "dir" || (kind === null && (await view.hasBelow(path)));
    return isDirectory ? { ...filter, below: path } : { ...filter, ofFile: { path, last } };
  }

  async #view(part: PresentPart): Promise<HistoryView | null> {
    const present = await this.#context.source.read(part, this.#call);
    return present === null ? null : HistoryView.of(present, this.#context.versions, this.#call);
  }

  /** Reads a version with the later versions of its file, and the present text of that file alone. */
  async #open(id: string): Promise<OpenedVersion> {
    const found = await this.#find(async (view) => {
      const version = await view.one(id);
      const newer = await view.lineage(version.file ?? "", id);
      const { path } = newer[0] ?? version;
      return { version, newer, scope: { paths: path === undefined ? [] : [path], below: [] } };
    });
    if (found === null) throw noSuchVersion(checkVersionId(id));
    return found;
  }

  /**
   * Finds versions, and then reads the part of the memory that they need. If that part changes meanwhile, everything is
   * read again, at one point in time.
   * @param paths that are probably needed. @default none
   */
  async #find<Found extends { scope: ChangeScope }>(
    find: (view: HistoryView) => Promise<Found>,
    paths: readonly string[] = [],
  ): Promise<(Found & { view: HistoryView }) | null> {
    let scope: ChangeScope = { paths, below: [] };
    for (;;) {
      const view = await this.#view(scope);
      if (view === null) return null;
      const found = await find(view);
      if (isDeepStrictEqual(found.scope, scope)) return { ...found, view };
      ({ scope } = found);
      if (await view.take(await this.#context.source.load(scope, this.#call))) return { ...found, view };
    }
  }
}

function noVersions(): MemoryError {
  return new MemoryError("ENOENT", "ENOENT: the memory has no versions");
}

interface OpenedVersion {
  view: HistoryView;
  version: VersionDocument;
  /** Newest first. */
  newer: readonly VersionDocument[];
}

async function readChange(
  view: HistoryView,
  version: VersionDocument,
  newer: readonly VersionDocument[],
): Promise<VersionChange> {
  return {
    ...toMemoryVersion(version),
    content: await view.restoreText(version, newer),
    before:
      version.operation === "created" ? null : ((await view.textBefore([...newer, version], undefined)) ?? undefined),
  };
}

async function readVersionText({ view, version, newer }: OpenedVersion): Promise<VersionText> {
  const id = getPublicId(version);
  if (isTextRedacted(version)) throw invalid(`version ${id} is redacted: it has no text to compare`);
  return { path: version.path ?? "", id, content: await view.restoreText(version, newer) };
}

/** Returns the present text of the file of a version, wherever the file is now. */
function getPresentText({ view, version, newer }: OpenedVersion): VersionText {
  const path = newer[0]?.path ?? version.path ?? "";
  return { path, id: null, content: view.present.texts.get(path) ?? null };
}

/** Ends at a version that is no longer kept: older versions do not lead to the present text. */
async function* readSteps(parts: AsyncIterable<readonly VersionDocument[]>): AsyncGenerator<LineageStep[]> {
  let since: string | undefined;
  for await (const part of parts) {
    const steps: LineageStep[] = [];
    for (const version of part) {
      if (since !== undefined && since !== getPublicId(version)) {
        yield steps;
        return;
      }
      steps.push({ version: toMemoryVersion(version), before: getTextBefore(version) });
      ({ since } = version);
    }
    yield steps;
  }
}

async function* noSteps(): AsyncGenerator<LineageStep[]> {}

function getTextBefore({ operation, older }: VersionDocument): LineageStep["before"] {
  if (operation === "created") return "none";
  return operation === "renamed" && older === undefined ? "same" : (older ?? null);
}
