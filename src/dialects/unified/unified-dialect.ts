import { isGranted } from "../../core/access/rights.js";
import { type NeededAccess } from "../../core/access/policy.js";
import { invalid, MemoryError } from "../../core/values/errors.js";
import type { Memory } from "../../core/memory.js";
import { nameRules, normalizePath, type PathRule } from "../../core/values/paths.js";
import { shownJson } from "../../core/display/shown-text.js";
import { shorten } from "../../core/values/text.js";
import { type Dialect, type FlatSchema, proposalIn, type ToolAnswer, type ToolDefinition } from "../dialect.js";
import { findPassages } from "../found-passages.js";
import { checkUnifiedOptions, type MemoryCommand, memoryCommands, type MemoryToolOptions } from "./options.js";

interface Arguments {
  path: string;
  content?: string;
  oldContent?: string;
  query?: string;
}

/** The answer of a command; its keys are written in this order (specification section 3). */
export type MemoryEnvelope =
  | { command: string; path: string; ok: true; result: object }
  | { command: string; path: string; ok: false; error: { message: string; code: string } };

interface CommandDefinition {
  description: string;
  /** Left out where it changes nothing. */
  needs?: NeededAccess;
  check?: (args: Arguments) => void;
  run: (memory: Memory, args: Required<Arguments>) => Promise<object>;
}

const definitions: Record<MemoryCommand, CommandDefinition> = {
  read: {
    description: "read: the text of a file",
    run: async (memory, { path }) => ({ content: await memory.read(path) }),
  },
  list: {
    description: 'list: what a directory holds ("/" is the root)',
    run: async (memory, { path }) => ({ entries: await memory.list(path) }),
  },
  append: {
    description: "append: adds content at the end of a file, creating the file and its directories",
    needs: "append",
    check: ({ content }) => {
      if (content === undefined) throw invalid("content is required for append");
    },
    run: async (memory, { path, content }) => {
      await memory.append(path, content);
      return { status: "ok" };
    },
  },
  update: {
    description: "update: replaces every occurrence of oldContent in a file by content",
    needs: "write",
    check: ({ content, oldContent }) => {
      if (content === undefined || oldContent === undefined) {
        throw invalid("oldContent and content are required for update");
      }
    },
    run: async (memory, { path, oldContent, content }) => ({
      replaced: await memory.update(path, oldContent, content),
    }),
  },
  delete: {
    description: "delete: removes a file, or a directory with all below it",
    needs: "write",
    run: async (memory, { path }) => {
      const { files, dirs } = await memory.delete(path);
      return { files, dirs };
    },
  },
  search: {
    description: "search: the passages below path that have most to do with query, in whatever form its words are",
    check: ({ query }) => {
      if (query === undefined) throw invalid("query is required for search");
    },
    run: async (memory, { path, query }) => {
      const { passages, leftOut } = await findPassages(memory, query, path);
      return { passages: passages.map(({ score: _score, ...passage }) => passage), ...(leftOut !== "" && { leftOut }) };
    },
  },
};

/**
 * The dialect `unified` with options of its own: `unifiedDialect({ commands: ["read", "list"] })` cannot change a
 * memory.
 *
 * @throws TypeError for bad options
 */
export function unifiedDialect(options: Omit<MemoryToolOptions, "memory"> = {}): Dialect {
  checkUnifiedOptions(options);
  return { name: "unified", tools: [unifiedTool(options)] };
}

/** The one tool of the dialect. @param options checked */
export function unifiedTool(options: Omit<MemoryToolOptions, "memory">): ToolDefinition {
  const { name, description, title, commands = [...memoryCommands] } = options;
  const render = (envelope: MemoryEnvelope): ToolAnswer => ({ text: shownJson(envelope), failed: !envelope.ok });
  return {
    name: name ?? "memory",
    description: description ?? ((paths) => describeCommands(commands, paths)),
    title,
    schema: schemaForCommands(commands),
    readOnly: commands.every((command) => definitions[command].needs === undefined),
    destructive: commands.includes("update") || commands.includes("delete"),
    narrowedTo: (widest) => {
      const possible = commands.filter((command) => isGranted(definitions[command].needs, widest));
      // No tool is without a command: its calls then say why they fail.
      return unifiedTool({ ...options, commands: possible.length === 0 ? commands : possible });
    },
    answer: async (args, openMemory) => render(await runCommand(args, commands, openMemory)),
    failure: (args, cause) =>
      render(failureEnvelope(args, new MemoryError("EIO", "EIO: the memory could not be opened", { cause }))),
  };
}

/** What a tool with these commands tells the model about itself. */
function describeCommands(commands: readonly MemoryCommand[], paths: PathRule | undefined): string {
  const lines = commands.map((command) => `- ${definitions[command].description}`);
  return [
    "Your long-term memory: a small tree of text files that stays when this conversation ends.",
    `Paths are absolute, such as "/notes/today"${paths === undefined ? "" : `; ${nameRules[paths]}`}.`,
    "Commands:",
    ...lines,
  ].join("\n");
}

