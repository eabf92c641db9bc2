import type { StructuredTool } from "@langchain/core/tools";
import { DialectTool } from "../dialect-tool.js";
import { checkMemorySource, type MemorySource } from "../memory-source.js";
import type { RecordToolsOptions } from "../../dialects/records/options.js";
import { createRecordsDialect } from "../../dialects/records/records-dialect.js";

export type { RecordToolsOptions } from "../../dialects/records/options.js";

/**
 * Creates Dominds's tools add_memory, replace_memory, drop_memory and clear_memory. A record is a file of the memory.
 * Its path has no leading `/`.
 *
 * Each tool answers any call with one plain YAML mapping: `status: ok` and its fields, or `status: error`, `error_code`
 * and `message`. It throws only an interrupt or an abort. Each call is one atomic command. If several calls of
 * `add_memory` use one path at once, one of them succeeds.
 *
 * @param memory as in `MemoryTool`. Records have their own rule for names, whatever the rule of the memory is.
 * @throws TypeError for bad options, or if `memory` is not a memory
 */
export function createRecordTools(memory: MemorySource, options?: RecordToolsOptions): StructuredTool[] {
  checkMemorySource(memory);
  return createRecordsDialect(options).tools.map((definition) => new DialectTool(definition, memory));
}
