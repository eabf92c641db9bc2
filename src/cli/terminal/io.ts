export interface OutputStream extends NodeJS.WritableStream {
  isTTY?: boolean;
  columns?: number;
}

/** A program in which people read a long output. */
export interface Pager {
  stream: OutputStream;
  /** Ends its input; resolves when its reader has left it, to what it exited with. */
  close(): Promise<number>;
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
  /**
   * Shows what is written to it on the terminal. Null where there is no such program. @param command of the shell; null
   * for `less`
   */
  openPager(command: string | null): Promise<Pager | null>;
  /** Asks the desktop to open an address; where there is none, nothing happens. */
  openBrowser(url: string): Promise<void>;
  /** Resolves when the process is asked to end; the command must then end it, or it is ended a few seconds later. */
  untilStopped(): Promise<void>;
}
