import type { ClientSession } from "mongodb";
import type { CheckedAddress } from "../../../core/values/address.js";
import { MemoryError, memoryFull } from "../../../core/values/errors.js";
import { type CallContext, createUnlimitedCall } from "../../../core/runtime/call.js";
import type { Change, ChangeResult } from "../../../core/tree/change.js";
import { hasNoEdits, type MemoryTree, type TreeEdits } from "../../../core/tree/memory-tree.js";
import { parentsOf, ROOT } from "../../../core/values/paths.js";
import { asPlainValues } from "../../driver/plain-values.js";
import { inTransaction } from "../../driver/transactions.js";
import type { RecordedChange } from "../../history/outbox.js";
import { recordEdits } from "../../history/record-edits.js";
import { transactionError } from "../transaction-errors.js";
import type { Applied, AttemptSettings, StorageMoment, StorageScope, TreeStorage } from "../contract/tree-storage.js";
import { attemptChange, readText } from "./attempts.js";
import { storeDifference } from "./difference.js";
import {
  idOfPath,
  memoryKeyOf,
  pathOfId,
  rangeOfMemory,
  rangesBelow,
  type StoredDocument,
  type StoredFile,
  type StoredHistory,
  type StoredRoot,
} from "./documents.js";
import { byId, listingIndex, listingProjection } from "./file-indexes.js";
import { type FilesContext, refuseElsewhere } from "./files-context.js";
import { type LoadedDocument, LoadedTree } from "./loaded-tree.js";
import { FilesExpiry } from "./files-expiry.js";
import type { MadeChanges, Outcome, QueuedChange } from "./queue.js";
import { beginHistory, insertRecorded, prolong, retain } from "./versions.js";

/** How many documents come at a time. */
const batchSize = 1000;

/** How long all texts may be that the changes of one transaction replace or bring. */
const maxTextChars = 32_000_000;

/** What a transaction has made. */
interface Made {
  outcomes: Outcome[];
  /** Null if it made no version. */
  history: StoredHistory | null;
  /** The revision before. */
  revision: number;
}

/**
 * One memory as a document for each file and directory (ADR 0021). `attempt` is one command on one file. Everything else
 * is a transaction: load what the changes name, make them on a tree, store how the tree differs (ADR 0032).
 */
export class FilesStorage implements TreeStorage {
  readonly #context: FilesContext;
  readonly #address: CheckedAddress;
  readonly #key: string;
  readonly #expiry: FilesExpiry;

  constructor(context: FilesContext, address: CheckedAddress) {
    this.#context = context;
    this.#address = address;
    this.#key = memoryKeyOf(address);
    this.#expiry = new FilesExpiry(context, address);
  }

