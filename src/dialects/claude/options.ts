import { z } from "zod";
import { checkOptions, countField } from "../../core/settings/check-options.js";
import { defaultAnswerChars, maxAnswerCharsField } from "../answer-bounds.js";
import { isAbsolutePath, normalizePath } from "../../core/values/paths.js";

/** Ways in which Claude's memory tool may differ from Anthropic's documentation. */
export interface ClaudeMemoryOptions {
  /**
   * The model's name for the root of the memory: `/memories/a.txt` is `/a.txt` everywhere else. @default "/memories"
   */
  root?: string;
  /** Whether `create` refuses a path that exists, as documented, or replaces its text. @default "fail" */
  ifExists?: "fail" | "replace";
  /**
   * Length of a file or directory that one `view` shows, in UTF-16 units of its lines. The answer says how much it left
   * out. @default no limit
   */
  maxViewChars?: number;
  /**
   * Length of the longest answer, in UTF-16 units. A longer one is cut, and says how to read on. At least 2,000.
   * @default 40_000
   */
  maxAnswerChars?: number;
}

/** The options of `createClaudeDialect`. */
export interface ClaudeDialectOptions extends ClaudeMemoryOptions {
  /** Whether a tool `memory_search` is added to the memory tool. @default false */
  search?: boolean;
}

/** The options of `createClaudeSearchTool`. */
export type ClaudeSearchOptions = Pick<ClaudeMemoryOptions, "root" | "maxAnswerChars">;

const rootField = z
  .string()
  .startsWith("/", "must be an absolute path")
  .refine(isAbsolutePath, "must be a path")
  .default("/memories");

const answerField = maxAnswerCharsField.default(defaultAnswerChars);

const optionsSchema = z.strictObject({
  root: rootField,
  ifExists: z.enum(["fail", "replace"]).default("fail"),
  maxViewChars: countField.default(Number.MAX_SAFE_INTEGER),
  maxAnswerChars: answerField,
});

const schemas = {
  ClaudeMemoryOptions: optionsSchema,
  ClaudeDialectOptions: optionsSchema.extend({ search: z.boolean().default(false) }),
  ClaudeSearchOptions: z.strictObject({ root: rootField, maxAnswerChars: answerField }),
};

export type CheckedClaudeOptions = z.output<typeof optionsSchema>;

/** Checks the options and adds the defaults. @throws TypeError */
export function parseClaudeOptions<Name extends keyof typeof schemas>(
  name: Name,
  options: unknown = {},
): z.output<(typeof schemas)[Name]> {
  const checked = checkOptions<z.output<(typeof schemas)[keyof typeof schemas]>>(name, schemas[name], options);
  // The type of the schema that `name` selects.
  return { ...checked, root: normalizePath(checked.root) } as z.output<(typeof schemas)[Name]>;
}
