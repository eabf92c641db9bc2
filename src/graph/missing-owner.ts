import type { MemoryError } from "../core/values/errors.js";

let warned = false;

/**
 * Warns once in a process. Reason: a run without its thread or user is a mistake of the program, and would repeat in
 * every run.
 * @param which memory the run cannot use
 */
export function warnOfMissingOwner(which: string, { message }: MemoryError): void {
  if (warned) return;
  warned = true;
  globalThis.process?.emitWarning?.(`a run cannot use ${which}: ${message}`, { type: "MemoryWarning" });
}
