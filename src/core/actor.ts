/** Who changes a memory, as the program knows it; the model has no part in it. */
export interface MemoryActor {
  userId?: string;
  threadId?: string;
  runId?: string;
  checkpointId?: string;
  toolCallId?: string;
  /** The node of the graph. */
  node?: string;
  agent?: string;
  client?: string;
}
