import { MemoryError } from "../../core/values/errors.js";
import type { Memory } from "../../core/memory.js";
import { shorten } from "../../core/values/text.js";
import { isRecord } from "../../core/values/unknown-values.js";
import { createSchema, defineTool } from "../define-tool.js";
import type { Dialect, FlatSchema, ToolDefinition } from "../dialect.js";
import { claudeAnswers, notAnObject, parseClaudeArguments } from "./answers.js";
import { ClaudeArguments } from "./arguments.js";
import { type ClaudeCommandName, claudeCommands } from "./commands.js";
import { type CheckedClaudeOptions, type ClaudeDialectOptions, parseClaudeOptions } from "./options.js";
import { badParameter, ClaudeRefusal, echo, toRefusal } from "./refusal.js";
import { optional, readArguments } from "../read-arguments.js";
import { claudeSearchTool } from "./search-tool.js";

const neededArgument = "a command";

// `Object.keys` loses the type of the names.
const commandNames = Object.keys(claudeCommands) as ClaudeCommandName[];

/** Creates the dialect `claude` with other options. @throws TypeError for bad options */
export function createClaudeDialect(options: ClaudeDialectOptions = {}): Dialect {
  const { search, ...checked } = parseClaudeOptions("ClaudeDialectOptions", options);
  return { name: "claude", tools: [claudeTool(checked), ...(search ? [claudeSearchTool(checked)] : [])] };
}

/** The only tool of the dialect. Claude knows the tool by its type; other models read the schema. */
export function claudeTool(options: CheckedClaudeOptions): ToolDefinition {
  return defineTool({
    name: "memory",
    description: describeTool(options),
    schema: createCommandSchema(options),
    shownRoot: options.root,
    readOnly: false,
    destructive: true,
    extras: hideFromIn({ providerToolDefinition: { type: "memory_20250818", name: "memory" } }),
    // The command first, because the other arguments of an unknown command are unknown too.
    run: async (args, openMemory) => runClaudeCommand(parseCommand(args), args, openMemory, options),
    answers: claudeAnswers,
  });
}

/**
 * Hides `extras.providerToolDefinition` from ChatOpenAI, whose servers refuse this definition. ChatOpenAI finds it with
 * the operator `in`; if it finds none, it sends the schema. ChatAnthropic reads the property itself.
 */
function hideFromIn(extras: Record<string, unknown>): Record<string, unknown> {
  return new Proxy(extras, { has: () => false });
}

/** @throws ClaudeRefusal instead of every MemoryError, in the documented words */
export async function runClaudeCommand(
  command: ClaudeCommandName,
  given: unknown,
  openMemory: () => Promise<Memory>,
  options: CheckedClaudeOptions,
): Promise<string> {
  const { root, maxAnswerChars } = options;
  try {
    const args = new ClaudeArguments(parseCommandArguments(given), root);
    const memory = (await openMemory()).with({ paths: "posix" });
    return shorten(await claudeCommands[command]({ args, options, memory }), maxAnswerChars);
  } catch (error) {
    if (!MemoryError.isInstance(error)) throw error;
    const { code, text } = toRefusal(error);
    throw new ClaudeRefusal(code, shorten(text, maxAnswerChars), { cause: error });
  }
}

/**
 * Refuses unknown names, because a misspelt `new_str` would delete text. Accepts and ignores arguments of other
 * commands.
 */
function parseCommandArguments(given: unknown): Record<string, unknown> {
  // Two described names for one argument would confuse a model.
  const names = { names: Object.keys(properties), required: neededArgument, alias: "content" };
  return parseClaudeArguments(readArguments({ properties }, given), names);
}

function parseCommand(args: unknown): ClaudeCommandName {
  if (!isRecord(args)) throw notAnObject(neededArgument);
  const { command } = args;
  if (command === undefined || command === null) {
    throw badParameter("command", `it is required and must be one of ${commandNames.join(", ")}`);
  }
  const name = commandNames.find((each) => each === command);
  if (name !== undefined) return name;
  const given = typeof command === "string" ? echo(command) : typeof command;
  throw new ClaudeRefusal("EINVAL", `Error: Unknown command: ${given}. The commands are ${commandNames.join(", ")}`);
}

/** Describes the tool for other models. Claude knows the tool already. */
function describeTool({ root, ifExists }: CheckedClaudeOptions): string {
  return [
    `Reads and edits your memory: a small tree of text files under ${root} that outlasts this conversation.`,
    "Commands:",
    "- view: the files and directories in path, 2 levels deep, or the numbered lines of a file; only the lines of " +
      "view_range where given",
    "- create: a file with file_text and the directories above " +
      `it${ifExists === "replace" ? ", or its new text where it exists" : ""}`,
    "- str_replace: puts new_str in the place of old_str, which must be in the file exactly once",
    "- insert: insert_text as lines of their own after line insert_line, 0 for the beginning",
    "- delete: a file, or a directory with all below it",
    "- rename: moves old_path to new_path, which must not exist",
  ].join("\n");
}

const text = (description: string): object => optional({ type: "string", description });

const properties = {
  command: { type: "string", enum: commandNames, description: "What to do." },
  path: {},
  view_range: optional({
    type: "array",
    items: { type: "integer" },
    description: "view: the first and the last line to show; -1 for the end of the file.",
  }),
  file_text: text("create: the text of the file."),
  old_str: text("str_replace: the exact text to replace."),
  new_str: text("str_replace: the new text; left out, the old text is deleted."),
  insert_line: optional({ type: "integer", description: "insert: the number of the line after which to insert." }),
  insert_text: text("insert: the text to insert."),
  old_path: text("rename: the path to move."),
  new_path: text("rename: its new path."),
};

function createCommandSchema({ root }: CheckedClaudeOptions): FlatSchema {
  const where = "All commands but rename: absolute path of a file, or for view and delete of a directory.";
  return createSchema({ ...properties, path: text(`${where} Begins with ${root}.`) });
}
