import { z } from "zod";

/** The author of changes of a memory. The run or the program sets these fields; a model cannot. */
export interface MemoryActor {
  userId?: string;
  threadId?: string;
  runId?: string;
  checkpointId?: string;
  toolCallId?: string;
  /** The node of the graph. */
  node?: string;
  agent?: string;
  /** The name of the program. A client of MCP has `mcp ` before the name that it gives itself. */
  client?: string;
}

/** The sources of a text by a program such as `learn`, as its version keeps them. The program sets them. */
export interface VersionOrigin {
  /** `version:` and `message:` with ids. */
  sources: string[];
  /** The lowest trust of the sources, by who wrote them. */
  trust: "unknown" | "agent" | "person";
}

/** Returns what a version keeps of an origin. The reason and the model stay with the proposal. */
export function pickVersionOrigin({ sources, trust }: VersionOrigin): VersionOrigin {
  return { sources, trust };
}

/** Why a program proposes a change. With `learn` a model writes the reason, and only the reason. */
export interface ChangeOrigin extends VersionOrigin {
  reason: string;
  /** The model that was asked. */
  model: string;
}

/** The later fields win. Null if nobody is named. */
export function mergeActors(actor: MemoryActor | null, later: MemoryActor | null): MemoryActor | null {
  return actor === null ? later : { ...actor, ...later };
}

export const maxActorChars = 512;

/** The first word of the clients by which people use this package: its page and its command line. */
export const ownClient = "langgraph-mongo-memory";

/** Stands before the name that a client of MCP gives itself, so that no model passes for a program of people. */
export const mcpClientPrefix = "mcp ";

const detail = z
  .string()
  .min(1)
  .max(maxActorChars)
  .refine((text) => text.isWellFormed(), "must be well-formed Unicode")
  .optional();

/** Schema of an option `actor`. */
export const actorField = z.strictObject({
  userId: detail,
  threadId: detail,
  runId: detail,
  checkpointId: detail,
  toolCallId: detail,
  node: detail,
  agent: detail,
  client: detail,
} satisfies Record<keyof MemoryActor, unknown>);

export const actorFields = actorField.keyof().options;

/** The fields that are not ids. Programs and clients choose them freely. */
export const nameFields = ["node", "agent", "client"] as const satisfies readonly (keyof MemoryActor)[];
