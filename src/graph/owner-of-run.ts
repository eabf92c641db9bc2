import { isGraphBubbleUp } from "@langchain/langgraph";
import { type MemoryScope, type OwnerField, ownerFields } from "../core/values/address.js";
import { MemoryError } from "../core/values/errors.js";
import { withinTime } from "../core/runtime/call.js";
import { type MemoryRun, getRunSignal } from "../langchain/memory-run.js";

/** Finds the thread or the user of a run. If the function returns undefined, the run's own ids decide. */
export type OwnerOfRun = (run: MemoryRun) => string | undefined | Promise<string | undefined>;

/** Finds the owner of the memory that a run uses. */
export class RunOwners {
  readonly #nodeId: string;
  readonly #timeoutMs: number;
  readonly #functions: Record<OwnerField, OwnerOfRun | undefined>;

  constructor(nodeId: string, timeoutMs: number, functions: Record<OwnerField, OwnerOfRun | undefined>) {
    this.#nodeId = nodeId;
    this.#timeoutMs = timeoutMs;
    this.#functions = functions;
  }

  /**
   * May return any value. The check of the address refuses values that are not ids.
   * @throws MemoryError EINVAL if the function for the id throws, EIO if it does not answer in time
   */
  async findOwner(run: MemoryRun, scope: MemoryScope): Promise<unknown> {
    const field = ownerFields[scope];
    if (field === null) return undefined;
    const choose = this.#functions[field];
    if (choose === undefined) return run[field];
    const signal = getRunSignal(run);
    try {
      const waiting = { signals: signal ? [signal] : [], timeoutMs: this.#timeoutMs };
      const owner = await withinTime(waiting, "read", async () => choose(run));
      return owner === undefined ? run[field] : owner;
    } catch (cause) {
      if (MemoryError.isInstance(cause) || isGraphBubbleUp(cause) || signal?.aborted === true) throw cause;
      throw new MemoryError("EINVAL", `EINVAL: the function ${field} of node ${this.#nodeId} failed`, { cause });
    }
  }
}
