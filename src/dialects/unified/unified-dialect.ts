import { isGranted } from "../../core/access/rights.js";
import { type NeededAccess } from "../../core/access/policy.js";
import { invalid, MemoryError } from "../../core/values/errors.js";
import type { Memory } from "../../core/memory.js";
import { maxPathChars, nameRules, normalizePath, type PathRule, ROOT } from "../../core/values/paths.js";
import { shownJson } from "../../core/display/shown-text.js";
import { shorten } from "../../core/values/text.js";
import { isRecord } from "../../core/values/unknown-values.js";
import { createSchema, defineTool, parseArguments, type ToolAnswers } from "../define-tool.js";
import type { Dialect, FlatSchema, ToolDefinition } from "../dialect.js";
import {
  defaultAnswerChars,
  describeLines,
  describeRest,
  getJsonLength,
  takeItems,
  takeJson,
  takeLines,
} from "../answer-bounds.js";
import { findNearestLines, readReplacement } from "../nearest-lines.js";
import { optional } from "../read-arguments.js";
import { findPassages } from "../found-passages.js";
import {
  checkUnifiedOptions,
  type MemoryCommand,
  memoryCommands,
  type UnifiedDialectOptions,
  type UnifiedToolOptions,
} from "./options.js";

interface Arguments {
  path: string;
  content?: string;
  oldContent?: string;
  query?: string;
  /** From 1. */
  fromLine: number;
}

/** The call of a command, after checking. */
interface Call {
  memory: Memory;
  args: Required<Arguments>;
  commands: readonly MemoryCommand[];
  /** Room for the result, in UTF-16 units of JSON. */
  maxChars: number;
}

/** The answer of a command. Its keys are written in this order (specification section 3). */
export type MemoryEnvelope =
  | { command: string; path: string; ok: true; result: object }
  | { command: string; path: string; ok: false; error: { message: string; code: string } };

interface CommandDefinition {
  description: string;
  /** Undefined for a command that changes nothing. */
  needs?: NeededAccess;
  /** The arguments that a call must have, besides the path. */
  takes: readonly (keyof typeof argumentProperties)[];
  run: (call: Call) => Promise<object>;
}

const definitions: Record<MemoryCommand, CommandDefinition> = {
  read: {
    description: "read: the text of a file, or its lines from fromLine on",
    takes: ["fromLine"],
    run: readText,
  },
  list: {
    description: 'list: what a directory holds ("/" is the root)',
    takes: [],
    run: listEntries,
  },
  append: {
    description: "append: adds content at the end of a file, creating the file and its directories",
    needs: "append",
    takes: ["content"],
    run: async ({ memory, args: { path, content } }) => {
      await memory.append(path, content, { lineEnds: "file" });
      return { status: "ok" };
    },
  },
  update: {
    description: "update: replaces every occurrence of oldContent in a file by content",
    needs: "write",
    takes: ["oldContent", "content"],
    run: updateText,
  },
  delete: {
    description: "delete: removes a file, or a directory with all below it",
    needs: "write",
    takes: [],
    run: async ({ memory, args: { path } }) => {
      const { files, dirs } = await memory.delete(path);
      return { files, dirs };
    },
  },
  search: {
    description: "search: the passages below path that have most to do with query, in whatever form its words are",
    takes: ["query"],
    run: async ({ memory, args: { path, query }, maxChars }) => {
      const { passages, leftOut } = await findPassages(memory, query, path, maxChars);
      return {
        passages: passages.map(({ score: _score, ...passage }) => passage),
        ...(leftOut !== "" && { leftOut }),
      };
    },
  },
};

async function readText({ memory, args: { path, fromLine }, maxChars }: Call): Promise<object> {
  const text = await memory.read(path);
  const taken = takeLines(text, fromLine, maxChars);
  if (taken === null) throw invalid(describeLines(text, "fromLine"));
  return { content: taken.content, ...describeRest(taken, fromLine, "fromLine") };
}

async function listEntries({ memory, args: { path }, maxChars }: Call): Promise<object> {
  const all = await memory.list(path);
  const entries = takeItems(all, maxChars);
  const leftOut = all.length - entries.length;
  const hasDirectories = all.some(({ kind }) => kind === "dir");
  const more = `${hasDirectories ? "list a directory below, or " : ""}read a path that you know`;
  return { entries, ...(leftOut > 0 && { leftOut, more }) };
}

