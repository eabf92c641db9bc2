import { randomBytes } from "node:crypto";
import type { ClientSession } from "mongodb";
import type { CheckedAddress } from "../../../core/values/address.js";
import { memoryFull } from "../../../core/values/errors.js";
import type { CallContext } from "../../../core/runtime/call.js";
import { parentsOf, ROOT } from "../../../core/values/paths.js";
import type { ExactCollection } from "../../driver/exact-collection.js";
import { asPlainValues } from "../../driver/plain-values.js";
import { inTransaction } from "../../driver/transactions.js";
import {
  type Head,
  linkedVersions,
  pathsBefore,
  type RecordedChange,
  type UnlinkedVersion,
  unlinkedVersions,
} from "../../history/outbox.js";
import type { VersionCollection } from "../../history/version-collection.js";
import { type OwnerDocument, storedId, type VersionDocument } from "../../history/version-document.js";
import type { MadeChanges, Outcome, QueuedChange } from "./change-queue.js";
import { idOfPath, memoryKeyOf, pathOfId, rangeOfMemory, rangesBelow, rootIdOf } from "./document-ids.js";
import { byId, listingIndex } from "./file-indexes.js";
import { refuseElsewhere } from "./elsewhere.js";
import type { FilesContext } from "./files-context.js";
import { RecordedTree } from "./recorded-tree.js";
import type { StoredDocument, StoredHistory } from "./stored-document.js";

type RecordingContext = Pick<
  FilesContext,
  "collection" | "transactions" | "versions" | "clock" | "expiry" | "isGuest" | "history"
>;

/** How many documents come at a time, or go. */
const batchSize = 1000;

/** How long the texts may be together that the changes of one transaction replace or bring. */
const maxTextChars = 32_000_000;

/** After so many changes versions are dropped that need not be kept. */
const changesPerRetention = 60;

/** What a transaction has made, for what is done after it. */
interface Made {
  outcomes: Outcome[];
  history: StoredHistory | null;
  /** The revision before. */
  revision: number;
}

/**
 * Makes changes of a memory one after the other by one transaction, with their versions where there is a history (ADR
 * 0023), and within a limit of the memory (ADR 0027). What makes a version, or a limited memory larger, writes the
 * root, so of two that run at the same time one is made anew.
 */
export async function makeRecorded(
  context: RecordingContext,
  address: CheckedAddress,
  changes: readonly QueuedChange<unknown>[],
  call: CallContext | undefined,
): Promise<MadeChanges> {
  const collection = call === undefined ? context.collection : context.collection.forCall(call);
  const versions = call === undefined ? context.versions : context.versions.forCall(call);
  const made = await inTransaction(context.transactions, call, (session) =>
    new Recording({ ...context, collection, versions }, address, session).make(changes),
  );
  await prolong({ ...context, collection, versions }, address, made);
  return { outcomes: made.outcomes, afterwards: () => retain(context, made) };
}

class Recording {
  readonly #context: RecordingContext;
  readonly #address: CheckedAddress;
  readonly #key: string;
  readonly #session: ClientSession;
  #storedBytes: number | undefined;

  constructor(context: RecordingContext, address: CheckedAddress, session: ClientSession) {
    this.#context = context;
    this.#address = address;
    this.#key = memoryKeyOf(address);
    this.#session = session;
  }

