import type { CliContext } from "../context.js";

/** Prints a sentence that is no fault on the standard error, as JSON where that was asked for. */
export function noteOn({ err }: CliContext, { json = false }: { json?: boolean }): (sentence: string) => Promise<void> {
  return (sentence) =>
    json ? err.json({ note: sentence }) : err.line(`${err.style("yellow", "note:")} ${err.foreign(sentence)}`);
}
