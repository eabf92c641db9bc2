import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { BaseMessageLike } from "@langchain/core/messages";
import { z } from "zod";
import { patternField } from "../core/access/policy.js";
import type { Memory } from "../core/memory.js";
import { checkOptions, countField, signalField } from "../core/settings/check-options.js";
import { findTimeZone } from "../core/settings/time-zone.js";
import { findLog, toRun } from "../conversation/options.js";
import { hasMethod } from "../core/values/unknown-values.js";
import type { MemoryNode } from "../graph/memory-node.js";
import type { MemoryRun } from "../langchain/memory-run.js";

/** Bounds of one run of {@link LearnOptions}. */
export interface LearnLimits {
  /** The largest number of operations. @default 20 */
  operations?: number;
  /** The largest share of the changed files that may be replaced or deleted; 500 characters always may. @default 0.25 */
  removedShare?: number;
  /** The most characters of new texts, and of known texts. The rest waits for the next run. @default 40_000 */
  inputChars?: number;
}

/** Options of `learn`. */
export interface LearnOptions {
  /** A memory of a MongoMemoryStore, or its node. In a tree of mounts, the memory at "/". */
  memory: MemoryNode | Memory;
  /** Any chat model of LangChain with structured output. */
  model: BaseChatModel;
  /** Paths whose changes are learnt from, as in a `MemoryRule`. @default ["/**"] */
  read?: string[];
  /** Paths that may be changed. Never conversations and the archive. @default ["/profile/**", "/projects/**"] */
  write?: string[];
  /**
   * `propose`: a person decides about each change. `append-only`: additions and new files are made at once, and
   * everything else is proposed. @default "propose"
   */
  apply?: "propose" | "append-only";
  /** Whether the model may delete files; a person decides about that too. @default false */
  allowDelete?: boolean;
  /** Whether to learn from what changed since the last good run. It needs `history`. @default true without `messages` */
  changes?: boolean;
  /** Bounds of one run. @default those of `LearnLimits` */
  limits?: LearnLimits;
  /** Replaces our text about what is worth keeping. @default see the documentation */
  instructions?: string;
  signal?: AbortSignal;
}

export const learnSchema = z.strictObject({
  memory: z.custom<MemoryNode | Memory>(
    (memory) => hasMethod(memory, "memoryForRun") || hasMethod(memory, "snapshot"),
    "must be a Memory or a MemoryNode",
  ),
  model: z.custom<BaseChatModel>(
    (model) => hasMethod(model, "withStructuredOutput"),
    "must be a chat model with structured output",
  ),
  messages: z.custom<BaseMessageLike[]>(Array.isArray, "must be a list of messages").optional(),
  read: z.array(patternField).default(["/**"]),
  write: z.array(patternField).min(1).default(["/profile/**", "/projects/**"]),
  apply: z.enum(["propose", "append-only"]).default("propose"),
  allowDelete: z.boolean().default(false),
  changes: z.boolean().optional(),
  limits: z
    .strictObject({
      operations: countField.max(1000).default(20),
      removedShare: z.number().min(0).max(1).default(0.25),
      inputChars: z.number().int().min(100).max(10_000_000).default(40_000),
    })
    .default({ operations: 20, removedShare: 0.25, inputChars: 40_000 }),
  instructions: z.string().min(1).optional(),
  signal: signalField.optional(),
});

export type LearnSettings = ReturnType<typeof checkLearnOptions>;

/** Finds the zone of the memory's log. UTC without a log, and if it depends on the run and nothing is known of one. */
export function findLogZone(memory: LearnSettings["memory"], given?: MemoryRun): string {
  const isNode = "memoryForRun" in memory;
  const timeZone = (isNode ? memory.log : findLog(memory))?.timeZone ?? "UTC";
  const run = given ?? (isNode ? undefined : toRun(memory));
  if (typeof timeZone === "function") return run === undefined ? "UTC" : findTimeZone(timeZone, run);
  return timeZone;
}

/** @throws TypeError */
export function checkLearnOptions(options: LearnOptions & { messages?: BaseMessageLike[] }) {
  const checked = checkOptions("LearnOptions", learnSchema, options);
  const { messages = [], changes = options.messages === undefined } = checked;
  return { ...checked, messages, changes };
}
