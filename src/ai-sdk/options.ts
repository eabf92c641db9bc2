import { z } from "zod";
import type { Memory } from "../core/memory.js";
import { isMemory } from "../core/mounts/mounts.js";
import { checkOptions } from "../core/settings/check-options.js";
import { getField, hasMethod } from "../core/values/unknown-values.js";
import { type ChosenDialect, dialectField } from "../dialects/registry.js";
import type { MemoryNode } from "../graph/memory-node.js";
import type { MemoryRun } from "../langchain/memory-run.js";
import { connectorFields, type MemoryConnectorConfig } from "../prompt/connector-options.js";
import type { Instructions } from "./step.js";

/** A memory for the AI SDK: whose it is, the tools that change it, and how a model sees it. */
export interface AiMemoryOptions extends Pick<
  MemoryConnectorConfig,
  "content" | "maxChars" | "pinned" | "maxTokens" | "countTokens" | "root" | "onError"
> {
  /** A `MemoryNode` with a store, or a `Memory`, such as `store.memory(address)`. */
  memory: MemoryNode | Memory;
  /** The user of a `perUser` node. Your program chooses the user; no model can. @default none */
  userId?: string | undefined;
  /** The thread of a `perThread` node. @default none */
  threadId?: string | undefined;
  /** The run that the history names for each change, so that all its changes can be undone. @default a new id */
  runId?: string | undefined;
  /**
   * The tools that the model gets. A dialect is a name, a name with options (`{ name: "unified", toolName: "notes" }`),
   * or one of your own. No two dialects may have a tool of the same name.
   * @default ["unified"]
   */
  dialects?: ChosenDialect<MemoryRun>[] | undefined;
  /** Whether the dialects that are given by name include their search. @default false */
  search?: boolean | undefined;
  /**
   * Your system prompt, which goes before the memory. Version 7 of the AI SDK also takes it from the `instructions` of
   * the call.
   * @default none
   */
  instructions?: Instructions | undefined;
  /**
   * The place where the model sees the memory: at the end of the system prompt, or in a user message after all others.
   * @default "after_system"
   */
  placement?: "after_system" | "last_message";
}

const text = z.string().min(1);
const instructionsField = z.custom<Instructions>(
  (value) => typeof value === "string" || (Array.isArray(value) ? value : [value]).every(isSystemMessage),
  "must be a text or system messages",
);
const { content, maxChars, pinned, maxTokens, countTokens, root, onError } = connectorFields;

const optionsSchema = z.strictObject({
  memory: z.custom(
    (value) => isMemory(value) || hasMethod(value, "createConnector"),
    "must be a MemoryNode, or a Memory (openMemory, store.memory)",
  ),
  userId: text.optional(),
  threadId: text.optional(),
  runId: text.optional(),
  dialects: z.array(dialectField).min(1).optional(),
  search: z.boolean().optional(),
  instructions: instructionsField.optional(),
  placement: z.enum(["after_system", "last_message"]).optional(),
  content,
  maxChars,
  pinned,
  maxTokens,
  countTokens,
  root,
  onError,
});

/** @throws TypeError */
export function checkAiMemoryOptions(options: AiMemoryOptions): void {
  checkOptions("AiMemoryOptions", optionsSchema, options);
}

function isSystemMessage(value: unknown): boolean {
  return getField(value, "role") === "system" && typeof getField(value, "content") === "string";
}
