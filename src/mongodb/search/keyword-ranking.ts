import type { CallContext } from "../../core/runtime/call.js";
import type { SearchItem } from "@langchain/langgraph-checkpoint";
import type { FindOptions, IndexDescription } from "mongodb";
import { spaceOut } from "../../core/search/words.js";
import { utf8Bytes } from "../../core/values/text.js";
import { type ItemCollection, maxBatchItems } from "../items/item-collection.js";
import { type ItemDocument, parseItem, type RankedFields } from "../items/item-document.js";
import type { ItemPut } from "../items/item-updates.js";
import type { PutIndex } from "../operations/checked-operation.js";
import { idsWithin } from "../operations/namespaces.js";
import type { RankedQuery, RankedSearch, Ranking } from "./ranking.js";
import { leafTexts, textsAt } from "./text-paths.js";

/** The settings of MongoDB's text index of the items. */
export interface TextSearchOptions {
  /** The language of word forms and stop words. @default "none", which keeps every word unchanged */
  language?: (typeof textLanguages)[number];
}

/** The languages of MongoDB's text index. */
export const textLanguages = [
  "none",
  "danish",
  "dutch",
  "english",
  "finnish",
  "french",
  "german",
  "hungarian",
  "italian",
  "norwegian",
  "portuguese",
  "romanian",
  "russian",
  "spanish",
  "swedish",
  "turkish",
] as const;

/** Words after this length are not ranked: they would cost every put more than they help a search. */
const maxTextBytes = 65_536;
/** Size in bytes of the field without its text. */
const fieldBytes = 16;

/** Ranks with MongoDB's own text index. Items without a word of the query are not found. */
export class KeywordRanking implements Ranking {
  readonly indexes: readonly IndexDescription[];

  constructor({ language = "none" }: TextSearchOptions) {
    // The text has its own field, because an index of all fields would contain ids and namespaces too. The index has no
    // namespace prefix, because a text index requires equality there, and a search uses ranges. No value contains the
    // language of its text.
    const options = { default_language: language, language_override: "textLanguage" };
    this.indexes = [{ name: "items_by_text", key: { text: "text" }, ...options }];
  }

  /** Joins all texts into one, in words that MongoDB splits at spaces. Cuts the text if it is too long or leaves no room for the value. */
  selectTexts(value: Record<string, unknown>, index: PutIndex, roomBytes: number): string[] {
    if (index === false) return [];
    const texts = index === undefined ? leafTexts(value) : textsAt(value, index);
    // A UTF-16 unit is at most three bytes of UTF-8.
    const maxChars = Math.floor((Math.min(maxTextBytes, roomBytes) - fieldBytes) / 3);
    const cut = (text: string): string => text.slice(0, Math.max(0, maxChars)).toWellFormed();
    const text = cut(spaceOut(cut(texts.join("\n")), "text"));
    return text === "" ? [] : [text];
  }

  sizeBytes(texts: readonly string[]): number {
    return texts.reduce((sum, text) => sum + utf8Bytes(text), fieldBytes);
  }

  createFields(puts: readonly ItemPut[]): Promise<Map<ItemPut, RankedFields>> {
    const withText = puts.filter(({ texts }) => texts.length > 0);
    return Promise.resolve(new Map(withText.map((put) => [put, { text: put.texts.join("") }])));
  }

  async prepare(_queries: readonly string[], items: ItemCollection, call: CallContext): Promise<RankedSearch> {
    await items.ready();
    return (query) => Promise.resolve({ scored: findRanked(query, items, call), unscored: nothing() });
  }
}

async function* findRanked(
  { query, prefix, filter, atMost }: RankedQuery,
  items: ItemCollection,
  call: CallContext,
): AsyncGenerator<SearchItem[]> {
  const score = { $meta: "textScore" } as const;
  const options: FindOptions = {
    projection: { embedded: 0, text: 0, score },
    sort: { score, _id: 1 },
    allowDiskUse: true,
    batchSize: Math.min(atMost, maxBatchItems),
    ...(filter.matchesAll && Number.isFinite(atMost) && { limit: atMost }),
  };
  const selected = { $text: { $search: firstWords(query) }, ...items.selection(idsWithin(prefix), filter) };
  for await (const documents of items.query<ItemDocument & { score: number }>(selected, options, call)) {
    const ranked = documents.map((document) => ({ ...parseItem(document), score: document.score }));
    yield ranked.filter(({ value }) => filter.matches(value));
  }
}

/**
 * Each different word costs the server about 30 microseconds, and more if the word is found: half a million took 36
 * seconds.
 */
const maxQueryWords = 1000;
const maxQueryChars = 65_536;

/**
 * Returns the first words of a query. Replaces quotes and minuses, which are operators of `$search`, because a query is
 * plain language.
 */
function firstWords(query: string): string {
  const start = query.slice(0, maxQueryChars);
  const spaced = spaceOut(start, "query");
  // The words as they are written, too: items of earlier releases have no others.
  const text = (spaced === start ? start : `${start} ${spaced}`).replaceAll(/["\\-]/g, " ").toWellFormed();
  const words = new Set<string>();
  for (const { 0: word, index } of text.matchAll(/[^\s\p{P}\p{S}]+/gu)) {
    if (words.add(word).size > maxQueryWords) return text.slice(0, index);
  }
  return text;
}

async function* nothing(): AsyncGenerator<never> {
  // Items that do not match are not found at all.
}
