import type { CallContext } from "../../../core/runtime/call.js";
import type { VersionedFile, VersionedSnapshot } from "../../../core/tree/snapshot.js";
import { asPlainValues } from "../../driver/plain-values.js";
import { atOneMoment, inSnapshot } from "../../driver/snapshot-reads.js";
import {
  idOfPath,
  pathOfId,
  rangeOfMemory,
  rangesBelow,
  getRootId,
  type StoredFile,
  type TextIdDocument,
} from "./documents.js";
import { type FilesContext, refuseElsewhere } from "./files-context.js";
import { byId, hasMoreThan, listingIndex, textIdProjection } from "./file-indexes.js";
import type { ClientSession, Document } from "mongodb";
import { ROOT } from "../../../core/values/paths.js";
import type { CandidateFiles } from "../../../core/contract/candidate-files.js";
import { spacedWords } from "../../../core/search/words.js";
import { compareCodeUnits } from "../../../core/values/text.js";

type ReadContext = Pick<FilesContext, "collection" | "transactions" | "isGuest">;

/** How many texts one command reads, and how many index entries one batch contains. */
const batchSize = 1000;
const listedAtOnce = 10_000;

/**
 * Reads everything except the root in one snapshot, without texts that are known by their ids.
 * @throws movedAway, notHere
 */
export function snapshotSince(
  context: ReadContext,
  memoryKey: string,
  known: ReadonlyMap<string, string>,
  call: CallContext,
): Promise<VersionedSnapshot> {
  // Without known texts, a separate list of ids would read the whole memory twice.
  return known.size === 0 ? readAll(context, memoryKey, call) : readChanged(context, memoryKey, known, call);
}

async function readAll(context: ReadContext, memoryKey: string, call: CallContext): Promise<VersionedSnapshot> {
  const options = {
    projection: { ...textIdProjection, text: 1 },
    ...asPlainValues,
    ...atOneMoment,
    ...byId,
    batchSize,
  };
  const snapshot: VersionedSnapshot = { files: [], directories: [] };
  let root: TextIdDocument | undefined;
  for await (const document of context.collection.find<TextIdDocument & Pick<StoredFile, "text">>(
    { _id: rangeOfMemory(memoryKey) },
    options,
    call,
  )) {
    if (document._id === getRootId(memoryKey)) root = document;
    else addTo(snapshot, memoryKey, document, document.text);
  }
  refuseElsewhere(context, root);
  return snapshot;
}

/** Reads the ids of all texts from the index alone, then the new texts. The session has one snapshot for both. */
function readChanged(
  context: ReadContext,
  memoryKey: string,
  known: ReadonlyMap<string, string>,
  call: CallContext,
): Promise<VersionedSnapshot> {
  const { collection, transactions } = context;
  const rootId = getRootId(memoryKey);
  return inSnapshot(transactions.client, async (session) => {
    let root: TextIdDocument | undefined;
    const snapshot: VersionedSnapshot = { files: [], directories: [] };
    const changed = new Map<string, VersionedFile>();
    const listing = {
      projection: textIdProjection,
      ...asPlainValues,
      hint: listingIndex.name,
      batchSize: listedAtOnce,
      session,
    };
    for await (const document of collection.find<TextIdDocument>({ _id: rangeOfMemory(memoryKey) }, listing, call)) {
      if (document._id === rootId) {
        root = document;
        continue;
      }
      const file = addTo(snapshot, memoryKey, document, null);
      // A text without an id counts as changed.
      if (file !== null && known.get(file.path) !== file.version) changed.set(document._id, file);
    }
    refuseElsewhere(context, root);
    const changedIds = [...changed.keys()];
    const options = { projection: { text: 1 }, ...asPlainValues, ...byId, batchSize, session };
    for (let start = 0; start < changedIds.length; start += batchSize) {
      const filter = { _id: { $in: changedIds.slice(start, start + batchSize) } };
      for await (const { _id, text } of collection.find<Pick<StoredFile, "_id" | "text">>(filter, options, call)) {
        const file = changed.get(_id);
        if (file !== undefined) file.content = text;
      }
    }
    return snapshot;
  });
}

/** @returns the file; null for a directory */
function addTo(
  snapshot: VersionedSnapshot,
  memoryKey: string,
  { _id, kind, textId = null }: TextIdDocument,
  content: string | null,
): VersionedFile | null {
  const path = pathOfId(memoryKey, _id);
  if (kind === "dir") {
    snapshot.directories.push(path);
    return null;
  }
  const file = { path, version: textId, content };
  snapshot.files.push(file);
  return file;
}

type SearchContext = Pick<FilesContext, "collection" | "transactions"> & { narrowsAbove: number };
type Listed = Pick<StoredFile, "_id" | "sizeBytes">;

/** The maximum that is ranked. */
const maxTexts = 1000;
const maxBytes = 16_000_000;

/** Each word may cost one command. */
const maxWords = 32;

/** Words that MongoDB leaves out of its index and a search does not. */
const leftOut = new Set(["above", "against", "below", "between", "cannot", "ought", "ourselves", "yourselves"]);

/**
 * Reads the texts that may match a query, in one snapshot. Null if the memory has no more documents than
 * `narrowsAbove`, or if MongoDB's index cannot find the words. A memory with that many documents has not moved, so its
 * root is not checked.
 */
