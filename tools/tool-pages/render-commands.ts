import { readFileSync } from "node:fs";
import { PassThrough } from "node:stream";
import type { Command, Option } from "commander";
import { exitCodeMeanings } from "../../src/cli/errors.js";
import { createProgram } from "../../src/cli/program.js";
import { actorOption, memoryOptions, ownerOptions } from "../../src/cli/targets/target-options.js";
import { mostColumns } from "../../__tests__/helpers/documentation.js";
import { Output } from "../../src/cli/terminal/output.js";

/** A command that does something, by the words that call it. */
type NamedCommand = [name: string, command: Command];

/** The options that name memories. The page describes them once, above the commands, and `--as` too. */
const namingOptions: readonly Option[] = [...memoryOptions, ...ownerOptions];

/** Creates the program of the command line to read its commands. Nothing can be run by it. */
export function createProgramToRead(print: (text: string) => void = () => undefined): Command {
  const stdout = new PassThrough();
  const io = {
    stdin: new PassThrough(),
    stdout,
    stderr: stdout,
    env: {},
    version: "0",
    examplesFolder: "examples",
    untilStopped: () => Promise.resolve(),
  };
  const out = new Output(stdout, {});
  return createProgram({ io, out, err: out, redact: (text) => text, exitCode: 0 }, print);
}

/** Returns the commands that do something, in the order of the help. */
export function commandsOfProgram(command: Command, words: string[] = []): NamedCommand[] {
  if (command.commands.length === 0) return [[words.join(" "), command]];
  return command.commands.flatMap((inner) => commandsOfProgram(inner, [...words, inner.name()]));
}

/** Reads the template of the page. It has the headings of all commands, in the order of the help. */
export function readCommandTemplate(): string {
  return readFileSync("tools/tool-pages/command-line.md", "utf8");
}

/**
 * Renders the page of the commands. The template says what the help of the commands does not.
 * @throws Error if the template lacks a command, or has another one
 */
export function renderCommands(template: string): string {
  let help = "";
  const commands = commandsOfProgram(createProgramToRead((text) => void (help += text)));
  const names = commands.map(([name]) => name);
  const described = Array.from(template.matchAll(heading), ([, name = ""]) => name);
  if (described.join() !== names.join())
    throw new Error(`tools/tool-pages has the commands ${described.join(", ")}; it needs ${names.join(", ")}`);
  const sections = new Map(
    commands.map(([name, command]) => {
      help = "";
      command.outputHelp();
      return [name, renderCommand(name, command, examplesOf(help))];
    }),
  );
  return template
    .replace(/^# .*\n/, (title) => `${title}\n${origin}\n`)
    .replace("<!-- options of a memory -->", () => renderOptions(memoryOptions, commands[0]?.[1]))
    .replace("<!-- options of memories -->", () => renderOptions(ownerOptions, commands[0]?.[1]))
    .replace("<!-- option of the author -->", () => renderOptions([actorOption], commands[0]?.[1]))
    .replace("<!-- exit codes -->", renderExitCodes)
    .replaceAll(heading, (_heading, name: string) => sections.get(name) ?? "");
}

/** The heading of a command. */
const heading = /^### `(.+)`$/gm;

const origin =
  "<!-- Made by `npm run docs:tools` from the help of the commands and from `tools/tool-pages`. Do not edit it here. -->";

function renderCommand(name: string, command: Command, examples: readonly string[]): string {
  const naming = command.options.filter((option) => isOneOf(namingOptions, option));
  const own = command.options.filter(
    (option) => option.long !== "--json" && !isOneOf([...namingOptions, actorOption], option),
  );
  const takesAll = memoryOptions.every((option) => isOneOf(naming, option));
  const names =
    naming.length === 0 || takesAll
      ? []
      : [`[Which memory](#which-memory): ${naming.map(({ long }) => `\`${long}\``).join(", ")}`];
  return [
    `### \`${name}\``,
    `\`${name} ${command.usage()}\``,
    escapeText(command.description()),
    ...(own.length > 0 ? [renderOptions(own, command)] : []),
    ...names,
    `\`\`\`sh\n${examples.map(wrapLongLine).join("\n")}\n\`\`\``,
  ].join("\n\n");
}

/** Whether the help says the same of the option as of one of others. */
function isOneOf(others: readonly Option[], { flags, description }: Option): boolean {
  return others.some((other) => other.flags === flags && other.description === description);
}

/** @param command any, whose help knows how to describe options */
function renderOptions(options: readonly Option[], command: Command | undefined): string {
  const items = options.map((option) => {
    const description = command?.createHelp().optionDescription(option) ?? option.description;
    return `- \`${option.flags}\`: ${escapeText(description)}`;
  });
  return items.join("\n");
}

function renderExitCodes(): string {
  const rows = exitCodeMeanings.map(([code, meaning]) => `| ${code} | ${meaning.replace("doctor", "`doctor`")} |`);
  return ["| exit code | means |", "|---|---|", ...rows].join("\n");
}

/** Breaks a line that is wider than the code of pages may be, before an option or a pipe. */
function wrapLongLine(line: string): string {
  return line.length <= mostColumns
    ? line
    : line.replace(new RegExp(`^(.{1,${mostColumns - 2}}) (?=--|[|])`), "$1 \\\n  ");
}

function examplesOf(help: string): string[] {
  const [, lines = ""] = /Examples:\n((?: {2}.+\n)+)/.exec(help) ?? [];
  return lines
    .trimEnd()
    .split("\n")
    .map((line) => line.trim());
}

/** Marks names in a text of the help as code, so that Markdown does not read them as HTML. */
function escapeText(text: string): string {
  return text
    .replaceAll("|", "\\|")
    .replaceAll(/`[^`]+`|[^\s`]*<\w+>(?:[^\s`.,;]*)|(?<![\w-])--[a-z][a-z-]*/g, (name) =>
      name.startsWith("`") ? name : `\`${name}\``,
    );
}
