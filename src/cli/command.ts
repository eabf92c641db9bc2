import { type Command, Option, type OptionValues } from "commander";
import { ownClient } from "../core/values/actor.js";
import type { CliContext } from "./context.js";
import { OptionsError } from "../core/settings/check-options.js";
import { exitCodeMeanings, usageError } from "./errors.js";

/** The name of the program on the command line. */
export const programName = ownClient;

/** The heading of the options that name a memory, which many commands have. */
export const memoryOptionGroup = "Which memory:";

/** Adds a command to the program, or to a group of its commands. */
export type AddCommand = (parent: Command, context: CliContext) => void;

/** The texts of a command in the help. */
export interface CommandTexts {
  /** The name with its arguments: `<required>`, `[optional]`, `<several...>`. */
  usage: string;
  /** The list of commands shows only the first sentence. */
  description: string;
  /** Examples without the name of the program, unless the program comes after a pipe. */
  examples: readonly string[];
  options?: readonly Option[];
}

/** The options that every command has. */
export interface JsonOption {
  json?: boolean;
}

/** The result of a command. With `--json` the object is printed with `ok: true`, otherwise the unchanged text. */
export interface Report {
  json: object;
  text?: string;
}

interface CommandSettings<Input> extends CommandTexts {
  /** The options that have another name in the library, by that name. */
  renamed?: Readonly<Record<string, keyof Input>>;
  /** @param input the arguments and options, by name. @returns undefined if it has printed its result itself */
  run: (input: Input & JsonOption, context: CliContext) => Promise<Report | undefined>;
}

export function createCommand<Input extends OptionValues>(settings: CommandSettings<Input>): AddCommand {
  const { usage, description, examples, options = [], renamed = {}, run } = settings;
  return (parent, context) => {
    const command = parent
      .command(usage)
      .summary(description.split(/(?<=\.) /)[0] ?? description)
      .description(description)
      .option("--json", "print JSON; errors are JSON too, on the standard error")
      .addHelpText("after", () => `\n${formatExamples(examples)}\n\n${formatExitCodes()}`);
    for (const option of options) command.addOption(option);
    command.action(async () => {
      const input = { ...command.opts<Input & JsonOption>(), ...readArguments(command) };
      const report = await run(input, context).catch((error: unknown) => {
        throw nameOption(error, options, renamed);
      });
      if (report === undefined) return;
      if (input.json) await context.out.json({ ok: true, ...report.json });
      else if (report.text !== undefined) await context.out.write(report.text);
    });
  };
}

/** Refuses a wrong option of the library as the option that was typed. */
function nameOption(
  error: unknown,
  options: readonly Option[],
  renamed: Readonly<Record<string, PropertyKey>>,
): unknown {
  if (!(error instanceof OptionsError)) return error;
  const { option: name, reason } = error;
  const typed = options.find((option) => option.attributeName() === (renamed[name] ?? name));
  return typed === undefined ? error : usageError(`${typed.long}: ${reason}`, error);
}

function readArguments({ registeredArguments, processedArgs }: Command): OptionValues {
  return Object.fromEntries(registeredArguments.map((argument, index) => [argument.name(), processedArgs[index]]));
}

/** Creates an option for a whole number. @param wrong end of the error, such as "is not a port; pass one from 0" */
export function numberOption(
  flags: string,
  description: string,
  range: [min: number, max: number],
  wrong: string,
): Option {
  const option = new Option(flags, description);
  return option.argParser((given: string) => {
    const value = /^\d{1,9}$/.test(given) ? Number(given) : NaN;
    if (value >= range[0] && value <= range[1]) return value;
    throw usageError(`${option.long ?? flags} ${given} ${wrong}`);
  });
}

/** The maximum for a `numberOption` without a limit. */
export const anyNumber = 999_999_999;

function formatExamples(examples: readonly string[]): string {
  const lines = examples.map((example) => (example.includes(programName) ? example : `${programName} ${example}`));
  return `Examples:\n${lines.map((line) => `  ${line}`).join("\n")}`;
}

function formatExitCodes(): string {
  const lines = exitCodeMeanings.map(([code, meaning]) => `  ${String(code).padEnd(3)} ${meaning}`);
  return `Exit codes:\n${lines.join("\n")}`;
}
