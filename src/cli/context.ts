import type { ExitCode } from "./exit-codes.js";
import type { CliIo } from "./terminal/io.js";
import type { Output } from "./terminal/output.js";

/** What every command works with. */
export interface CliContext {
  io: CliIo;
  out: Output;
  err: Output;
  /** Removes passwords from a text. */
  redact: (text: string) => string;
  /** Set by a command that ends without an error, but with another code than 0. */
  exitCode: ExitCode;
}
