import { z } from "zod";

/** Who changes a memory. The run or the program says so; a model cannot. */
export interface MemoryActor {
  userId?: string;
  threadId?: string;
  runId?: string;
  checkpointId?: string;
  toolCallId?: string;
  /** The node of the graph. */
  node?: string;
  agent?: string;
  /** The program, such as an MCP client by the name that it gives itself. */
  client?: string;
}

export const maxActorChars = 512;

const fact = z
  .string()
  .min(1)
  .max(maxActorChars)
  .refine((text) => text.isWellFormed(), "must be well-formed Unicode")
  .optional();

/** Of an option `actor`. */
export const actorField = z
  .object({
    userId: fact,
    threadId: fact,
    runId: fact,
    checkpointId: fact,
    toolCallId: fact,
    node: fact,
    agent: fact,
    client: fact,
  } satisfies Record<keyof MemoryActor, unknown>)
  .strict();

export const actorFields = Object.keys(actorField.shape) as (keyof MemoryActor)[];
