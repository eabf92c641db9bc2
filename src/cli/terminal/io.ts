export interface OutputStream extends NodeJS.WritableStream {
  isTTY?: boolean;
  columns?: number;
}

/** All that the program knows of the process it runs in. */
export interface CliIo {
  stdin: AsyncIterable<Uint8Array | string>;
  stdout: OutputStream;
  stderr: OutputStream;
  env: Readonly<Record<string, string | undefined>>;
  /** Of the package. */
  version: string;
  /** Resolves when the process is asked to end; from then on the command must end it. */
  untilStopped(): Promise<void>;
}
