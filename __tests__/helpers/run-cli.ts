import { Readable, Writable } from "node:stream";
import { runCli } from "../../src/cli/program.js";

export interface CliRun {
  exitCode: number;
  stdout: string;
  stderr: string;
}

export interface CliSurroundings {
  stdin?: string | Uint8Array | AsyncIterable<Uint8Array>;
  env?: Record<string, string>;
  /** Whether the input and both outputs are terminals. */
  terminal?: boolean;
  /** Number of writes after which the reader of the standard output leaves. */
  readerLeavesAfter?: number;
  untilStopped?: () => Promise<void>;
}

/** Runs a command line in this process, with the given surroundings only. */
export async function cli(argv: readonly string[], surroundings: CliSurroundings = {}): Promise<CliRun> {
  const { stdin = "", env = {}, terminal = false, readerLeavesAfter = Infinity } = surroundings;
  const stdout = new Collected(terminal, readerLeavesAfter);
  const stderr = new Collected(terminal, Infinity);
  const exitCode = await runCli(argv, {
    stdin: Object.assign(
      typeof stdin === "string" || stdin instanceof Uint8Array ? Readable.from([Buffer.from(stdin as string)]) : stdin,
      { isTTY: terminal },
    ),
    stdout,
    stderr,
    env,
    version: "0.0.0-test",
    examplesFolder: "examples",
    untilStopped: surroundings.untilStopped ?? (() => new Promise(() => undefined)),
  });
  return { exitCode, stdout: stdout.text, stderr: stderr.text };
}

/** Returns the parsed standard output of a command line that must succeed. */
export async function cliJson(
  argv: readonly string[],
  surroundings: CliSurroundings = {},
): Promise<Record<string, unknown>> {
  const { exitCode, stdout, stderr } = await cli([...argv, "--json"], surroundings);
  if (exitCode !== 0) throw new Error(`${argv.join(" ")} exited with ${exitCode}: ${stderr}`);
  return JSON.parse(stdout) as Record<string, unknown>;
}

class Collected extends Writable {
  readonly isTTY: boolean;
  readonly columns = 80;
  readonly #chunks: Buffer[] = [];
  #writesLeft: number;

  constructor(isTTY: boolean, writes: number) {
    super();
    this.isTTY = isTTY;
    this.#writesLeft = writes;
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error) => void): void {
    this.#writesLeft -= 1;
    if (this.#writesLeft < 0) return done(Object.assign(new Error("write EPIPE"), { code: "EPIPE" }));
    this.#chunks.push(Buffer.from(chunk));
    return done();
  }

  get text(): string {
    return Buffer.concat(this.#chunks).toString();
  }
}
