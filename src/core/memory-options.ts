import { z } from "zod";
import { type SearchWords, englishWords } from "./search/words.js";
import { checkOptions, countField, createFunctionField, signalField, timeoutField } from "./settings/check-options.js";
import { largestFileBytes } from "./values/text.js";
import { actorField, type MemoryActor } from "./values/actor.js";
import type { PathRule } from "./values/paths.js";

/** Settings of one memory. */
export interface MemoryOptions {
  /**
   * Which names can be created. `posix` allows any Unicode, so also `notes.txt`. `plain` allows letters `A-Z a-z`,
   * digits, `_`, `-` and spaces: such a name has only one spelling and no character that means something to MongoDB.
   * @default "posix"; in a graph template "plain"
   */
  paths?: PathRule;
  /** Largest file, in bytes of UTF-8, at most 7,500,000. A larger file that exists can be read, renamed and deleted. @default 1_000_000 */
  maxFileBytes?: number;
  /**
   * Largest memory in MongoDB, in bytes of its documents. Changes that add text to a memory of several documents then
   * take longer, and programs that open it without the option do not keep the limit. Other stores ignore it.
   * @default 15_000_000 on a standalone server, where a memory is one document; elsewhere none
   */
  maxMemoryBytes?: number;
  /**
   * The time limit of each call, in ms: 1 to 2,147,483,647, or Infinity for no limit. A longer call is EIO.
   * @default 30_000; in a MongoMemoryStore the value of the store
   */
  timeoutMs?: number;
  /**
   * Splits a text or a query into the words that `search` compares. Must be a pure function.
   * @default words with case and accents folded, English stems, without stop words; pairs of characters for scripts
   * without spaces
   */
  searchWords?: SearchWords;
}

/** The settings that `Memory.with` changes. */
export interface MemoryUse {
  /**
   * When the signal aborts, every call ends and rejects with its reason. Signals of an earlier `with` stay in force.
   */
  signal?: AbortSignal | undefined;
  /** Replaces `timeoutMs` of {@link MemoryOptions}. */
  timeoutMs?: number | undefined;
  /** Replaces `paths` of {@link MemoryOptions}. */
  paths?: PathRule | undefined;
  /**
   * The author of the changes, for the history. The fields are added to those of an earlier actor. Each field has 1 to
   * 512 characters.
   */
  actor?: MemoryActor | undefined;
}

/**
 * The largest memory that one document can contain: 15 MB leaves a margin below MongoDB's limit of 16 MiB.
 */
export const memoryBytesCeiling = 15_000_000;

export const memoryDefaults = {
  paths: "posix",
  maxFileBytes: 1_000_000,
  maxMemoryBytes: memoryBytesCeiling,
  timeoutMs: 30_000,
  searchWords: englishWords,
} as const satisfies Required<MemoryOptions>;

const pathsField = z.enum(["plain", "posix"], { message: 'must be "plain" or "posix"' });

const largestFileFault =
  `must be at most ${largestFileBytes}, because a change of a file and the text that it replaces go into one document ` +
  "of MongoDB";

/** The fields of MemoryOptions, for option objects that extend it. */
export const memoryOptionFields = {
  paths: pathsField.optional(),
  maxFileBytes: countField.max(largestFileBytes, largestFileFault).optional(),
  maxMemoryBytes: countField.max(Number.MAX_SAFE_INTEGER).optional(),
  timeoutMs: timeoutField.optional(),
  searchWords: createFunctionField<SearchWords>("must be a function from a text to its words").optional(),
};

const memoryOptionsSchema = z.strictObject({
  paths: memoryOptionFields.paths.default(memoryDefaults.paths),
  maxFileBytes: memoryOptionFields.maxFileBytes.default(memoryDefaults.maxFileBytes),
  maxMemoryBytes: memoryOptionFields.maxMemoryBytes.default(memoryDefaults.maxMemoryBytes),
  timeoutMs: memoryOptionFields.timeoutMs.default(memoryDefaults.timeoutMs),
  searchWords: memoryOptionFields.searchWords.default(() => memoryDefaults.searchWords),
});

const memoryUseSchema = z.strictObject({
  signal: signalField.optional(),
  timeoutMs: timeoutField.optional(),
  paths: pathsField.optional(),
  actor: actorField.optional(),
});

/** @throws TypeError */
export function checkMemoryUse(use: MemoryUse): void {
  checkOptions("MemoryUse", memoryUseSchema, use);
}

export function checkMemoryOptions(options: MemoryOptions | undefined): Required<MemoryOptions> {
  return checkOptions("MemoryOptions", memoryOptionsSchema, options ?? {});
}

/** Schema of {@link WriteOptions}. */
export const writeOptionsSchema = z.strictObject({
  ifExists: z.enum(["replace", "fail"]).default("replace"),
  ifMissing: z.enum(["create", "fail"]).default("create"),
});

/** Schema of {@link EditOptions}. */
export const editOptionsSchema = z.strictObject({ lineEnds: z.enum(["exact", "file"]).optional() });

/** Schema of {@link DeleteOptions}. */
export const deleteOptionsSchema = z.strictObject({ ifDirectory: z.enum(["delete", "fail"]).default("delete") });

/** Schema of {@link OutlineOptions}. */
export const outlineOptionsSchema = z.strictObject({
  maxContentBytes: z.number().min(0).default(0),
  leadChars: z.number().int().min(0).max(10_000).default(0),
});
