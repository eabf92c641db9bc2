import { isDeepStrictEqual } from "node:util";
import type { CompletedCommand, CompletedOption } from "./completed-command.js";

/** Creates the script of fish. @param programs the names that are completed */
export function createFishScript(commands: readonly CompletedCommand[], programs: readonly string[]): string {
  const [program = "", ...others] = programs;
  const lines = ["-f", ...commands.flatMap((command) => createLines(command, commands))];
  return [
    ...lines.map((line) => `complete -c ${program} ${line}\n`),
    ...others.map((other) => `complete -c ${other} -w ${program}\n`),
  ].join("");
}

function createLines(command: CompletedCommand, commands: readonly CompletedCommand[]): string[] {
  const { words, choices, isFile, options } = command;
  const inner = commands.filter((each) => isDeepStrictEqual(each.words.slice(0, -1), words) && each !== command);
  const innerNames = inner.map(({ words: each }) => each.at(-1) ?? "");
  const seen = words.map((word) => `__fish_seen_subcommand_from ${word}`);
  const isLast = innerNames.length === 0 ? [] : [`not __fish_seen_subcommand_from ${innerNames.join(" ")}`];
  const condition = words.length === 0 ? "__fish_use_subcommand" : quote([...seen, ...isLast].join("; and "));
  const others = choices.filter((choice) => !innerNames.includes(choice));
  return [
    ...inner.map(
      ({ words: each, description }) => `-n ${condition} -a ${each.at(-1) ?? ""} -d ${quote(shorten(description))}`,
    ),
    ...(others.length > 0 ? [`-n ${condition} -a ${quote(others.join(" "))}`] : []),
    ...(isFile ? [`-n ${condition} -F`] : []),
    ...options.map((option) => `-n ${condition} ${createOption(option)}`),
  ];
}

function createOption({ long, short, description, takesValue, choices, isFile }: CompletedOption): string {
  const names = `${short === undefined ? "" : `-s ${short.slice(1)} `}-l ${long.slice(2)}`;
  const value = isFile ? " -r -F" : takesValue ? " -x" : "";
  const values = choices.length > 0 ? ` -a ${quote(choices.join(" "))}` : "";
  return `${names}${value}${values} -d ${quote(shorten(description))}`;
}

/** The first part of a description, which fits beside a name. */
function shorten(description: string): string {
  return (description.split(/[;:(]|\. |\.$/)[0] ?? description).trim();
}

function quote(text: string): string {
  return `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`;
}
