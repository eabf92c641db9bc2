import fc from "fast-check";

const maxInputChars = 3000;
const maxFindings = 50;

/** What must not be, with the command that shows it again. */
export class Findings {
  readonly lines: string[] = [];
  readonly #known = new Set<string>();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** @param again a command line. @param input the smallest that was found; missing where none is to blame */
  add(target: string, again: string, error: unknown, input?: unknown): void {
    this.#count += 1;
    const text = stackOf(error);
    // Digits and ids are of the single case.
    const kind = `${target} ${
      text
        .split("\n", 1)[0]
        ?.replaceAll(/[0-9a-f-]{8,}|\d+/g, "#")
        .slice(0, 120) ?? ""
    }`;
    if (this.#known.has(kind) || this.lines.length >= maxFindings) return;
    this.#known.add(kind);
    const cause = error instanceof Error && error.cause !== undefined ? `\n  cause: ${stackOf(error.cause)}` : "";
    const shown = input === undefined ? "" : `\n  input: ${shownInput(input)}`;
    const line = `FINDING in ${target}: ${text.slice(0, 2000)}${cause}${shown}\n  again: ${again}`;
    this.lines.push(line);
    console.error(line);
  }

  /** What the process itself notices: nobody waited for it. */
  watchProcess(): void {
    process.on("unhandledRejection", (reason) =>
      this.add(
        "process",
        "(the cases under way)",
        new Error("unhandled rejection", { cause: reason }),
        stackOf(reason),
      ),
    );
    process.on("uncaughtException", (error) =>
      this.add("process", "(the cases under way)", new Error("uncaught exception", { cause: error }), stackOf(error)),
    );
    process.on("warning", (warning) => {
      if (!/^(?:MemoryWarning|ExperimentalWarning|DeprecationWarning)$/.test(warning.name))
        this.add("process", "(the cases under way)", warning);
    });
  }
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : shownInput(error);
}

function shownInput(input: unknown): string {
  try {
    const text = fc.stringify(input);
    return text.length > maxInputChars ? `${text.slice(0, maxInputChars)}… (${text.length} characters)` : text;
  } catch {
    return "(an input that cannot be shown)";
  }
}
