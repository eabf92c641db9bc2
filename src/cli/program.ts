import { Command, CommanderError } from "commander";
import { exitCodeHelp, programName } from "./command.js";
import { addAppend } from "./commands/append.js";
import { addApprove } from "./commands/approve.js";
import { addBlame } from "./commands/blame.js";
import { addCat } from "./commands/cat.js";
import { addCopy } from "./commands/copy.js";
import { addDiff } from "./commands/diff.js";
import { addDoctor } from "./commands/doctor.js";
import { addExport } from "./commands/export.js";
import { addForget } from "./commands/forget.js";
import { addGrep } from "./commands/grep.js";
import { addImport } from "./commands/import.js";
import { addInit } from "./commands/init.js";
import { addLog } from "./commands/log.js";
import { addLs } from "./commands/ls.js";
import { addMcp } from "./commands/mcp.js";
import { addMemories } from "./commands/memories.js";
import { addMigrate } from "./commands/migrate.js";
import { addMv } from "./commands/mv.js";
import { addPage } from "./commands/page.js";
import { addProposals } from "./commands/proposals.js";
import { addRedact } from "./commands/redact.js";
import { addReject } from "./commands/reject.js";
import { addRevert } from "./commands/revert.js";
import { addRm } from "./commands/rm.js";
import { addSearch } from "./commands/search.js";
import { addTree } from "./commands/tree.js";
import { addWrite } from "./commands/write.js";
import { type ExitCode, exitCodes } from "./exit-codes.js";
import { faultOf, usageFault } from "./fault.js";
import type { CliContext } from "./context.js";
import type { CliIo } from "./terminal/io.js";
import { BrokenPipe, Output } from "./terminal/output.js";
import { redactorOf } from "./redact.js";

const maxHelpColumns = 120;

const commands = [
  addMemories,
  addLs,
  addTree,
  addCat,
  addAppend,
  addWrite,
  addRm,
  addMv,
  addForget,
  addGrep,
  addSearch,
  addLog,
  addDiff,
  addBlame,
  addRevert,
  addRedact,
  addProposals,
  addApprove,
  addReject,
  addExport,
  addImport,
  addCopy,
  addDoctor,
  addMigrate,
  addPage,
  addMcp,
  addInit,
];

/**
 * The commands, their options and their help. `print` takes what commander itself has to say on the standard output.
 */
export function createProgram(context: CliContext, print: (text: string) => void): Command {
  const program = new Command(programName)
    .description("Look into the memories of LangGraph agents, change, move and check them, in MongoDB or in a folder.")
    .version(context.io.version, "-V, --version", "print the version")
    .helpCommand("help [command]", "show the help of a command")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => print(text),
      // Faults are told in one place, with the others.
      writeErr: () => undefined,
      getOutHelpWidth: () => Math.min(context.io.stdout.columns ?? maxHelpColumns, maxHelpColumns),
      getOutHasColors: () => false,
    })
    .addHelpText("after", () => `\n${exitCodeHelp()}`);
  for (const add of commands) add(program, context);
  return program;
}

/** Runs one command line to its end and answers what to exit with. Throws nothing. */
export async function runCli(argv: readonly string[], io: CliIo): Promise<ExitCode> {
  const context: CliContext = {
    io,
    out: new Output(io.stdout, io.env),
    err: new Output(io.stderr, io.env),
    redact: redactorOf([...argv, io.env["MONGODB_URI"]]),
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
    if (error instanceof CommanderError && error.exitCode === 0) return printHelp(help, context);
    return reportFault(error, argv, context);
  }
}

async function printHelp(text: string, { out }: CliContext): Promise<ExitCode> {
  await out.write(text).catch(() => undefined);
  return exitCodes.done;
}

async function reportFault(failure: unknown, argv: readonly string[], { err, redact }: CliContext): Promise<ExitCode> {
  const fault = failure instanceof CommanderError ? usageFault(usageMessage(failure)) : faultOf(failure);
  const message = redact(fault.message).replaceAll(/\s*\n\s*/g, " ");
  const { code, exitCode } = fault;
  const report = argv.includes("--json")
    ? err.json({ ok: false, error: { code, message } })
    : err.line(`${err.style("red", "error:")} ${err.foreign(message)}`);
  // Where nobody reads the standard error, the exit code has to do.
  await report.catch(() => undefined);
  return exitCode;
}

/** Commander's words, in which it names the argument; with no command at all it has none. */
function usageMessage({ code, message }: CommanderError): string {
  const advice = `\`${programName} help\` lists the commands, \`help <command>\` the options of one`;
  if (code === "commander.help") return `no command was given; ${advice}`;
  return `${message.replace(/^error: /, "")}; ${advice}`;
}
