import { z } from "zod";
import { checkOptions } from "../core/settings/check-options.js";
import { memoryToolFields, type MemoryToolArguments, type UnifiedToolOptions } from "../dialects/unified/options.js";
import { unifiedTool } from "../dialects/unified/unified-dialect.js";
import { DialectTool } from "./dialect-tool.js";
import type { MemorySource } from "./memory-source.js";

/** The memory of the tool, and the tool's name, description and commands. */
export interface MemoryToolOptions extends UnifiedToolOptions {
  /** The source of the tool's memory. Without it, every call answers ENOTMEM until `setMemorySource`. */
  memory?: MemorySource;
}

const optionsSchema = z.strictObject({ ...memoryToolFields, memory: z.unknown().optional() });

/**
 * The unified memory tool: one tool with the commands read, list, append, update and delete.
 *
 * The tool answers any call with one JSON string, `{ command, path, ok, result }` or `{ command, path, ok, error: {
 * message, code } }`. It throws only an interrupt or an abort. The thread of a `perThread` memory is the run's
 * `configurable.thread_id`, never an argument.
 */
export class MemoryTool extends DialectTool<MemoryToolArguments> {
  /** The name under which LangChain serializes the tool. */
  static override lc_name(): string {
    return "MemoryTool";
  }

  /** @throws TypeError for bad options */
  constructor(options: MemoryToolOptions = {}) {
    checkOptions("MemoryToolOptions", optionsSchema, options);
    super(unifiedTool(options), options.memory);
  }
}
