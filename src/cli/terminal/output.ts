import { styleText } from "node:util";
import type { CliIo, OutputStream } from "./io.js";
import { visible, visibleJson } from "../../core/display/visible.js";

/** The reader of a pipe has closed it, as `head` does. This ends the command, and is not a failure. */
export class BrokenPipe extends Error {
  override readonly name = "BrokenPipe";
}

export class Output {
  readonly stream: OutputStream;
  readonly isTerminal: boolean;
  readonly #coloured: boolean;

  constructor(stream: OutputStream, env: CliIo["env"]) {
    this.stream = stream;
    this.isTerminal = stream.isTTY === true;
    const { NO_COLOR: noColor = "", TERM: terminal } = env;
    this.#coloured = this.isTerminal && noColor === "" && terminal !== "dumb";
    // Each write reports its own failure. Without a listener, the event would end the process.
    stream.on("error", () => undefined);
  }

  /** Resolves when the stream has accepted the text. @throws BrokenPipe */
  write(text: string | Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      this.stream.write(text, (error) => {
        if (error) reject(isBrokenPipe(error) ? new BrokenPipe() : error);
        else resolve();
      });
    });
  }

  line(text: string): Promise<void> {
    return this.write(`${text}\n`);
  }

  json(value: unknown): Promise<void> {
    return this.line(visibleJson(JSON.stringify(value)));
  }

  /** Prints a sentence that is not an error. */
  note(sentence: string, json: boolean): Promise<void> {
    return json
      ? this.json({ note: sentence })
      : this.line(`${this.style("yellow", "note:")} ${this.foreign(sentence)}`);
  }

  /** Makes a text from elsewhere safe for a terminal: characters that could be commands become escapes. */
  foreign(text: string): string {
    return this.isTerminal ? visible(text) : text;
  }

  /** Adds colour, only on a terminal. */
  style(style: Parameters<typeof styleText>[0], text: string): string {
    return this.#coloured ? styleText(style, text, { validateStream: false }) : text;
  }
}

const brokenPipeCodes = new Set<unknown>(["EPIPE", "ERR_STREAM_DESTROYED", "ERR_STREAM_WRITE_AFTER_END", "EOF"]);

function isBrokenPipe(error: Error & { code?: unknown }): boolean {
  return brokenPipeCodes.has(error.code);
}
