import type { ClientSession } from "mongodb";
import type { CheckedAddress } from "../../../../core/values/address.js";
import { memoryFull } from "../../../../core/values/errors.js";
import type { CallContext } from "../../../../core/runtime/call.js";
import { hasNoEdits, type TreeEdits } from "../../../../core/tree/memory-tree.js";
import { getParents, ROOT } from "../../../../core/values/paths.js";
import { asPlainValues } from "../../../driver/plain-values.js";
import type { RecordedChange } from "../../../history/outbox.js";
import { recordEdits } from "../../../history/record-edits.js";
import { storeDifference } from "./difference.js";
import {
  findRoot,
  idOfPath,
  getMemoryKey,
  pathOfId,
  rangeOfMemory,
  rangesBelow,
  type StoredDocument,
  type StoredFile,
  type RootHistory,
  type StoredRoot,
} from "../documents.js";
import { byId, listingIndex, listingProjection } from "../file-indexes.js";
import { type FilesContext, refuseElsewhere } from "../files-context.js";
import { type TreeDocument, LoadedTree } from "./loaded-tree.js";
import type { Outcome, QueuedChange } from "./queue.js";
import { beginHistory, insertRecorded } from "./versions.js";

/** How many documents one batch contains. */
const batchSize = 1000;

/** Maximum length of all texts that the changes of one transaction replace or add. */
const maxTextChars = 32_000_000;

/** The result of a transaction. */
export interface TransactionOutcome {
  outcomes: Outcome[];
  /** Null if the transaction made no version. */
  history: RootHistory | null;
  /** The revision before the transaction. */
  revision: number;
}

/** The part of a memory that a transaction has loaded. Each change also changes the tree. */
interface LoadedMemory {
  tree: LoadedTree;
  root: StoredRoot | null;
  /** The directories that are loaded with everything below them. */
  below: readonly string[];
  history: RootHistory;
  keepsVersions: boolean;
}

/** The effect of one change on the tree. */
interface MadeEdits {
  /** Number of UTF-16 units of the texts that the change adds and replaces. */
  chars: number;
  /** The id that the memory records. */
  approvalId: string | undefined;
  writesRoot: boolean;
  /** Null if the change makes no version. */
  recorded: RecordedChange | null;
}

/**
 * One attempt at changes of one memory. Commits even if all changes were refused: the commit confirms that a majority
 * has the data that the refusals are based on.
 */
export class ChangeTransaction {
  readonly #context: FilesContext;
  readonly #address: CheckedAddress;
  readonly #key: string;
  readonly #session: ClientSession;
  readonly #call: CallContext;
  #storedBytes: number | undefined;

  constructor(context: FilesContext, address: CheckedAddress, session: ClientSession, call: CallContext) {
    this.#context = context;
    this.#address = address;
    this.#key = getMemoryKey(address);
    this.#session = session;
    this.#call = call;
  }

  async run(changes: readonly QueuedChange[]): Promise<TransactionOutcome> {
    const loaded = await this.#load(changes);
    const { revision } = loaded.history;
    const outcomes: Outcome[] = [];
    const made: MadeEdits[] = [];
    for (const change of changes) {
      if (outcomes.length > 0 && made.reduce((sum, { chars }) => sum + chars, 0) > maxTextChars) break;
      try {
        const edits = await this.#apply(change, loaded);
        if (edits !== null) made.push(edits);
        outcomes.push({});
      } catch (refusal) {
        outcomes.push({ refusal });
      }
    }
    return { outcomes, revision, history: made.length === 0 ? null : await this.#store(loaded, made) };
  }

  /** Makes one change on the tree. Null if the change edits nothing. @throws what refuses the change */
  async #apply(
    { scope, apply, actor, maxMemoryBytes }: QueuedChange,
    { tree, root, keepsVersions }: LoadedMemory,
  ): Promise<MadeEdits | null> {
    const { approvalId } = scope;
    const at = this.#context.clock();
    const isApplied = approvalId !== undefined && root?.applied?.[approvalId] === true;
    const edits = await apply(tree, { at, isApplied });
    if (hasNoEdits(edits)) return null;
    const grows = await this.#checkMemory(tree, edits, maxMemoryBytes);
    const description = recordEdits(tree, edits);
    tree.commit(edits);
    const isRecorded = keepsVersions && description !== null;
    if (isRecorded) tree.revision += 1;
    return {
      chars: countChars(edits, description),
      approvalId,
      // Two concurrent changes that enlarge a limited memory both write the root, so that only one can commit.
      writesRoot: grows || approvalId !== undefined,
      recorded: isRecorded ? { revision: tree.revision, at, actor, ...description } : null,
    };
  }

