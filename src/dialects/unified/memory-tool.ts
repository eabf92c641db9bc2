import { DialectTool } from "../dialect-tool.js";
import { checkMemoryToolOptions, type MemoryToolArguments, type MemoryToolOptions } from "./options.js";
import { unifiedTool } from "./unified-dialect.js";

/**
 * The unified memory tool: one tool with the commands read, list, append, update and delete.
 *
 * Answers one JSON string, `{ command, path, ok, result }` or `{ command, path, ok, error: { message, code } }`, to
 * whatever it is called with; it throws only to pass on an interrupt or an abort. The thread of a `perThread` memory is
 * the run's `configurable.thread_id`, never an argument.
 */
export class MemoryTool extends DialectTool<MemoryToolArguments> {
  /** The name by which LangChain serialises it. */
  static override lc_name(): string {
    return "MemoryTool";
  }

  /** @throws TypeError for bad options */
  constructor(options: MemoryToolOptions = {}) {
    checkMemoryToolOptions(options);
    super(unifiedTool(options), options.memory);
  }
}
