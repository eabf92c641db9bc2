import { z } from "zod";
import { maxAnswerCharsField } from "../answer-bounds.js";
import { checkOptions } from "../../core/settings/check-options.js";

/** The `command` argument of the unified tool (specification section 3). */
export type MemoryCommand = "read" | "list" | "append" | "update" | "delete" | "search";

/** The default commands of a tool. */
export const memoryCommands = [
  "read",
  "list",
  "append",
  "update",
  "delete",
] as const satisfies readonly MemoryCommand[];

/** All commands that a tool can have. */
export const allMemoryCommands = [...memoryCommands, "search"] as const satisfies readonly MemoryCommand[];

/** The arguments of the tool's schema, for calls from a program. Models may send anything. */
export interface MemoryToolArguments {
  command: MemoryCommand;
  /** Absolute path of a file or a directory. */
  path: string;
  /** append: the text to add. update: the new text. */
  content?: string | null | undefined;
  /** update: the exact text to replace. */
  oldContent?: string | null | undefined;
  /** read: the first line to show, from 1. */
  fromLine?: number | null | undefined;
  /** search: the words to search for. */
  query?: string | null | undefined;
}

/**
 * The tool's name and description, and the commands that the model may use.
 * @inline
 */
export interface UnifiedToolOptions {
  /** The tool's name. @default "memory" */
  name?: string;
  /** The description that the model reads. @default a description of the allowed commands */
  description?: string;
  /** A title for user interfaces. The tool has it as `metadata.title`. */
  title?: string;
  /** The commands that the model may use. Other commands answer EACCES. @default all but `search` */
  commands?: MemoryCommand[];
  /**
   * Length of the longest answer, in UTF-16 units. A longer one is cut, and says how to read on. At least 2,000.
   * @default 40_000
   */
  maxAnswerChars?: number;
}

/** The fields of UnifiedToolOptions, for every schema that contains them. */
export const memoryToolFields = {
  // OpenAI's rule, which is the strictest of all providers.
  name: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/, "must be 1 to 64 letters, digits, _ or -")
    .optional(),
  description: z.string().min(1).optional(),
  title: z.string().min(1).optional(),
  commands: z.array(z.enum(allMemoryCommands)).min(1).optional(),
  maxAnswerChars: maxAnswerCharsField.optional(),
};

/** The options of the dialect. `name` is the name of the dialect. */
export interface UnifiedDialectOptions extends Omit<UnifiedToolOptions, "name"> {
  /** The tool's name. @default "memory" */
  toolName?: string;
}

const { name: toolName, ...otherFields } = memoryToolFields;
const optionsSchema = z.strictObject({ ...otherFields, toolName });

/** @throws TypeError, also for an option `memory`: a dialect gets the memory with each call */
export function checkUnifiedOptions(options: UnifiedDialectOptions): void {
  checkOptions("UnifiedDialectOptions", optionsSchema, options);
}