async function updateText({ memory, args, commands, maxChars }: Call): Promise<object> {
  const { path, oldContent, content } = args;
  const replaced = await memory.update(path, oldContent, content, { lineEnds: "file" });
  // A tool that cannot read does not show the file either.
  if (replaced > 0 || !commands.includes("read")) return { replaced };
  const text = await memory.read(path);
  const [search, replacement] = readReplacement(text, oldContent, content);
  if (search !== oldContent) return { replaced: await memory.update(path, search, replacement, { lineEnds: "file" }) };
  const nearest = await findNearestLines(text, oldContent, maxChars);
  return { replaced, ...(nearest.length > 0 && { nearest }) };
}

/** Creates the dialect `unified`. @throws TypeError for bad options */
export function createUnifiedDialect(options: UnifiedDialectOptions = {}): Dialect {
  checkUnifiedOptions(options);
  const { toolName, ...others } = options;
  return { name: "unified", tools: [unifiedTool({ ...others, ...(toolName !== undefined && { name: toolName }) })] };
}

/** The only tool of the dialect. @param options checked options */
export function unifiedTool(options: UnifiedToolOptions): ToolDefinition {
  const { name, description, title, commands = [...memoryCommands], maxAnswerChars = defaultAnswerChars } = options;
  return defineTool({
    name: name ?? "memory",
    description: description ?? ((paths) => describeCommands(commands, paths)),
    title,
    schema: createCommandSchema(commands),
    shownRoot: ROOT,
    readOnly: commands.every((command) => definitions[command].needs === undefined),
    destructive: commands.includes("update") || commands.includes("delete"),
    narrowedTo: (widest) => {
      const possible = commands.filter((command) => isGranted(definitions[command].needs, widest));
      // A tool needs at least one command. The refusals of its calls then give the reason.
      return unifiedTool({ ...options, commands: possible.length === 0 ? commands : possible });
    },
    run: (args, openMemory) => runCommand(args, { commands, maxAnswerChars }, openMemory),
    answers: envelopes,
  });
}

const envelopes: ToolAnswers<MemoryEnvelope> = {
  success: (envelope) => shownJson(envelope),
  proposed: (proposal, args) =>
    shownJson({ ...echoCall(args), ok: true, result: { status: "proposed", proposal } } satisfies MemoryEnvelope),
  refusal: ({ code, message }, args) => refuse(args, code, message),
  failure: (args) => refuse(args, "EIO", "EIO: the memory could not be opened"),
};

function refuse(args: unknown, code: string, message: string): string {
  return shownJson({ ...echoCall(args), ok: false, error: { message, code } } satisfies MemoryEnvelope);
}

/** Describes a tool that has these commands. */
function describeCommands(commands: readonly MemoryCommand[], paths: PathRule | undefined): string {
  const lines = commands.map((command) => `- ${definitions[command].description}`);
  return [
    "Your long-term memory: a small tree of text files that stays when this conversation ends.",
    `Paths are absolute, such as "/notes/today"${paths === undefined ? "" : `; ${nameRules[paths]}`}.`,
    "Commands:",
    ...lines,
  ].join("\n");
}

const argumentProperties = {
  content: optional({ type: "string", description: "append: the text to add. update: the new text." }),
  oldContent: optional({ type: "string", description: "update: the exact text to replace." }),
  fromLine: optional({ type: "integer", description: "read: the first line to show, from 1." }),
  query: optional({ type: "string", description: "search: what to search for, in a few words or a question." }),
};

function createCommandSchema(commands: readonly MemoryCommand[]): FlatSchema {
  const taken: readonly string[] = commands.flatMap((command) => definitions[command].takes);
  return createSchema({
    path: { type: "string", description: 'Absolute path of a file or directory, such as "/notes/today".' },
    command: { type: "string", enum: [...commands], description: "What to do." },
    ...Object.fromEntries(Object.entries(argumentProperties).filter(([name]) => taken.includes(name))),
  });
}

/** Room for the sentences of an answer, besides its texts. */
const sentenceChars = 200;

