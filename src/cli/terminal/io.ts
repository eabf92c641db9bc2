export interface OutputStream extends NodeJS.WritableStream {
  isTTY?: boolean;
  columns?: number;
}

/** All that the program knows of the process it runs in. */
export interface CliIo {
  stdin: AsyncIterable<Uint8Array | string> & { isTTY?: boolean };
  stdout: OutputStream;
  stderr: OutputStream;
  env: Readonly<Record<string, string | undefined>>;
  /** Of the package. */
  version: string;
  /** Of the package: what `init` copies. */
  examplesFolder: string;
  /** Resolves when the process is asked to end; the command must then end it, or it is ended a few seconds later. */
  untilStopped(): Promise<void>;
}
