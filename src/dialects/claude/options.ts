import { z } from "zod";
import { checkOptions } from "../../core/settings/check-options.js";
import { normalizePath } from "../../core/values/paths.js";
import { MemoryError } from "../../core/values/errors.js";

/** How Claude's memory tool may differ from Anthropic's documentation. */
export interface ClaudeMemoryOptions {
  /**
   * The model's name for the root of the memory: `/memories/a.txt` is `/a.txt` for every other way in. @default
   * "/memories"
   */
  root?: string;
  /** What `create` does to a file that exists: refuse, as documented, or replace its text. @default "fail" */
  ifExists?: "fail" | "replace";
  /**
   * How much of a file or directory a `view` shows at once, in UTF-16 units of its lines. It says how much it left out.
   * @default no limit
   */
  maxViewChars?: number;
}

/** The options of `claudeDialect`. */
export interface ClaudeDialectOptions extends ClaudeMemoryOptions {
  /** Whether there is a tool `memory_search` beside the memory tool. @default false */
  search?: boolean;
}

/** The options of `createClaudeSearchTool`. */
export type ClaudeSearchOptions = Pick<ClaudeMemoryOptions, "root">;

export interface CheckedClaudeOptions {
  root: string;
  ifExists: "fail" | "replace";
  maxViewChars: number;
}

const rootField = z.string().startsWith("/", "must be an absolute path").refine(isPath, "must be a path").optional();

const optionsSchema = z
  .object({
    root: rootField,
    ifExists: z.enum(["fail", "replace"]).optional(),
    maxViewChars: z.number().int().min(1).optional(),
  })
  .strict();
const dialectSchema = optionsSchema.extend({ search: z.boolean().optional() });
const searchSchema = z.object({ root: rootField }).strict();

/** @throws TypeError */
export function checkClaudeOptions(options: ClaudeMemoryOptions | undefined): CheckedClaudeOptions {
  checkOptions("ClaudeMemoryOptions", optionsSchema, options ?? {});
  return withDefaults(options ?? {});
}

/** @throws TypeError */
export function checkClaudeDialectOptions(options: ClaudeDialectOptions): CheckedClaudeOptions & { search: boolean } {
  checkOptions("ClaudeDialectOptions", dialectSchema, options);
  return { ...withDefaults(options), search: options.search ?? false };
}

/** @throws TypeError */
export function checkClaudeSearchOptions(options: ClaudeSearchOptions): Pick<CheckedClaudeOptions, "root"> {
  checkOptions("ClaudeSearchOptions", searchSchema, options);
  return withDefaults(options);
}

function withDefaults({
  root = "/memories",
  ifExists = "fail",
  maxViewChars = Number.POSITIVE_INFINITY,
}: ClaudeMemoryOptions): CheckedClaudeOptions {
  return { root: normalizePath(root), ifExists, maxViewChars };
}

function isPath(path: string): boolean {
  try {
    return normalizePath(path) !== "";
  } catch (error) {
    if (MemoryError.isInstance(error)) return false;
    throw error;
  }
}