export async function narrowedSearch(
  context: SearchContext,
  memoryKey: string,
  query: string,
  path: string,
  call: CallContext,
): Promise<CandidateFiles | null> {
  const words = spacedWords(query)?.slice(0, maxWords) ?? null;
  const told = words?.filter((word) => !leftOut.has(word)) ?? [];
  if (words === null || (words.length > 0 && told.length === 0)) return null;
  return inSnapshot(context.transactions.client, (session) =>
    new NarrowedSearch(context, session, memoryKey, path, call).read(told),
  );
}

class NarrowedSearch {
  readonly #context: SearchContext;
  readonly #session: ClientSession;
  readonly #call: CallContext;
  readonly #key: string;
  readonly #within: Document;

  constructor(context: SearchContext, session: ClientSession, memoryKey: string, path: string, call: CallContext) {
    this.#context = context;
    this.#call = call;
    this.#session = session;
    this.#key = memoryKey;
    const ranges = rangesBelow(memoryKey, path).map((_id) => ({ _id }));
    this.#within =
      path === ROOT ? { _id: rangeOfMemory(memoryKey) } : { $or: [{ _id: idOfPath(memoryKey, path) }, ...ranges] };
  }

  async read(words: readonly string[]): Promise<CandidateFiles | null> {
    const { narrowsAbove } = this.#context;
    if (
      !(await hasMoreThan(this.#context.collection, narrowsAbove, rangeOfMemory(this.#key), this.#session, this.#call))
    )
      return null;
    if (words.length === 0) return { texts: [], files: narrowsAbove };
    const found = await this.#find(words, maxTexts + 1);
    const all = withinBounds(found);
    return {
      texts: await this.#texts(all.length === found.length ? all : withinBounds(await this.#best(words))),
      files: narrowsAbove,
    };
  }

  /**
   * Texts with rare words or with several words come first: MongoDB's own score rates a word in all texts as high as a
   * word in two. Texts follow in which the common words are most frequent.
   * Equal texts come by their ids.
   */
  async #best(words: readonly string[]): Promise<Listed[]> {
    const scores = new Map<string, Listed & { score: number }>();
    const common: string[] = [];
    let others: Listed[] = [];
    for (const word of words) {
      const found = await this.#find([word], maxTexts + 1);
      if (found.length > maxTexts) {
        common.push(word);
        others = found;
        continue;
      }
      const rarity = Math.log(1 + this.#context.narrowsAbove / found.length);
      for (const listed of found)
        scores.set(listed._id, { ...listed, score: (scores.get(listed._id)?.score ?? 0) + rarity });
    }
    // Texts of a single word come in this order by the index, and equal ones as the server stores them: to sort 50,000
    // texts would take 15 times as long.
    if (common.length > 1)
      others = await this.#find(common, maxTexts, {
        sort: { score: { $meta: "textScore" }, _id: 1 },
        allowDiskUse: true,
      });
    const rare = [...scores.values()].toSorted((a, b) => b.score - a.score || compareCodeUnits(a._id, b._id));
    return [...rare, ...others.filter(({ _id }) => !scores.has(_id))];
  }

  /**
   * Finds texts with any of the words. The filter contains the memory, which is the first field of the index, and ids,
   * which select the shard.
   */
  #find(words: readonly string[], limit: number, order: object = {}): Promise<Listed[]> {
    const filter = { memory: this.#key, $text: { $search: words.map(addAccentedForm).join(" ") }, ...this.#within };
    const options = {
      projection: { sizeBytes: 1 },
      ...order,
      limit,
      batchSize: limit + 1,
      ...asPlainValues,
      session: this.#session,
    };
    return this.#context.collection.find<Listed>(filter, options, this.#call).toArray();
  }

  async #texts(listed: readonly Listed[]): Promise<CandidateFiles["texts"]> {
    if (listed.length === 0) return [];
    const options = {
      projection: { text: 1 },
      batchSize: maxTexts + 1,
      ...asPlainValues,
      ...byId,
      session: this.#session,
    };
    const found = await this.#context.collection
      .find<Pick<StoredFile, "_id" | "text">>({ _id: { $in: listed.map(({ _id }) => _id) } }, options, this.#call)
      .toArray();
    return found.map(({ _id, text }) => ({ path: pathOfId(this.#key, _id), content: text }));
  }
}

/**
 * The server stems a word before it removes the accents. Its English stemmer knows no accented vowels, so `crêpes` is
 * indexed unstemmed. A query word with an accent on each vowel stays unstemmed in the same way.
 */
function addAccentedForm(word: string): string {
  const accented = word.replace(/[aeiouy]/g, (vowel) => `${vowel}\u0301`).normalize("NFC");
  return accented === word ? word : `${word} ${accented}`;
}

/** Returns the first texts within the limits, at least one. */
function withinBounds(listed: readonly Listed[]): Listed[] {
  let bytes = 0;
  const end = listed.findIndex(
    ({ sizeBytes }, index) => index === maxTexts || ((bytes += sizeBytes) > maxBytes && index > 0),
  );
  return end === -1 ? [...listed] : listed.slice(0, end);
}
