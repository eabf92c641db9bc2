import type { IndexConfig } from "@langchain/langgraph-checkpoint";
import type { MongoClient } from "mongodb";
import { z } from "zod";
import { memoryRootLabel } from "../../core/values/namespace.js";
import { checkOptions, countField, createFunctionField, timeoutField } from "../../core/settings/check-options.js";
import { collectionNameRule, databaseNameRule, isCollectionName, isDatabaseName } from "../driver/names.js";
import { isStrict } from "../driver/client.js";
import type { EmbeddingsConfig } from "../embeddings/embedder.js";
import type { TtlOptions } from "../items/expiry.js";
import { textLanguages, type TextSearchOptions } from "../search/keyword-ranking.js";
import type { ExpireMsOptions } from "../memories/life/memory-expiry.js";
import { storedNamespace } from "../operations/namespaces.js";
import { checkNamespace } from "../operations/check-namespace.js";
import type { VectorSearchOptions } from "../search/vector-search.js";
import { hasMethod } from "../../core/values/unknown-values.js";

/** Sets the size of pages in tests, in bytes. @internal */
export const pageBytesOption: unique symbol = Symbol.for("langgraph-mongo-memory.pageBytes");

/** The client and the collections of a store, and how its items are found and expire. */
export interface MongoMemoryStoreOptions {
  /** A client of the `mongodb` package, connected or not. The caller closes it. */
  client: MongoClient;
  /** @internal */
  [pageBytesOption]?: number;
  /**
   * The database of all collections: 1 to 63 bytes, without spaces, dots, slashes, quotes and `$`. @default the database
   * of the client's connection string, or "test" if it names none
   */
  dbName?: string;
  /** Collection of the memories. The names of their other collections begin with it. @default "memories" */
  memoriesCollection?: string;
  /** Collection of the other items of the store. @default "items" */
  itemsCollection?: string;
  /** Source of all stored times. @default the system clock */
  clock?: () => Date;
  /**
   * The time limit of each call, in ms: 1 to 2,147,483,647, or Infinity for no limit. A longer call is EIO. Each memory
   * can have its own `timeoutMs`. @default 30_000
   */
  timeoutMs?: number;
  /**
   * The lifetime of the memories of each scope after their last change, in ms. An expired memory is gone at once.
   * MongoDB deletes it some minutes later, by an index that the store creates or changes. Set the same times in all
   * processes. @default none: never
   */
  expireMs?: ExpireMsOptions;
  /**
   * Keeps a history of the memories: each change of a file makes a version, for `Memory.history`. Set this option in
   * every process that changes the memories: a change by a process without it has no version. @default false
   */
  history?: boolean | HistoryOptions;
  /** The expiry of items. Memories expire by `expireMs` instead. @default none: never */
  ttl?: TtlOptions;
  /**
   * Makes `search` rank a `query` by meaning. Names the dimensions, the client and the model of the embeddings, and the
   * paths of a value to embed. `search` of a memory then ranks by words and by meaning. @default none: `textSearch` ranks a
   * `query` by words
   */
  index?: EmbeddingsConfig;
  /**
   * Lets `$vectorSearch` of MongoDB Atlas find what `index` embedded. @default none: every vector is compared, exactly
   */
  vectorSearch?: VectorSearchOptions;
  /**
   * Ranks a `query` by words with MongoDB's text index, if there is no `index`. `false` makes puts faster. A `query`
   * then has no effect, as in InMemoryStore. @default on without an `index`. Off, with a warning at the first `query`,
   * if the client has `serverApi: { version: "1", strict: true }`, which refuses text indexes
   */
  textSearch?: boolean | TextSearchOptions;
}

/** The limits of the versions that are kept. The last version of each path always stays. */
export interface HistoryOptions {
  /** The most versions of each path, from 1 to 1,000,000. @default all */
  keepVersions?: number;
  /**
   * The time for which a version stays after it was made, if a later one has replaced it: whole ms from 1 to ten years.
   * MongoDB deletes the version some minutes later. @default for ever
   */
  keepMs?: number;
}

/** The longest lifetime of an item: longer than any use needs, but never beyond the last Date. */
const maxTtlMs = 1e14;
const ttlMs = countField.max(maxTtlMs).nullable();

