import type { CheckedAddress } from "../../../core/values/address.js";
import type { ChangeRecords } from "../../../core/approval/change-record.js";
import type { BackendLimits } from "../../../core/backend.js";
import type { HistoryBackend } from "../../../core/history/history-backend.js";
import { ROOT } from "../../../core/values/paths.js";
import {
  type HistorySource,
  type PresentMemory,
  recordedFiles,
  type Restoration,
} from "../../history/history-source.js";
import { MongoHistory } from "../../history/memory-history.js";
import type { RecordedChange } from "../../history/outbox.js";
import { vectorsInCall } from "../in-call.js";
import { type FilesContext, versionsInCall } from "./files-context.js";
import { type RecordedTree, snapshotOf } from "./recorded-tree.js";
import { dropOld } from "./recording.js";
import type { StoredHistory, StoredRoot } from "./stored-document.js";
import type { StoredFiles } from "./stored-files.js";

/** What a memory has whose changes have made no version yet. */
const none: StoredHistory = { id: "none", revision: 0 };

export function presentOf(
  { _id, history = none }: Pick<StoredRoot, "_id" | "history">,
  texts: ReadonlyMap<string, string>,
): PresentMemory {
  return {
    documentId: _id,
    memory: history.id,
    revision: history.revision,
    changes: [],
    firstStored: undefined,
    texts,
    owner: null,
  };
}

export function historyOf(
  context: FilesContext,
  {
    stored,
    address,
    limits,
    proposals,
  }: { stored: StoredFiles; address: CheckedAddress; limits: BackendLimits; proposals: ChangeRecords },
): HistoryBackend {
  const { actor, clock } = context;
  const versions = versionsInCall(context);
  const flush = async (): Promise<void> => {
    const { history } = (await stored.reads.root()) ?? {};
    if (history !== undefined && !context.isReader) await dropOld(versions, history);
  };
  const removeVectors = (): Promise<void> => vectorsInCall(context).remove(address);
  return new MongoHistory({
    source: new FilesHistory(context, stored),
    versions,
    flush,
    proposals,
    removeVectors,
    actor,
    clock,
    maxFileBytes: limits.maxFileBytes,
  });
}

/** A memory never holds what has not become versions: they are made with the change. */
export class FilesHistory implements HistorySource {
  readonly #context: FilesContext;
  readonly #stored: StoredFiles;

  constructor(context: FilesContext, stored: StoredFiles) {
    this.#context = context;
    this.#stored = stored;
  }

  async read(what: "outbox" | "tree" | { path: string }): Promise<PresentMemory | null> {
    const documents = await this.#stored.reads.withRoot(pathsOf(what));
    const root = documents?.get(ROOT) as StoredRoot | undefined;
    if (!documents || root === undefined) return null;
    const files = [...documents].flatMap(([path, document]) => (document.kind === "file" ? [{ path, document }] : []));
    const texts = new Map(files.map(({ path, document }): [string, string] => [path, document.text]));
    const present = presentOf(root, texts);
    if (what === "tree") return { ...present, tree: snapshotOf(documents) };
    return what === "outbox" ? present : { ...present, isDirectory: documents.get(what.path)?.kind === "dir" };
  }

  /** There is nothing to settle. */
  settle(): Promise<boolean> {
    return Promise.resolve(true);
  }

  async restore(restoration: Restoration, revision: number): Promise<RecordedChange | null> {
    const { actor, clock, fileClock, isReader } = this.#context;
    const { files, addedDirectories, removedDirectories } = restoration;
    const directories = {
      ...(addedDirectories.length > 0 && { added: [...addedDirectories] }),
      ...(removedDirectories.length > 0 && { removed: [...removedDirectories] }),
    };
    const recorded = { revision: revision + 1, actor, files: recordedFiles(restoration), directories };
    if (isReader) return { ...recorded, at: clock() };
    return this.#stored.changes.queued<RecordedChange | null>({
      paths: [...files.keys(), ...addedDirectories],
      below: removedDirectories,
      chars: 0,
      actor,
      clock,
      fileClock,
      apply: (tree) => {
        if (!isStill(tree, restoration, revision)) return null;
        restoreIn(tree, restoration);
        tree.tell(recorded.files, directories);
        return { ...recorded, at: tree.at };
      },
    });
  }
}

/** Whether the memory is as it was when this was planned. A store without history changes texts and no revision. */
function isStill(
  tree: RecordedTree,
  { files, removedDirectories, tree: planned }: Restoration,
  revision: number,
): boolean {
  const texts = new Map(planned.files.map(({ path, content }) => [path, content]));
  const isSame = (path: string): boolean =>
    (tree.kind(path) === "file" ? tree.file(path).text : undefined) === texts.get(path);
  const goes = new Set([...removedDirectories, ...files.keys()]);
  return (
    tree.revision === revision &&
    [...files.keys()].every(isSame) &&
    removedDirectories.every((path) => tree.pathsBelow(path).every((below) => goes.has(below)))
  );
}

function restoreIn(
  tree: RecordedTree,
  { files, renamed, addedDirectories, removedDirectories, tree: planned }: Restoration,
): void {
  const times = new Map(planned.files.map(({ path, createdAt }) => [path, createdAt]));
  for (const [path, content] of files) if (content === null) tree.deleteFile(path);
  for (const path of removedDirectories.toSorted((a, b) => b.length - a.length)) tree.deleteEmptyDirectory(path);
  for (const path of addedDirectories.toSorted((a, b) => a.length - b.length)) tree.makeDirectory(path);
  for (const [path, content] of files)
    if (content !== null) tree.put(path, content, times.get(renamed.get(path) ?? path));
}

function pathsOf(what: "outbox" | "tree" | { path: string }): string[] | undefined {
  if (what === "tree") return undefined;
  return what === "outbox" || what.path === ROOT ? [] : [what.path];
}
