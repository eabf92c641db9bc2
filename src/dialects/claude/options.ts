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

const rootField = z
  .string()
  .startsWith("/", "must be an absolute path")
  .refine(isPath, "must be a path")
  .default("/memories");

const optionsSchema = z
  .object({
    root: rootField,
    ifExists: z.enum(["fail", "replace"]).default("fail"),
    maxViewChars: z.number().int().min(1).default(Number.MAX_SAFE_INTEGER),
  })
  .strict();

const schemas = {
  ClaudeMemoryOptions: optionsSchema,
  ClaudeDialectOptions: optionsSchema.extend({ search: z.boolean().default(false) }),
  ClaudeSearchOptions: z.object({ root: rootField }).strict(),
};

export type CheckedClaudeOptions = z.output<typeof optionsSchema>;

/** The options with their defaults. @throws TypeError */
export function parseClaudeOptions<Name extends keyof typeof schemas>(
  name: Name,
  options: unknown = {},
): z.output<(typeof schemas)[Name]> {
  checkOptions(name, schemas[name], options);
  const checked = schemas[name].parse(options);
  // Of the schema that the name stands for.
  return { ...checked, root: normalizePath(checked.root) } as z.output<(typeof schemas)[Name]>;
}

function isPath(path: string): boolean {
  try {
    return normalizePath(path) !== "";
  } catch (error) {
    if (MemoryError.isInstance(error)) return false;
    throw error;
  }
}