  /** A history needs a transaction, and so does a limit of the memory. */
  async attempt(change: Change, settings: AttemptSettings, call: CallContext): Promise<ChangeResult | null> {
    const { history, maxMemoryBytes } = this.#context;
    const isLimited = maxMemoryBytes !== undefined && change.type !== "delete";
    if (history !== null || isLimited || change.path === ROOT) return null;
    const context = this.#context;
    const expiry = this.#expiry;
    let before: string | null = null;
    if (change.type === "edit") {
      before = await writing(context, async () =>
        (await expiry.isPresent(call)) ? readText(context, this.#key, change.path, call) : null,
      );
      if (before === null) return null;
    }
    const attempted = attemptChange(this.#key, change, settings, before);
    if (attempted === null) return null;
    return writing(context, async () => {
      const isPresent = expiry.isPresent(call);
      if (isPresent !== true && !(await isPresent)) return null;
      const result = await attempted(context.collection, call);
      const isChanged = result !== null && (change.type !== "update" || result.replaced > 0);
      if (isChanged) await expiry.afterChange(change.type !== "delete", call);
      return result;
    });
  }

  /** Changes of directories run beside the queue if no history needs their texts: a long one does not delay others. */
  async transact<Result>(
    scope: StorageScope,
    apply: (tree: MemoryTree, moment: StorageMoment) => Applied<Result> | Promise<Applied<Result>>,
    call: CallContext,
  ): Promise<Result> {
    const { changes, history, maxMemoryBytes } = this.#context;
    const expiry = this.#expiry;
    const last: { applied?: Applied<Result> } = {};
    const change: QueuedChange = {
      scope,
      actor: call.actor,
      maxMemoryBytes,
      apply: async (tree, moment) => {
        last.applied = await apply(tree, moment);
        return last.applied.edits;
      },
    };
    const runsAlone = history === null && scope.below.length > 0 && scope.needsTexts !== true;
    const outcome = await writing(this.#context, async (): Promise<Outcome> => {
      const isPresent = expiry.isPresent(call);
      if (isPresent !== true && !(await isPresent)) {
        const refused = await this.#applyToNothing(change);
        if (refused !== null) return refused;
        await expiry.remove(call);
      }
      const [made = {}] = runsAlone
        ? (await this.#make([change], call)).outcomes
        : [await changes.run(this.#key, change, call, (some, shared) => this.#make(some, shared))];
      const edits = last.applied?.edits;
      if (made.refusal === undefined && edits !== undefined && !hasNoEdits(edits))
        await expiry.afterChange(history !== null || edits.files.length + edits.directories.length > 0, call);
      return made;
    });
    if ("refusal" in outcome) throw outcome.refusal;
    if (last.applied === undefined) throw new MemoryError("EIO", "EIO: the change was not made");
    return last.applied.result;
  }

  /** The change of a memory that has expired. Null: it creates something. */
  async #applyToNothing(change: QueuedChange): Promise<Outcome | null> {
    const context = this.#context;
    refuseElsewhere(context, null);
    try {
      return hasNoEdits(await change.apply(new LoadedTree(new Map(), null), { at: context.clock(), isApplied: false }))
        ? {}
        : null;
    } catch (refusal) {
      return { refusal };
    }
  }

  async #make(changes: readonly QueuedChange[], call: CallContext): Promise<MadeChanges> {
    const context = this.#context;
    const made = await inTransaction(context.transactions, call, (session) =>
      new ChangeTransaction(context, this.#address, session, call).run(changes),
    );
    const { outcomes, history, revision } = made;
    if (history !== null) await prolong(context, this.#address, history, call);
    const afterwards = async (): Promise<void> => {
      if (history !== null) await retain(context.versions, history, revision, createUnlimitedCall());
    };
    return { outcomes, afterwards };
  }
}

/** One try of changes of one memory. It also ends by commit if all were refused: then a majority has what it read. */
class ChangeTransaction {
  readonly #context: FilesContext;
  readonly #address: CheckedAddress;
  readonly #key: string;
  readonly #session: ClientSession;
  readonly #call: CallContext;
  #storedBytes: number | undefined;

  constructor(context: FilesContext, address: CheckedAddress, session: ClientSession, call: CallContext) {
    this.#context = context;
    this.#address = address;
    this.#key = memoryKeyOf(address);
    this.#session = session;
    this.#call = call;
  }

  async run(changes: readonly QueuedChange[]): Promise<Made> {
    const { collection, history: kept, clock } = this.#context;
    const below = getDirectories(changes);
    const { root, documents } = await this.#load(changes, below);
    const history = root?.history ?? beginHistory();
    const records = kept !== null && (kept.begins || root?.history !== undefined);
    const tree = new LoadedTree(documents, root);
    const recorded: RecordedChange[] = [];
    const outcomes: Outcome[] = [];
    const marks: Record<string, true> = {};
    let chars = 0;
    let isChanged = false;
    let writesRoot = false;
    for (const { scope, apply, actor, maxMemoryBytes } of changes) {
      if (outcomes.length > 0 && chars > maxTextChars) break;
      const at = clock();
      try {
        const isApplied = scope.approvalId !== undefined && root?.applied?.[scope.approvalId] === true;
        const edits = await apply(tree, { at, isApplied });
        if (hasNoEdits(edits)) {
          outcomes.push({});
          continue;
        }
        const grows = await this.#checkMemory(tree, edits, maxMemoryBytes);
        // Of two changes that make a limited memory larger, or were made of the whole memory, only one can end.
        writesRoot ||= grows || scope.whole === true;
        const description = recordEdits(tree, edits);
        tree.commit(edits);
        isChanged = true;
        if (scope.approvalId !== undefined) {
          marks[`applied.${scope.approvalId}`] = true;
          writesRoot = true;
        }
        chars += countChars(edits, description);
        if (records && description !== null) {
          tree.revision += 1;
          recorded.push({ revision: tree.revision, at, actor, ...description });
        }
        outcomes.push({});
      } catch (refusal) {
        outcomes.push({ refusal });
      }
    }
    if (!isChanged) return { outcomes, history: null, revision: history.revision };
    const memory = { collection, session: this.#session, address: this.#address, root };
    const versions =
      recorded.length === 0
        ? null
        : await insertRecorded(this.#context, this.#session, { ...memory, history }, recorded, tree, this.#call);
    await storeDifference(
      memory,
      tree,
      {
        below,
        at: (this.#context.fileClock ?? clock)(),
        heads: versions?.heads ?? new Map<string, StoredFile["head"]>(),
        rootFields: writesRoot || versions !== null ? { ...versions?.rootFields, ...marks } : null,
      },
      this.#call,
    );
    return { outcomes, history: versions?.rootFields.history ?? null, revision: history.revision };
  }

  /** Whether the change makes a limited memory larger. @throws ENOSPC */
  async #checkMemory(tree: LoadedTree, edits: TreeEdits, maxMemoryBytes: number | undefined): Promise<boolean> {
    if (maxMemoryBytes === undefined) return false;
    const grownBytes = tree.growth(edits);
    if (grownBytes <= 0) return false;
    const sizeBytes = (this.#storedBytes ??= await this.#sizeOfAll()) + tree.grownBytes + grownBytes;
    if (sizeBytes > maxMemoryBytes) throw memoryFull(sizeBytes, maxMemoryBytes);
    return true;
  }

  /** The size of all texts, by the index of listings. */
  async #sizeOfAll(): Promise<number> {
    const pipeline = [
      { $match: { _id: rangeOfMemory(this.#key) } },
      { $group: { _id: null, sizeBytes: { $sum: "$sizeBytes" } } },
    ];
    const options = { ...asPlainValues, hint: listingIndex.name, session: this.#session };
    const [found] = await this.#context.collection
      .aggregate<{ sizeBytes: number }>(pipeline, options, this.#call)
      .toArray();
    return found?.sizeBytes ?? 0;
  }

  /** What the changes name, with all parents and the root. @throws movedAway, notHere */
  async #load(
    changes: readonly QueuedChange[],
    below: readonly string[],
  ): Promise<{ root: StoredRoot | null; documents: Map<string, LoadedDocument> }> {
    const { collection, history } = this.#context;
    const documents = new Map<string, LoadedDocument>();
    const add = async (_id: object, options: object): Promise<void> => {
      const all = { ...asPlainValues, session: this.#session, batchSize, ...options };
      for await (const document of collection.find<StoredDocument>({ _id }, all, this.#call))
        documents.set(pathOfId(this.#key, document._id), document);
    };
    const named = [ROOT, ...below, ...changes.flatMap(({ scope }) => scope.paths)];
    const paths = new Set(named.flatMap((path) => [path, ...parentsOf(path)]));
    await add({ $in: Array.from(paths, (path) => idOfPath(this.#key, path)) }, byId);
    const root = documents.get(ROOT) as StoredRoot | undefined;
    refuseElsewhere(this.#context, root);
    const needsTexts = history !== null || changes.some(({ scope }) => scope.needsTexts === true);
    const options = needsTexts ? byId : { projection: listingProjection, hint: listingIndex.name };
    const directories = below.filter((path) => path === ROOT || documents.get(path)?.kind === "dir");
    for (const range of directories.flatMap((path) => rangesBelow(this.#key, path))) await add(range, options);
    documents.delete(ROOT);
    return { root: root ?? null, documents };
  }
}

/** Directories of which everything is loaded. */
function getDirectories(changes: readonly QueuedChange[]): string[] {
  const all = new Set(changes.flatMap(({ scope }) => (scope.whole === true ? [ROOT] : scope.below)));
  return all.has(ROOT) ? [ROOT] : [...all];
}

function countChars({ files }: TreeEdits, description: Pick<RecordedChange, "files"> | null): number {
  const after = files.map(({ content }) => content.length);
  const before = (description?.files ?? []).map((file) => file.before?.length ?? 0);
  return [...after, ...before].reduce((sum, chars) => sum + chars, 0);
}

/** Runs commands that change something. What the server refuses of one step is put into words. */
export async function writing<T>(context: FilesContext, write: () => Promise<T>): Promise<T> {
  try {
    await context.ready();
    return await write();
  } catch (error) {
    throw MemoryError.isInstance(error) ? error : transactionError(error);
  }
}
