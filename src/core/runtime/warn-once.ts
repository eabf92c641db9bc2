const warned = new Set<string>();

/**
 * Warns once in a process about a mistake of the program, because it would repeat in every run.
 * @param about the kind of mistake
 */
export function warnOnce(about: "owner" | "question" | "store" | "timeZone", message: string): void {
  if (warned.has(about)) return;
  warned.add(about);
  globalThis.process?.emitWarning?.(message, { type: "MemoryWarning" });
}