/** Ten years, because MongoDB refuses a lifetime that reaches back before 1970. */
const maxExpireMs = 10 * 365 * 86_400_000;
const expireMs = countField.max(maxExpireMs).optional();
const expireMsSchema = z.strictObject({ perThread: expireMs, perUser: expireMs, global: expireMs });

const historySchema = z.strictObject({
  keepVersions: countField.max(1_000_000).optional(),
  keepMs: countField.max(maxExpireMs).optional(),
});

const ttlSchema = z.strictObject({
  defaultTtlMs: ttlMs.optional(),
  refreshOnRead: z.boolean().optional(),
  namespaces: z
    .array(z.strictObject({ prefix: z.array(z.string()).superRefine(checkPrefix), ttlMs }))
    .refine(
      (entries) => new Set(entries.map(({ prefix }) => storedNamespace(prefix))).size === entries.length,
      "must not name a prefix twice",
    )
    .optional(),
});

const indexSchema = z.strictObject({
  dims: countField,
  embeddings: z.custom<IndexConfig["embeddings"]>(isEmbeddings, "must be an Embeddings client of LangChain"),
  fields: z.array(z.string().min(1)).min(1).optional(),
  model: z.string().min(1).optional(),
});

const vectorSearchSchema = z.strictObject({
  indexName: z.string().min(1),
  filterFields: z.array(z.string().regex(/^[^.$][^.]*$/, "must be the name of a top-level field")).optional(),
  textsPerItem: countField.max(20).optional(),
});

const collectionName = z.string().refine(isCollectionName, collectionNameRule);

const optionsSchema = z
  .strictObject({
    client: z.custom<MongoClient>((client) => hasMethod(client, "db"), "must be a MongoClient of the mongodb package"),
    dbName: z.string().refine(isDatabaseName, databaseNameRule).optional(),
    memoriesCollection: collectionName.optional(),
    itemsCollection: collectionName.optional(),
    clock: createFunctionField<() => Date>("must be a function that returns a Date").optional(),
    timeoutMs: timeoutField.optional(),
    expireMs: expireMsSchema.optional(),
    history: z.union([z.boolean(), historySchema]).optional(),
    ttl: ttlSchema.optional(),
    index: indexSchema.optional(),
    vectorSearch: vectorSearchSchema.optional(),
    textSearch: z.union([z.boolean(), z.strictObject({ language: z.enum(textLanguages).optional() })]).optional(),
  })
  .refine(({ index, vectorSearch }) => vectorSearch === undefined || index !== undefined, "vectorSearch needs index")
  .refine(
    ({ index, textSearch }) => index === undefined || textSearch === undefined || textSearch === false,
    "textSearch and index exclude each other: a query is ranked by one of them",
  )
  .refine(
    ({ client, textSearch }) => textSearch === undefined || textSearch === false || !isStrict(client),
    "textSearch needs a text index, which the client's strict Stable API refuses: leave textSearch out, or use index",
  )
  .refine(
    ({ client, vectorSearch }) => vectorSearch === undefined || !isStrict(client),
    "vectorSearch needs $vectorSearch, which the client's strict Stable API refuses: leave vectorSearch out, and " +
      "every vector is compared",
  );

/** @throws TypeError */
export function checkStoreOptions(options: MongoMemoryStoreOptions): void {
  checkOptions("MongoMemoryStoreOptions", optionsSchema, options);
}

/** The part of a zod 3 or 4 context that is used. */
interface IssueContext {
  addIssue(issue: { code: "custom"; message: string }): void;
}

function checkPrefix(prefix: string[], context: IssueContext): void {
  try {
    checkNamespace(prefix);
    if (prefix[0] !== memoryRootLabel) return;
    context.addIssue({ code: "custom", message: "contains memories, which expire by the option expireMs" });
  } catch (error) {
    context.addIssue({ code: "custom", message: error instanceof Error ? error.message : "is no namespace" });
  }
}

function isEmbeddings(client: unknown): boolean {
  return hasMethod(client, "embedDocuments") && hasMethod(client, "embedQuery");
}