/** Runs one of the allowed commands. The others are refused with EACCES. */
async function runCommand(
  given: unknown,
  { commands, maxAnswerChars }: { commands: readonly MemoryCommand[]; maxAnswerChars: number },
  openMemory: () => Promise<Memory>,
): Promise<MemoryEnvelope> {
  const { command, ...args } = checkArguments(given, commands);
  const { takes, run } = definitions[command];
  if (takes.some((name) => args[name] === undefined))
    throw invalid(`${takes.join(" and ")} ${takes.length === 1 ? "is" : "are"} required for ${command}`);
  // In JSON, a hidden character is longer than in a path.
  const path = takeJson(args.path, maxPathChars);
  const maxChars = maxAnswerChars - getJsonLength({ command, path }) - sentenceChars;
  // The call has all arguments of the command.
  const result = await run({ memory: await openMemory(), args: args as Required<Arguments>, commands, maxChars });
  return { command, path, ok: true, result };
}

const argumentNames = ["path", "command", "content", "oldContent", "fromLine"];

function checkArguments(args: unknown, commands: readonly MemoryCommand[]): Arguments & { command: MemoryCommand } {
  if (!isRecord(args)) throw invalid("the arguments must be an object with path and command");
  // First, because the other arguments of an unknown command are unknown too.
  const command = checkCommand(args["command"], commands);
  const names = [...argumentNames, ...(commands.includes("search") ? ["query"] : [])];
  const given = parseArguments(args, (name) => names.includes(name), {
    unknownName: (name) => invalid(`unknown argument: ${shorten(name, 64)}; the arguments are ${names.join(", ")}`),
  });
  const { path: givenPath } = readTextArgument(given, "path");
  const path = normalizePath(givenPath ?? (command === "search" ? ROOT : undefined), {
    emptyIsRoot: takesDirectories(command),
  });
  return {
    command,
    path,
    ...readTextArgument(given, "content"),
    ...readTextArgument(given, "oldContent"),
    ...readTextArgument(given, "query"),
    fromLine: readLineArgument(given["fromLine"]),
  };
}

function checkCommand(command: unknown, commands: readonly MemoryCommand[]): MemoryCommand {
  if (command === undefined || command === null) throw invalid(`command is required: ${commands.join(", ")}`);
  if (!isCommand(command)) {
    const name = typeof command === "string" ? shorten(command, 64) : typeof command;
    throw invalid(`unknown command: ${name}; the commands are ${commands.join(", ")}`);
  }
  if (commands.includes(command)) return command;
  throw new MemoryError("EACCES", `EACCES: ${command} is not allowed on this tool; allowed: ${commands.join(", ")}`);
}

function readLineArgument(fromLine: unknown = 1): number {
  if (typeof fromLine !== "number" || !Number.isSafeInteger(fromLine) || fromLine < 1)
    throw invalid("fromLine must be a whole number from 1");
  return fromLine;
}

function readTextArgument(
  given: Record<string, unknown>,
  name: "path" | "content" | "oldContent" | "query",
): Partial<Arguments> {
  const value = given[name];
  if (value === undefined) return {};
  if (typeof value !== "string") throw invalid(`${name} must be a string (given ${typeof value})`);
  return { [name]: value };
}

/** The command and the path for a refusal. The path is normalized if it is legal, and both are shortened. */
function echoCall(given: unknown): { command: string; path: string } {
  const { command, path } = isRecord(given) ? given : { command: undefined, path: undefined };
  return { command: echoText(command, 64), path: echoPath(path, takesDirectories(command)) };
}

function takesDirectories(command: unknown): boolean {
  return command === "list" || command === "search";
}

function echoPath(path: unknown, emptyIsRoot: boolean): string {
  try {
    return takeJson(normalizePath(path, { emptyIsRoot }), maxPathChars);
  } catch (error) {
    if (!MemoryError.isInstance(error)) throw error;
    return takeJson(echoText(path, maxPathChars), maxPathChars);
  }
}

function echoText(value: unknown, maxChars: number): string {
  return typeof value === "string" ? shorten(value, maxChars) : "";
}

function isCommand(value: unknown): value is MemoryCommand {
  return typeof value === "string" && Object.hasOwn(definitions, value);
}
