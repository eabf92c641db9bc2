import type { MemoryScope } from "../core/address.js";
import type { MemoryError } from "../core/errors.js";

let warned = false;

/** Once a process: a run without its thread or user is a mistake of the program, which every further run repeats. */
export function warnOfMissingOwner({ nodeId, scope }: { nodeId: string; scope: MemoryScope }, { message }: MemoryError): void {
  if (warned) return;
  warned = true;
  globalThis.process?.emitWarning?.(`a run cannot use the ${scope} memory of node ${JSON.stringify(nodeId)}: ${message}`, { type: "MemoryWarning" });
}