  async make(changes: readonly QueuedChange<unknown>[]): Promise<Made> {
    const stored = await this.#load(changes);
    const tree = new RecordedTree(stored, this.#address, this.#key);
    const found = tree.root?.history ?? null;
    const { history: kept } = this.#context;
    const records = kept !== null && (kept.begins || found !== null);
    const history = found ?? { id: randomBytes(12).toString("hex"), revision: 0 };
    const recorded: RecordedChange[] = [];
    const outcomes: Outcome[] = [];
    let chars = 0;
    for (const change of changes) {
      if (outcomes.length > 0 && chars > maxTextChars) break;
      outcomes.push(await this.#outcomeOf(tree, change, history.revision + recorded.length));
      const { recorded: told } = tree;
      if (told === null) continue;
      for (const { path, before } of told.files) chars += (before?.length ?? 0) + textOf(tree, path).length;
      if (records)
        recorded.push({ revision: history.revision + recorded.length + 1, at: tree.at, actor: change.actor, ...told });
    }
    const next = recorded.length === 0 ? null : await this.#recordIn(tree, stored, history, recorded, found === null);
    await this.#write(stored, tree);
    return { outcomes, history: next, revision: history.revision };
  }

  async #outcomeOf(tree: RecordedTree, change: QueuedChange<unknown>, revision: number): Promise<Outcome> {
    const at = change.clock();
    const { grownBytes } = tree;
    tree.begin({ at, fileAt: change.fileClock?.() ?? at }, revision);
    let answer: unknown;
    try {
      answer = await change.apply(tree);
    } catch (refusal) {
      tree.undo();
      return { refusal };
    }
    const { maxMemoryBytes } = change;
    if (maxMemoryBytes === undefined || tree.grownBytes <= grownBytes) return { answer };
    const sizeBytes = (this.#storedBytes ??= await this.#sizeOfAll()) + tree.grownBytes;
    if (sizeBytes > maxMemoryBytes) {
      tree.undo();
      return { refusal: memoryFull(sizeBytes, maxMemoryBytes) };
    }
    tree.touchRoot();
    return { answer };
  }

  /** What all texts take, as they are stored, by the index of listings. */
  async #sizeOfAll(): Promise<number> {
    const pipeline = [
      { $match: { _id: rangeOfMemory(this.#key) } },
      { $group: { _id: null, sizeBytes: { $sum: "$sizeBytes" } } },
    ];
    const options = { ...asPlainValues, hint: listingIndex.name, session: this.#session };
    const [found] = await this.#collection.aggregate<{ sizeBytes: number }>(pipeline, options).toArray();
    return found?.sizeBytes ?? 0;
  }

  /** Whatever the changes name, with all parents and the root. */
  async #load(changes: readonly QueuedChange<unknown>[]): Promise<Map<string, StoredDocument>> {
    const documents = new Map<string, StoredDocument>();
    const add = async (_id: object): Promise<void> => {
      const options = { ...asPlainValues, session: this.#session, ...byId, batchSize };
      for await (const document of this.#collection.find<StoredDocument>({ _id }, options))
        documents.set(pathOfId(this.#key, document._id), document);
    };
    const below = new Set(changes.flatMap((change) => change.below ?? []));
    const paths = new Set(
      [ROOT, ...below, ...changes.flatMap((change) => change.paths)].flatMap((path) => [path, ...parentsOf(path)]),
    );
    await add({ $in: Array.from(paths, (path) => idOfPath(this.#key, path)) });
    refuseElsewhere(this.#context, documents.get(ROOT));
    const directories = below.has(ROOT) ? [ROOT] : [...below].filter((path) => documents.get(path)?.kind === "dir");
    for (const range of directories.flatMap((path) => rangesBelow(this.#key, path))) await add(range);
    return documents;
  }

  /** Inserts the versions, and tells the root and the files of them. @returns what the root then knows */
  async #recordIn(
    tree: RecordedTree,
    stored: ReadonlyMap<string, StoredDocument>,
    found: StoredHistory,
    changes: readonly RecordedChange[],
    isFirst: boolean,
  ): Promise<StoredHistory> {
    const { expiry, clock, versions, history: kept } = this.#context;
    const texts = new Map(
      changes.flatMap(({ files }) => files.map(({ path }): [string, string] => [path, textOf(tree, path)])),
    );
    for (const path of texts.keys()) if (tree.kind(path) !== "file") texts.delete(path);
    const unlinked = unlinkedVersions(found.id, changes, texts);
    const documents = linkedVersions(unlinked, await this.#headsOf(stored, found, changes));
    const known = kept?.begins === true ? undefined : found.lifetimeMs;
    const lifetimeMs = expiry.lifetimeMs(this.#address.scope) ?? known;
    const until = lifetimeMs === undefined ? null : expiryOf(lifetimeMs, clock());
    // What has no time to go yet, as nothing expired then or an archive brought it, is as if it had to go now:
    // `prolong` gives it one.
    const former = found.expiresAt ?? (isFirst ? undefined : clock());
    const first = until && earliest(former, until.expiresAt);
    const { lifetimeMs: _former, ...rest } = found;
    const history: StoredHistory = {
      ...rest,
      revision: found.revision + changes.length,
      ...(lifetimeMs !== undefined && { lifetimeMs }),
      ...(first && { expiresAt: first }),
    };
    const expires = until && { expiresAt: until.expiresAt };
    const owner: OwnerDocument = { _id: found.id, ...this.#address, ...expires };
    await versions.insertIn(this.#session, [
      ...(isFirst ? [owner] : []),
      ...documents.map((document): VersionDocument => ({ ...document, ...expires })),
    ]);
    for (const [path, head] of headsAfter(unlinked)) tree.setHead(path, head);
    const latest = clock();
    const { root } = tree;
    tree.setRoot({ history, updatedAt: root !== null && root.updatedAt > latest ? root.updatedAt : latest });
    return history;
  }

  /**
   * The last versions of the paths before the changes. A file knows its own, unless it was not changed since the
   * history began.
   */
  async #headsOf(
    stored: ReadonlyMap<string, StoredDocument>,
    { id, revision }: StoredHistory,
    changes: readonly RecordedChange[],
  ): Promise<Map<string, Head>> {
    const heads = new Map<string, Head>();
    const unknown: string[] = [];
    for (const path of pathsBefore(changes)) {
      const document = stored.get(path);
      if (document?.kind === "file" && document.head !== undefined) heads.set(path, { ...document.head, gone: false });
      else unknown.push(path);
    }
    if (revision === 0 || unknown.length === 0) return heads;
    // Not in the transaction, in which no server takes this; but none of these versions is of a change that this one
    // does not see.
    for (const [path, head] of await this.#context.versions.heads(id, unknown, revision + 1)) heads.set(path, head);
    return heads;
  }

  /** Only what differs from what is stored. */
  async #write(stored: ReadonlyMap<string, StoredDocument>, { documents }: RecordedTree): Promise<void> {
    const options = { session: this.#session };
    const removed: string[] = [];
    const made: StoredDocument[] = [];
    const changed: { updateOne: { filter: object; update: object } }[] = [];
    for (const [path, before] of stored) {
      const after = documents.get(path);
      if (after === before) continue;
      if (after?.kind !== before.kind) removed.push(before._id);
      if (after !== undefined && after.kind !== before.kind) made.push(after);
      else if (after !== undefined)
        changed.push({ updateOne: { filter: { _id: before._id }, update: { $set: differenceOf(before, after) } } });
    }
    for (const [path, document] of documents) if (!stored.has(path)) made.push(document);
    for (let start = 0; start < removed.length; start += batchSize) {
      await this.#collection.deleteMany(
        { _id: { $in: removed.slice(start, start + batchSize) } },
        { ...options, ...byId },
      );
    }
    if (made.length > 0) await this.#collection.insertMany(made, options);
    if (changed.length > 0) await this.#collection.bulkWrite(changed, options);
  }

  get #collection(): ExactCollection<StoredDocument> {
    return this.#context.collection;
  }
}

function textOf(tree: RecordedTree, path: string): string {
  return tree.kind(path) === "file" ? tree.file(path).text : "";
}

function differenceOf(before: StoredDocument, after: StoredDocument): object {
  const former = Object.fromEntries(Object.entries(before)) as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(after).filter(([field, value]) => field !== "_id" && value !== former[field]),
  );
}

function headsAfter(versions: readonly UnlinkedVersion[]): Map<string, { id: string; file: string }> {
  const heads = new Map<string, { id: string; file: string }>();
  for (const { id, document, file } of versions) {
    if (file !== null && !file.gone && document.file !== undefined) heads.set(file.path, { id, file: document.file });
  }
  return heads;
}

/** As `MemoryExpiry` has it, by the lifetime that the memory knows. */
function expiryOf(lifetimeMs: number, now: Date): { latest: Date; expiresAt: Date } {
  return { latest: new Date(now.getTime() + lifetimeMs), expiresAt: new Date(now.getTime() + 2 * lifetimeMs) };
}

function earliest(one: Date | undefined, other: Date): Date {
  return one !== undefined && one < other ? one : other;
}

/** Lets versions live as long as the memory. The change is made, whatever becomes of this: the next one tries again. */
async function prolong(
  { collection, versions, clock }: RecordingContext,
  address: CheckedAddress,
  { history }: Made,
): Promise<void> {
  const { id, expiresAt, lifetimeMs } = history ?? {};
  if (id === undefined || lifetimeMs === undefined || expiresAt === undefined) return;
  const until = expiryOf(lifetimeMs, clock());
  if (expiresAt >= until.latest) return;
  try {
    await versions.prolong(id, until.expiresAt);
    const filter = { _id: rootIdOf(memoryKeyOf(address)), "history.id": id };
    await collection.updateOne(filter, { $set: { "history.expiresAt": until.expiresAt } }, byId);
  } catch {
    // Nothing is lost: they are kept for a while yet.
  }
}

/** Drops now and then those that need not be kept. */
async function retain({ versions }: RecordingContext, { history, revision }: Made): Promise<void> {
  if (history === null) return;
  if (Math.floor(history.revision / changesPerRetention) > Math.floor(revision / changesPerRetention))
    await dropOld(versions, history, revision);
}

/** Of the last changes. Those of a process that died before it dropped any are among them. */
export async function dropOld(
  versions: VersionCollection,
  { id, revision }: Pick<StoredHistory, "id" | "revision">,
  since = revision,
): Promise<void> {
  if (!versions.dropsSome) return;
  const start = Math.max(0, since - 2 * changesPerRetention);
  const paths = await versions.pathsWithin({
    $gte: storedId(id, String(start)),
    $lt: storedId(id, String(revision + 1)),
  });
  await versions.applyRetention(id, paths);
}
