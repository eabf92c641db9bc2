import { Command, CommanderError } from "commander";
import { type AddCommand, formatExitCodes, programName } from "./command.js";
import { append } from "./commands/files/append.js";
import { cat } from "./commands/files/cat.js";
import { grep } from "./commands/files/grep.js";
import { ls } from "./commands/files/ls.js";
import { mv } from "./commands/files/mv.js";
import { rm } from "./commands/files/rm.js";
import { search } from "./commands/files/search.js";
import { tree } from "./commands/files/tree.js";
import { write } from "./commands/files/write.js";
import { blame } from "./commands/history/blame.js";
import { diff } from "./commands/history/diff.js";
import { log } from "./commands/history/log.js";
import { redact } from "./commands/history/redact.js";
import { revert } from "./commands/history/revert.js";
import { copy } from "./commands/memories/copy.js";
import { exportMemories } from "./commands/memories/export.js";
import { forget } from "./commands/memories/forget.js";
import { importMemories } from "./commands/memories/import.js";
import { memories } from "./commands/memories/memories.js";
import { sweep } from "./commands/memories/sweep.js";
import { approve, reject } from "./commands/proposals/decisions.js";
import { proposals } from "./commands/proposals/proposals.js";
import { init } from "./commands/serve/init.js";
import { mcp } from "./commands/serve/mcp.js";
import { page } from "./commands/serve/page.js";
import { doctor } from "./commands/upkeep/doctor.js";
import { migrate } from "./commands/upkeep/migrate.js";
import type { CliContext } from "./context.js";
import { toCommandError, usageError } from "./errors.js";
import { type ExitCode, exitCodes } from "./exit-codes.js";
import { createRedactor } from "./redact.js";
import type { CliIo } from "./terminal/io.js";
import { BrokenPipe, Output } from "./terminal/output.js";

const maxHelpColumns = 120;

/** The commands in the order of the help. */
const commands: readonly AddCommand[] = [
  memories,
  ls,
  tree,
  cat,
  append,
  write,
  rm,
  mv,
  forget,
  sweep,
  grep,
  search,
  log,
  diff,
  blame,
  revert,
  redact,
  proposals,
  approve,
  reject,
  exportMemories,
  importMemories,
  copy,
  doctor,
  migrate,
  page,
  mcp,
  init,
];

/**
 * Creates the commands, their options and their help. `print` receives the texts that commander writes to the standard
 * output.
 */
export function createProgram(context: CliContext, print: (text: string) => void): Command {
  const program = new Command(programName)
    .description("Look into the memories of LangGraph agents, change, move and check them, in MongoDB or in a folder.")
    .version(context.io.version, "-V, --version", "print the version")
    .helpCommand("help [command]", "show the help of a command")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => print(text),
      // `reportError` prints all errors.
      writeErr: () => undefined,
      getOutHelpWidth: () => Math.min(context.io.stdout.columns ?? maxHelpColumns, maxHelpColumns),
      getOutHasColors: () => false,
    })
    .addHelpText("after", () => `\n${formatExitCodes()}`);
  for (const add of commands) add(program, context);
  return program;
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
  try {
    await createProgram(context, print).parseAsync([...argv], { from: "user" });
    return context.exitCode;
  } catch (error) {
    if (error instanceof BrokenPipe) return exitCodes.done;
    if (!(error instanceof CommanderError) || error.exitCode !== 0) return reportError(error, argv, context);
    await context.out.write(help).catch(() => undefined);
    return exitCodes.done;
  }
}

async function reportError(failure: unknown, argv: readonly string[], context: CliContext): Promise<ExitCode> {
  const { err } = context;
  const error = failure instanceof CommanderError ? usageError(usageMessage(failure)) : toCommandError(failure);
  const message = context.redact(error.message).replaceAll(/\s*\n\s*/g, " ");
  const { code, exitCode } = error;
  const report = argv.includes("--json")
    ? err.json({ ok: false, error: { code, message } })
    : err.line(`${err.style("red", "error:")} ${err.foreign(message)}`);
  // If nobody reads the standard error, the exit code alone reports the error.
  await report.catch(() => undefined);
  return exitCode;
}

/** Returns the message of commander, which names the argument. If the command is missing, commander has no message. */
function usageMessage({ code, message }: CommanderError): string {
  const advice = `\`${programName} help\` lists the commands, \`help <command>\` the options of one`;
  if (code === "commander.help") return `no command was given; ${advice}`;
  return `${message.replace(/^error: /, "")}; ${advice}`;
}
