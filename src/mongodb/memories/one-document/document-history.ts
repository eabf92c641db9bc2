import type { CheckedAddress } from "../../../core/values/address.js";
import type { ChangeRecords } from "../../../core/contract/change-record.js";
import type { BackendLimits } from "../../../core/contract/backend.js";
import { memoryFull } from "../../../core/values/errors.js";
import type { HistoryBackend } from "../../../core/history/history-backend.js";
import type { SnapshotFile } from "../../../core/tree/snapshot.js";
import { utf8Bytes } from "../../../core/values/text.js";
import {
  type HistorySource,
  type PresentMemory,
  recordedFiles,
  type Restoration,
} from "../../history/history-source.js";
import { MongoHistory } from "../../history/memory-history.js";
import type { RecordedChange } from "../../history/outbox.js";
import { type Change, type Circumstances, refusableChange, roomFor } from "./change.js";
import { directoryBytes, keyOfPath, newFileBytes } from "./document.js";
import { recordOf } from "../../driver/records.js";
import { vectorsInCall } from "../in-call.js";
import { type DocumentContext, versionsInCall } from "./document-context.js";
import { type Expression, literal } from "../expressions.js";
import { entriesWhere } from "./expressions.js";
import { largeBytes, recordedTree } from "./outbox-expressions.js";
import { OutboxSource } from "./outbox-source.js";
import { recordedChange } from "./recorded-changes.js";
import type { StoredFile, StoredTreeChange } from "./stored-change.js";
import type { StoredDocument } from "./stored-document.js";

/** Null where the store keeps none. */
export function historyOf(
  context: DocumentContext,
  {
    document,
    address,
    limits,
    proposals,
  }: { document: StoredDocument; address: CheckedAddress; limits: BackendLimits; proposals: ChangeRecords },
): HistoryBackend | null {
  const { history, actor, clock } = context;
  if (history === null) return null;
  const source = new DocumentHistory(context, document, address, limits);
  return new MongoHistory({
    source,
    versions: versionsInCall(context, history.versions),
    flush: () => document.flush(),
    proposals,
    removeVectors: () => vectorsInCall(context).remove(address),
    actor,
    clock,
    maxFileBytes: limits.maxFileBytes,
  });
}

class DocumentHistory extends OutboxSource implements HistorySource {
  readonly #context: DocumentContext;
  readonly #document: StoredDocument;
  readonly #maxMemoryBytes: number;

  constructor(
    context: DocumentContext,
    document: StoredDocument,
    address: CheckedAddress,
    { maxMemoryBytes }: BackendLimits,
  ) {
    super(context, address);
    this.#context = context;
    this.#document = document;
    this.#maxMemoryBytes = maxMemoryBytes;
  }

  async restore(restoration: Restoration, revision: PresentMemory["revision"]): Promise<RecordedChange | null> {
    const stored = { files: storedFiles(restoration), directories: storedDirectories(restoration) };
    const { isReader, actor, clock } = this.#context;
    if (isReader) return recordedChange({ revision: revision + 1, at: clock(), actor, ...stored });
    let made: StoredTreeChange | null = null;
    const { report } = await this.#document.change<{ memoryBytes: number }>((circumstances) => {
      const { now, recording } = circumstances;
      made = { revision: revision + 1, at: recording?.at ?? now, actor: recording?.actor ?? null, ...stored };
      return restoreChange(restoration, stored, revision, circumstances);
    }, false);
    if (report?.status === "memoryFull") throw memoryFull(report.memoryBytes, this.#maxMemoryBytes);
    return report?.status === "ok" && made !== null ? recordedChange(made) : null;
  }
}

function restoreChange(
  restoration: Restoration,
  stored: Required<Pick<StoredTreeChange, "files" | "directories">>,
  revision: number,
  circumstances: Circumstances,
): Change {
  const { files, renamed, addedDirectories, removedDirectories, tree } = restoration;
  const growth = growthOf(restoration);
  const times = new Map(tree.files.map(({ path, createdAt }) => [path, createdAt]));
  const gone = [...files].flatMap(([path, content]) => (content === null ? [keyOfPath(path)] : []));
  const texts = [...files].flatMap(([path, content]) =>
    content === null ? [] : [{ path, key: keyOfPath(path), content }],
  );
  const timesOf = (path: string): object => ({
    createdAt: times.get(renamed.get(path) ?? path) ?? circumstances.now,
    updatedAt: circumstances.now,
  });
  const fields = {
    data: {
      $mergeObjects: [withoutKeys("$data", gone), literal(recordOf(texts.map(({ key, content }) => [key, content])))],
    },
    meta: {
      $mergeObjects: [
        withoutKeys("$meta", gone),
        literal(recordOf(texts.map(({ key, path }) => [key, timesOf(path)]))),
      ],
    },
    dirs: {
      $mergeObjects: [
        withoutKeys("$dirs", removedDirectories.map(keyOfPath)),
        literal(recordOf(addedDirectories.map((path) => [keyOfPath(path), true]))),
      ],
    },
  };
  return refusableChange(
    {
      refusals: [
        [{ $ne: ["$revision", revision] }, "raced"],
        [{ $gt: [growth, roomFor(circumstances)] }, "memoryFull"],
      ],
      fields,
      recorded: recordedTree({ files: literal(stored.files), directories: literal(stored.directories) }),
      report: { memoryBytes: { $add: [{ $bsonSize: "$$ROOT" }, growth] } },
      recordedBytes: largeBytes,
    },
    circumstances,
  );
}

function withoutKeys(record: string, keys: readonly string[]): Expression {
  return { $arrayToObject: entriesWhere(record, { $not: [{ $in: ["$$entry.k", literal(keys)] }] }) };
}

function storedFiles(restoration: Restoration): StoredFile[] {
  return recordedFiles(restoration).map(({ path, from, gone, before }) => ({
    key: keyOfPath(path),
    ...(from !== undefined && { from: keyOfPath(from) }),
    ...(gone && { gone }),
    ...(before !== undefined && { before }),
  }));
}

function storedDirectories({
  addedDirectories,
  removedDirectories,
}: Restoration): NonNullable<StoredTreeChange["directories"]> {
  return { added: addedDirectories.map(keyOfPath), removed: removedDirectories.map(keyOfPath) };
}

/**
 * Parents that are there already are counted again: a restoration is refused a little early, and never makes the
 * document too large.
 */
function growthOf({ files, addedDirectories, removedDirectories, tree }: Restoration): number {
  const present = new Map(tree.files.map((file): [string, SnapshotFile] => [file.path, file]));
  let growth = directoryBytes(addedDirectories) - directoryBytes(removedDirectories);
  for (const [path, content] of files) {
    const before = present.get(path);
    growth += (content === null ? 0 : utf8Bytes(content)) - (before?.sizeBytes ?? 0);
    if (content !== null && before === undefined) growth += newFileBytes(path);
  }
  return growth;
}
