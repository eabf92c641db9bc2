export interface OutputStream extends NodeJS.WritableStream {
  isTTY?: boolean;
  columns?: number;
}

/** The parts of the process that the program uses. */
export interface CliIo {
  stdin: AsyncIterable<Uint8Array | string> & { isTTY?: boolean };
  stdout: OutputStream;
  stderr: OutputStream;
  env: Readonly<Record<string, string | undefined>>;
  /** The version of the package. */
  version: string;
  /** The folder of the package with the examples that `init` copies. */
  examplesFolder: string;
  /** Resolves at a signal to end. Then the command must end; a few seconds later the process is ended anyway. */
  untilStopped(): Promise<void>;
}
