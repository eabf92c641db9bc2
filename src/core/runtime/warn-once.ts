const warned = new Set<string>();

/** Most warnings of a process. Reason: a program may name a node for each of its customers. */
const maxWarnings = 100;

/**
 * Warns once in a process about what would repeat in every run, such as a mistake of the program.
 * @param about the kind of mistake
 */
export function warnOnce(
  about:
    | "owner"
    | "question"
    | "store"
    | "timeZone"
    | `embeddings of ${string}`
    | `history of ${string}`
    | `model of ${string}`
    | `scope of ${string}`
    | `storage of ${string}`,
  message: string,
): void {
  if (warned.has(about) || warned.size >= maxWarnings) return;
  warned.add(about);
  globalThis.process?.emitWarning?.(message, { type: "MemoryWarning" });
}
