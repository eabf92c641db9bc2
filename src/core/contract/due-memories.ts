import type { CheckedAddress, MemoryScope } from "../values/address.js";

/** A symbol, so that editors do not offer it as a member of a store. */
export const dueMemories: unique symbol = Symbol.for("langgraph-mongo-memory.dueMemories");

/** Which memories of a node a background program should work on. */
export interface DueQuery {
  nodeId: string;
  scope: MemoryScope;
  /** The least number of changes since the last good run. */
  changes: number;
  /** The least time since the last good run. */
  intervalMs: number;
  limit: number;
}

/** A memory with changes that no good run has seen. */
export interface DueMemory {
  address: CheckedAddress;
  changes: number;
  learntAt: Date;
}

/** The memories of a store that wait for a background program. */
export interface DueMemories {
  /** Counts the changes of a memory from the first time that this finds its node. @throws MemoryError EIO */
  find(query: DueQuery): Promise<DueMemory[]>;
  /** Notes that a run has ended, unless another process did so first. @throws MemoryError EIO */
  settle(memory: DueMemory, run: EndedRun): Promise<void>;
}

/** A run on a due memory that has ended. */
export interface EndedRun {
  /** The number of changes that the run has seen. */
  changes: number;
  /** The time since the run. A larger number makes the memory due earlier. */
  agoMs: number;
}