  /** @returns the history after the changes; null if none of them made a version */
  async #store(loaded: LoadedMemory, made: readonly MadeEdits[]): Promise<RootHistory | null> {
    const { collection, clock, fileClock = clock } = this.#context;
    const { tree, root, history, below } = loaded;
    const memory = { collection, session: this.#session, address: this.#address, root };
    const recorded = made.flatMap((edits) => edits.recorded ?? []);
    const versions =
      recorded.length === 0
        ? null
        : await insertRecorded(this.#context, this.#session, { ...memory, history }, recorded, tree, this.#call);
    const marks = made.flatMap(({ approvalId }) =>
      approvalId === undefined ? [] : [[`applied.${approvalId}`, true] as const],
    );
    const writesRoot = versions !== null || made.some((edits) => edits.writesRoot);
    const options = {
      below,
      at: fileClock(),
      heads: versions?.heads ?? new Map<string, StoredFile["head"]>(),
      rootFields: writesRoot ? { ...versions?.rootFields, ...Object.fromEntries(marks) } : null,
    };
    await storeDifference(memory, tree, options, this.#call);
    return versions?.rootFields.history ?? null;
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

  /** Reads the size of all texts, from the index of listings. */
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

  /** Loads the documents that the changes name, with all parents and the root. @throws movedAway, notHere */
  async #load(changes: readonly QueuedChange[]): Promise<LoadedMemory> {
    const { collection, history: kept } = this.#context;
    const below = getDirectories(changes);
    const documents = new Map<string, TreeDocument>();
    const add = async (_id: object, options: object): Promise<void> => {
      const all = { ...asPlainValues, session: this.#session, batchSize, ...options };
      for await (const document of collection.find<StoredDocument>({ _id }, all, this.#call))
        documents.set(pathOfId(this.#key, document._id), document);
    };
    const named = [ROOT, ...below, ...changes.flatMap(({ scope }) => scope.paths)];
    const paths = new Set(named.flatMap((path) => [path, ...getParents(path)]));
    await add({ $in: Array.from(paths, (path) => idOfPath(this.#key, path)) }, byId);
    const root = findRoot(documents) ?? null;
    refuseElsewhere(this.#context, root);
    const needsTexts = kept !== null || changes.some(({ scope }) => scope.needsTexts === true);
    const options = needsTexts ? byId : { projection: listingProjection, hint: listingIndex.name };
    const directories = below.filter((path) => path === ROOT || documents.get(path)?.kind === "dir");
    for (const range of directories.flatMap((path) => rangesBelow(this.#key, path))) await add(range, options);
    documents.delete(ROOT);
    const keepsVersions = kept !== null && (kept.begins || root?.history !== undefined);
    return {
      tree: new LoadedTree(documents, root),
      root,
      below,
      history: root?.history ?? beginHistory(),
      keepsVersions,
    };
  }
}

/** Returns the directories that are loaded with everything below them. */
function getDirectories(changes: readonly QueuedChange[]): string[] {
  const all = new Set(changes.flatMap(({ scope }) => scope.below));
  return all.has(ROOT) ? [ROOT] : [...all];
}

function countChars({ files }: TreeEdits, description: Pick<RecordedChange, "files"> | null): number {
  const after = files.map(({ content }) => content.length);
  const before = (description?.files ?? []).map((file) => file.before?.length ?? 0);
  return [...after, ...before].reduce((sum, chars) => sum + chars, 0);
}
