import type { Command } from "commander";
import { exitCodeMeanings } from "./exit-codes.js";

/** The name of the program, as it is called. */
export const programName = "langgraph-mongo-memory";

/**
 * A command of the program with what all of them have: `--json`, examples and the exit codes.
 * @param description whose first sentence is shown in the list of commands
 * @param examples without the name of the program, unless it comes after a pipe
 */
export function newCommand(
  program: Command,
  signature: string,
  description: string,
  examples: readonly string[],
): Command {
  const lines = examples.map((example) => (example.includes(programName) ? example : `${programName} ${example}`));
  return program
    .command(signature)
    .summary(description.split(/(?<=\.) /)[0] ?? description)
    .description(description)
    .option("--json", "print JSON; errors are JSON too, on the standard error")
    .addHelpText("after", () => `\nExamples:\n${lines.map((line) => `  ${line}`).join("\n")}\n\n${exitCodeHelp()}`);
}

export function exitCodeHelp(): string {
  return `Exit codes:\n${exitCodeMeanings.map(([code, meaning]) => `  ${String(code).padEnd(3)} ${meaning}`).join("\n")}`;
}
