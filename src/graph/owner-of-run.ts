import { isGraphBubbleUp } from "@langchain/langgraph";
import type { OwnerField } from "../core/values/address.js";
import { MemoryError } from "../core/values/errors.js";
import { withinTime } from "../core/runtime/call.js";
import type { MemoryRun } from "../langchain/memory-run.js";

/** Finds the thread or the user of a run. If the function returns undefined, the run's own ids decide. */
export type OwnerOfRun = (run: MemoryRun) => string | undefined | Promise<string | undefined>;

/** A function of a node that finds an owner. */
export interface OwnerFunction {
  nodeId: string;
  field: OwnerField;
  find: OwnerOfRun;
  timeoutMs: number;
}

/**
 * Calls the function of a node. It may return any value. The check of the address refuses values that are not ids.
 * @throws MemoryError EINVAL if the function throws, EIO if it does not answer in time
 */
export async function findOwner(run: MemoryRun, { nodeId, field, find, timeoutMs }: OwnerFunction): Promise<unknown> {
  const { signal } = run.config;
  try {
    const owner = await withinTime({ signals: signal ? [signal] : [], timeoutMs }, "read", async () => find(run));
    return owner === undefined ? run[field] : owner;
  } catch (cause) {
    if (MemoryError.isInstance(cause) || isGraphBubbleUp(cause) || signal?.aborted === true) throw cause;
    throw new MemoryError("EINVAL", `EINVAL: the function ${field} of node ${nodeId} failed`, { cause });
  }
}
