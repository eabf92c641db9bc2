import type { ExitCode } from "./errors.js";
import type { CliIo } from "./terminal/io.js";
import type { Output } from "./terminal/output.js";

/** The environment of every command. */
export interface CliContext {
  io: CliIo;
  out: Output;
  err: Output;
  /** Removes passwords from a text. */
  redact: (text: string) => string;
  /** A command sets this if it ends without an error, but with a code other than 0. */
  exitCode: ExitCode;
}
