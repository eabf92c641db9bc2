import { warnOnce } from "../core/runtime/warn-once.js";
import type { MemoryError } from "../core/values/errors.js";

/**
 * Warns once in a process. Reason: a run without its thread or user is a mistake of the program, and would repeat in
 * every run.
 * @param which memory the run cannot use
 */
export function warnOfMissingOwner(which: string, { message }: MemoryError): void {
  warnOnce("owner", `a run cannot use ${which}: ${message}`);
}

/**
 * Warns once for each node of a process if a run names a user, but nobody has chosen the scope of the node. Reason: the
 * default shares the notes of one user with all others.
 */
export function warnOfSharedMemory(nodeId: string): void {
  warnOnce(
    `scope of ${nodeId}`,
    `a run names a user, but node ${JSON.stringify(nodeId)} has no scope, so all users share its notes; write ` +
      'scope: "perUser" to give each user a memory, or scope: "global" to share one',
  );
}
