import { z } from "zod";
import { patternField } from "../core/access/policy.js";
import { isMissingOwner } from "../core/values/address.js";
import type { MemoryError } from "../core/values/errors.js";
import { isAbsolutePath, normalizePath } from "../core/values/paths.js";
import { checkOptions, countField, createFunctionField } from "../core/settings/check-options.js";

/** Position of the message that shows a memory: next to the system prompt, or after all other messages. */
export type MemoryPlacement = "after_system" | "before_system" | "last_message";

/**
 * `tree`: paths and sizes. `index`: the tree, and for each file the `description` of its YAML front matter, or else its
 * first line that is not empty. `full`: every file with its contents. `auto`: as `full` while everything fits; beyond
 * that the pinned files, a list of names, the passages that fit the turn, and the newest lines. Each says how much it
 * leaves out.
 */
export type MemoryContent = "tree" | "index" | "full" | "auto";

/** The way in which a memory is shown to a model. */
export interface MemoryConnectorConfig {
  /**
   * The place of the message: before or after the system prompt, or after the conversation (`"last_message"`), which
   * keeps the cache of a long conversation if the memory changes often. @default "after_system"
   */
  placement?: MemoryPlacement;
  /**
   * The shown part of the memory. A directory whose name begins with a dot is one line. If not everything fits,
   * names come first. @default "auto" if the memory has a log, or with `pinned` or
   * `maxTokens`, and otherwise "tree"
   */
  content?: MemoryContent;
  /**
   * Longest rendered text, including its fence, in UTF-16 units: a whole number from 1 to 200,000. With `maxTokens` the
   * default is 200,000. @default 4000
   */
  maxChars?: number;
  /**
   * Files that `auto` always shows in full, as far as they fit: up to 100 absolute paths, with `*`, `?` and `**` as in
   * rules. So does `pinned: true` in the YAML front matter of a file. Only with `auto`. @default []
   */
  pinned?: string[];
  /** The most tokens that `auto` shows, by `countTokens`: a whole number from 1 to 1,000,000. @default no limit */
  maxTokens?: number;
  /** Counts the tokens of a text, for `maxTokens`. Called several times for a message. */
  countTokens?: (text: string) => number;
  /**
   * Whether the memory is a separate system message or a block of the one system message. `auto` separates only for
   * clients that are known to accept more than one. Other clients, or their servers, refuse a second one.
   * @default "auto"
   */
  systemMessages?: "auto" | "separate" | "merged";
  /**
   * The role of the message. `auto`: a system message, or with `last_message` a user message if the client accepts no
   * late system message. `user`: always a user message, which models trust less, and never before the system prompt.
   * `systemMessages` then has no effect.
   * @default "auto"
   */
  role?: "auto" | "user";
  /**
   * The model's name for the root of the memory: `/`, an absolute path such as `/memories`, or "" for relative paths.
   * @default as the model's tools take paths, or "/" if they are not known
   */
  root?: string;
  /**
   * Called with the reason if a memory cannot be read and the model is called without it. Also called if a run names no
   * thread or no user, and the connector shows the global memory instead of the run's own. @default a warning of the
   * process
   */
  onError?: (error: MemoryError) => void;
}

/** A limit in tokens, and the function that counts them. */
export interface TokenLimit {
  max: number;
  count: (text: string) => number;
}

type CheckedConnectorConfig = Required<
  Omit<MemoryConnectorConfig, "content" | "root" | "maxTokens" | "countTokens">
> & {
  /** Null without a limit. */
  tokens: TokenLimit | null;
};

const mostChars = 200_000;

export const connectorDefaults: CheckedConnectorConfig = {
  placement: "after_system",
  maxChars: 4000,
  pinned: [],
  tokens: null,
  systemMessages: "auto",
  role: "auto",
  onError: (error) => {
    // The process is warned only once about runs without a thread or user, by `warnOfMissingOwner`.
    if (!isMissingOwner(error))
      globalThis.process?.emitWarning?.(`model called without its memory: ${error.message}`, { type: "MemoryWarning" });
  },
};

/**
 * Returns the default for `content`: `auto` if the memory has a log, because a tree shows only the days of a log. The
 * memory may get its log after its connector, as in an `Agent`.
 */
export function getDefaultContent(memory: { log?: unknown } | undefined): MemoryContent {
  return memory?.log ? "auto" : "tree";
}

/** The fields of MemoryConnectorConfig, for option objects that extend it. */
export const connectorFields = {
  placement: z.enum(["after_system", "before_system", "last_message"]).optional(),
  content: z.enum(["tree", "index", "full", "auto"]).optional(),
  maxChars: countField.max(mostChars).optional(),
  pinned: z.array(patternField).max(100).optional(),
  maxTokens: countField.max(1_000_000).optional(),
  countTokens: createFunctionField("expected a function").optional(),
  systemMessages: z.enum(["auto", "separate", "merged"]).optional(),
  role: z.enum(["auto", "user"]).optional(),
  root: z
    .string()
    .refine((root) => root === "" || isAbsolutePath(root), 'must be "" or an absolute path, such as "/memories"')
    .optional(),
  onError: createFunctionField("expected a function").optional(),
};

const normalizeRoot = (root: string): string => (root === "" ? root : normalizePath(root));

const connectorConfigSchema = z
  .strictObject(connectorFields)
  .refine(
    ({ maxTokens, countTokens }) => (maxTokens === undefined) === (countTokens === undefined),
    "maxTokens and countTokens belong together",
  )
  .refine(
    ({ content = "auto", maxTokens, pinned }) =>
      content === "auto" || (maxTokens === undefined && pinned === undefined),
    'maxTokens and pinned need content: "auto"',
  );

/** @throws TypeError for an unknown field or a value out of range */
export function checkConnectorConfig(config: MemoryConnectorConfig | undefined): CheckedConnectorConfig & {
  /** Undefined for the default. */
  content: MemoryContent | undefined;
  root: string | undefined;
} {
  checkOptions("MemoryConnectorConfig", connectorConfigSchema, config ?? {});
  const { maxTokens, countTokens, pinned } = config ?? {};
  const tokens = maxTokens === undefined || countTokens === undefined ? null : { max: maxTokens, count: countTokens };
  return {
    placement: config?.placement ?? connectorDefaults.placement,
    content: config?.content ?? (pinned === undefined && tokens === null ? undefined : "auto"),
    maxChars: config?.maxChars ?? (tokens === null ? connectorDefaults.maxChars : mostChars),
    pinned: [...(pinned ?? connectorDefaults.pinned)],
    tokens,
    systemMessages: config?.systemMessages ?? connectorDefaults.systemMessages,
    role: config?.role ?? connectorDefaults.role,
    root: config?.root === undefined ? undefined : normalizeRoot(config.root),
    onError: config?.onError ?? connectorDefaults.onError,
  };
}
