import type { StructuredTool } from "@langchain/core/tools";
import { DialectTool } from "../dialect-tool.js";
import { checkMemorySource, type MemorySource } from "../memory-source.js";
import type { RecordToolsOptions } from "./options.js";
import { recordsDialect } from "./records-dialect.js";

export type { RecordToolsOptions } from "./options.js";

/**
 * The tools add_memory, replace_memory, drop_memory and clear_memory as Dominds documents them: a record is a file of the
 * memory, its path without the leading `/`. Each answers one plain YAML mapping, `status: ok` and its fields or
 * `status: error`, `error_code`, `message`, to whatever it is called with; it throws only to pass on an interrupt or an
 * abort. Each call is one atomic command: of concurrent `add_memory` on one path one succeeds.
 *
 * @param memory as of `MemoryTool`; records are named by a rule of their own, whatever the memory's is.
 * @throws TypeError for bad options, or what is no memory
 */
export function createRecordTools(memory: MemorySource, options?: RecordToolsOptions): StructuredTool[] {
  checkMemorySource(memory);
  return recordsDialect(options).tools.map((definition) => new DialectTool(definition, memory));
}
