import type { Command, Option } from "commander";

/** What a shell can complete after a command, or after an option that takes a value. */
export interface CompletedValue {
  /** The values or the names of commands that can be given. Empty if none are known. */
  choices: readonly string[];
  isFile: boolean;
}

export interface CompletedOption extends CompletedValue {
  long: string;
  short: string | undefined;
  description: string;
  takesValue: boolean;
}

/** What a shell completes of a command. */
export interface CompletedCommand extends CompletedValue {
  /** The words that call it: `migrate mongodb-store`. Empty for the program. */
  words: readonly string[];
  description: string;
  options: readonly CompletedOption[];
}

/** Collects a program and all its commands, each before its own ones. */
export function collectCommands(command: Command, words: readonly string[] = []): CompletedCommand[] {
  const help = command.createHelp();
  const { registeredArguments, commands } = command;
  const described = {
    words,
    description: command.summary() || command.description(),
    isFile: registeredArguments.some((argument) => /^(?:file|folder)$/.test(argument.name())),
    options: help.visibleOptions(command).map(toCompletedOption),
  };
  if (commands.length === 0)
    return [{ ...described, choices: registeredArguments.flatMap(({ argChoices = [] }) => argChoices) }];
  const names = commands.map((each) => each.name());
  return [
    { ...described, choices: [...names, "help"] },
    ...commands.flatMap((each) => collectCommands(each, [...words, each.name()])),
    {
      words: [...words, "help"],
      description: "Show the help of a command.",
      choices: names,
      isFile: false,
      options: [],
    },
  ];
}

function toCompletedOption({ long, short, description, required, argChoices, flags }: Option): CompletedOption {
  const isFile = /<(?:file|folder)>/.test(flags);
  return { long: long ?? "", short, description, takesValue: required, choices: argChoices ?? [], isFile };
}
