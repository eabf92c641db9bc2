import { z } from "zod";
import { checkOptions } from "../../core/options.js";
import { DialectTool } from "../dialect-tool.js";
import type { MemorySource } from "../memory-source.js";
import { type MemoryCommand, unifiedTool } from "./definition.js";

/** What the model is told of the tool, and the memory behind it. */
export interface MemoryToolOptions {
  /** Where the tool finds its memory; without one every call answers ENOTMEM until `setMemorySource`. */
  memory?: MemorySource;
  /** What the model calls the tool. @default "memory" */
  name?: string;
  /** What the model reads about the tool. @default a description of the allowed commands */
  description?: string;
  /** For people, in user interfaces; kept in `metadata.title`. */
  title?: string;
  /** The commands the model is offered; others answer EACCES. @default all five */
  commands?: MemoryCommand[];
}

/** The fields of MemoryToolOptions but the memory, for other ways to configure the tool. */
export const memoryToolFields = {
  // The rule of OpenAI, the narrowest of the providers.
  name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, "must be 1 to 64 letters, digits, _ or -").optional(),
  description: z.string().min(1).optional(),
  title: z.string().min(1).optional(),
  commands: z.array(z.enum(["read", "list", "append", "update", "delete"])).min(1).optional(),
};

const optionsSchema = z.object({ memory: z.unknown().optional(), ...memoryToolFields }).strict();

/**
 * The unified memory tool: one tool with the commands read, list, append, update and delete.
 *
 * Answers one JSON string, `{ command, path, ok, result }` or `{ command, path, ok, error: { message, code } }`, to
 * whatever it is called with; it throws only to pass on an interrupt or an abort. The thread of a `perThread` memory is
 * the run's `configurable.thread_id`, never an argument.
 */
export class MemoryTool extends DialectTool {
  /** The name by which LangChain serialises it. */
  static override lc_name(): string {
    return "MemoryTool";
  }

  /** @throws TypeError for bad options */
  constructor(options: MemoryToolOptions = {}) {
    checkOptions("MemoryToolOptions", optionsSchema, options);
    super(unifiedTool(options), options.memory);
  }
}