const contentProperties = {
  content: { type: "string", description: "append: the text to add. update: the new text." },
  oldContent: { type: "string", description: "update: the exact text to replace." },
  query: { type: "string", description: "search: what to search for, in a few words or a question." },
};

function schemaForCommands(commands: readonly MemoryCommand[]): FlatSchema {
  const writes = commands.includes("append") || commands.includes("update");
  return {
    type: "object",
    properties: {
      path: { type: "string", description: 'Absolute path of a file or directory, such as "/notes/today".' },
      command: { type: "string", enum: [...commands], description: "What to do." },
      ...(writes ? { content: contentProperties.content } : {}),
      ...(commands.includes("update") ? { oldContent: contentProperties.oldContent } : {}),
      ...(commands.includes("search") ? { query: contentProperties.query } : {}),
    },
    required: ["path", "command"],
    additionalProperties: false,
  };
}

/**
 * Runs one command of the unified set; whatever is wrong with it is told in the envelope.
 *
 * @param given the arguments as a model made them: anything.
 * @param commands those allowed; others of the set answer EACCES.
 */
async function runCommand(
  given: unknown,
  commands: readonly MemoryCommand[],
  openMemory: () => Promise<Memory>,
): Promise<MemoryEnvelope> {
  try {
    const { command, ...args } = checkArguments(given, commands);
    const { check, run } = definitions[command];
    check?.(args);
    const result = await run(await openMemory(), args as Required<Arguments>);
    return { command, path: args.path, ok: true, result };
  } catch (error) {
    return failureEnvelope(given, error);
  }
}

function failureEnvelope(given: unknown, error: unknown): MemoryEnvelope {
  const proposal = proposalIn(error);
  if (proposal !== null) return { ...echoedCall(given), ok: true, result: { status: "proposed", proposal } };
  if (!MemoryError.isInstance(error)) throw error;
  const { code, message } = error;
  return { ...echoedCall(given), ok: false, error: { message, code } };
}

const argumentNames = new Set(["path", "command", "content", "oldContent"]);

function isArgument(name: string, commands: readonly MemoryCommand[]): boolean {
  return argumentNames.has(name) || (name === "query" && commands.includes("search"));
}

function checkArguments(given: unknown, commands: readonly MemoryCommand[]): Arguments & { command: MemoryCommand } {
  if (!isRecord(given)) throw invalid("the arguments must be an object with path and command");
  const unknownName = Object.keys(given).find((name) => !isArgument(name, commands));
  if (unknownName !== undefined) throw invalid(`unknown argument: ${shorten(unknownName, 64)}`);
  const { command } = given;
  if (command === undefined) throw invalid(`command is required: ${commands.join(", ")}`);
  if (!isCommand(command)) {
    throw invalid(`unknown command: ${typeof command === "string" ? shorten(command, 64) : typeof command}`);
  }
  if (!commands.includes(command)) {
    throw new MemoryError("EACCES", `EACCES: ${command} is not allowed on this tool; allowed: ${commands.join(", ")}`);
  }
  const path = normalizePath(given["path"], { emptyIsRoot: isOfDirectories(command) });
  return {
    command,
    path,
    ...textArgument(given, "content"),
    ...textArgument(given, "oldContent"),
    ...textArgument(given, "query"),
  };
}

/** Some models send null for what they leave out. */
function textArgument(given: Record<string, unknown>, name: "content" | "oldContent" | "query"): Partial<Arguments> {
  const value = given[name];
  if (value === undefined || value === null) return {};
  if (typeof value !== "string") throw invalid(`${name} must be a string (given ${typeof value})`);
  return { [name]: value };
}

/** What a refusal repeats of the call: the path normalised where it is legal, and both texts shortened. */
function echoedCall(given: unknown): { command: string; path: string } {
  const { command, path } = isRecord(given) ? given : { command: undefined, path: undefined };
  return { command: echoedText(command, 64), path: echoedPath(path, isOfDirectories(command)) };
}

function isOfDirectories(command: unknown): boolean {
  return command === "list" || command === "search";
}

function echoedPath(path: unknown, emptyIsRoot: boolean): string {
  try {
    return normalizePath(path, { emptyIsRoot });
  } catch (error) {
    if (!MemoryError.isInstance(error)) throw error;
    return echoedText(path, 1024);
  }
}

function echoedText(value: unknown, maxChars: number): string {
  return typeof value === "string" ? shorten(value, maxChars) : "";
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isCommand(value: unknown): value is MemoryCommand {
  return typeof value === "string" && Object.hasOwn(definitions, value);
}
