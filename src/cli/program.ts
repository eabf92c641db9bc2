import { Command, CommanderError } from "commander";
import { type AddCommand, programName } from "./command.js";
import { append, mv, rm, write } from "./commands/files/change.js";
import { grep, search } from "./commands/files/find.js";
import { cat, ls, tree } from "./commands/files/look.js";
import { prompt } from "./commands/files/prompt.js";
import { blame, diff, log } from "./commands/history/look-back.js";
import { redact, revert } from "./commands/history/undo.js";
import { forget } from "./commands/memories/erase.js";
import { memories } from "./commands/memories/memories.js";
import { merge } from "./commands/memories/merge.js";
import { exportMemories, importMemories } from "./commands/memories/move.js";
import { approve, reject } from "./commands/proposals/decide.js";
import { showProposals } from "./commands/proposals/show-proposals.js";
import { init } from "./commands/serve/init.js";
import { mcp } from "./commands/serve/mcp.js";
import { page } from "./commands/serve/page.js";
import { doctor } from "./commands/upkeep/doctor.js";
import { migrate } from "./commands/upkeep/migrate.js";
import { tidy } from "./commands/upkeep/tidy.js";
import { toOneLine } from "../core/values/text.js";
import type { CliContext } from "./context.js";
import { type CommandError, type ExitCode, exitCodes, toCommandError, usageError } from "./errors.js";
import { createRedactor } from "./redact.js";
import type { CliIo } from "./terminal/io.js";
import { BrokenPipe, Output } from "./terminal/output.js";

const maxHelpColumns = 120;

/** The width of a help that goes to a pipe or a file. */
const usualColumns = 80;

/** The commands in the order of the help, by its headings. */
const commandGroups: readonly (readonly [heading: string, commands: readonly AddCommand[]])[] = [
  ["Looking:", [memories, ls, tree, cat, grep, search, prompt]],
  ["Changing:", [append, write, rm, mv, forget]],
  ["Looking back and deciding:", [log, diff, blame, revert, redact, showProposals, approve, reject]],
  ["Moving and keeping in order:", [exportMemories, importMemories, merge, tidy, doctor, migrate]],
  ["Serving and starting:", [page, mcp, init]],
];

/**
 * Creates the commands, their options and their help. `print` receives the texts that commander writes to the standard
 * output.
 */
export function createProgram(context: CliContext, print: (text: string) => void): Command {
  const program = new Command(programName)
    .description("Show, change, move and check the memories of LangGraph agents in MongoDB.")
    .version(context.io.version, "-V, --version", "print the version")
    .helpOption("-h, --help", "show the help")
    .exitOverride()
    .configureHelp({ subcommandTerm: formatTerm })
    .configureOutput({
      writeOut: (text) => print(text),
      // `reportError` prints all errors.
      writeErr: () => undefined,
      getOutHelpWidth: () => Math.min(context.io.stdout.columns ?? usualColumns, maxHelpColumns),
      getOutHasColors: () => false,
    });
  for (const [heading, commands] of commandGroups) {
    program.commandsGroup(heading);
    for (const add of commands) add(program, context);
  }
  return program.helpCommand("help [command]", "Show the help of a command.");
}

/** Formats a command and its arguments. All commands have options. */
function formatTerm(command: Command): string {
  return `${command.name()} ${command.usage().replace(/^\[options\] ?(?:\[command\])?/, "")}`.trimEnd();
}

/** Runs one command line to its end, and returns the exit code. Throws nothing. */
export async function runCli(argv: readonly string[], io: CliIo): Promise<ExitCode> {
  const context: CliContext = {
    io,
    out: new Output(io.stdout, io.env),
    err: new Output(io.stderr, io.env),
    redact: createRedactor([...argv, io.env["MONGODB_URI"]]),
    exitCode: exitCodes.done,
  };
  let help = "";
  const print = (text: string): void => {
    help += text;
  };
  const program = createProgram(context, print);
  try {
    await program.parseAsync(argv.length === 0 ? ["help"] : [...argv], { from: "user" });
    return context.exitCode;
  } catch (error) {
    if (error instanceof BrokenPipe) return exitCodes.done;
    if (error instanceof CommanderError && error.exitCode !== 0)
      return reportUsage(error, findCommand(program, argv), argv, context);
    if (!(error instanceof CommanderError)) return reportError(toCommandError(error), argv, context);
    await context.out.write(help).catch(() => undefined);
    return exitCodes.done;
  }
}

async function reportError(failure: CommandError, argv: readonly string[], context: CliContext): Promise<ExitCode> {
  const { err } = context;
  const { code, exitCode, suggestsDoctor } = failure;
  // `doctor` itself has said all.
  const hint = suggestsDoctor && argv[0] !== "doctor" ? " (`doctor` says more)" : "";
  const message = toOneLine(context.redact(failure.message)) + hint;
  const report = argv.includes("--json")
    ? err.json({ ok: false, error: { code, message } })
    : err.line(`${err.style("red", "error:")} ${err.foreign(message)}`);
  // If no program reads the standard error, the exit code alone reports the error.
  await report.catch(() => undefined);
  return exitCode;
}

/** Reports what commander found, and how the command is used. */
async function reportUsage(
  { code, message }: CommanderError,
  command: Command,
  argv: readonly string[],
  context: CliContext,
): Promise<ExitCode> {
  const names = command.commands.map((each) => each.name());
  const reason = code === "commander.help" ? `no command was given; pass ${names.join(" or ")}` : message;
  const words = getWords(command);
  const usage = `usage: ${[programName, ...words, command.usage()].join(" ")}`;
  const advice =
    words.length === 0 ? "`help` lists the commands" : `\`${words.join(" ")} --help\` shows options and examples`;
  return reportError(usageError(`${reason.replaceAll(/^error: |\.$/g, "")}; ${usage}; ${advice}`), argv, context);
}

/** Returns the command that the arguments name, as far as they name one. */
function findCommand(program: Command, argv: readonly string[]): Command {
  let command = program;
  for (const word of argv) {
    const named = command.commands.find((each) => each.name() === word);
    if (named === undefined) break;
    command = named;
  }
  return command;
}

/** Returns the words that call a command. */
function getWords(command: Command): string[] {
  return command.parent === null ? [] : [...getWords(command.parent), command.name()];
}
