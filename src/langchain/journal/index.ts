import type { StructuredTool } from "@langchain/core/tools";
import { DialectTool } from "../dialect-tool.js";
import { createJournalDialect } from "../../dialects/journal/journal-dialect.js";
import type { JournalOptions } from "../../dialects/journal/options.js";
import type { MemoryRun } from "../memory-run.js";
import { checkMemorySource, type MemorySource } from "../memory-source.js";

/** The clock, the days and the folder of a journal. */
export type JournalToolsOptions = JournalOptions<MemoryRun>;

/**
 * Creates agentool's tools memory_write, memory_update, memory_read and memory_search: named notes in `MEMORY.md` and
 * in one Markdown file for each day. Each tool answers any call with one JSON string, `{"data":…,"success":true}` or
 * `{"success":false,"error":{"code","message"}}`. It throws only an interrupt or an abort.
 *
 * @param memory as in `MemoryTool`. New names follow the rule `posix`, whatever the rule of the memory is.
 * @throws TypeError for bad options, or if `memory` is not a memory
 */
export function createJournalTools(memory: MemorySource, options?: JournalToolsOptions): StructuredTool[] {
  checkMemorySource(memory);
  return createJournalDialect(options).tools.map((definition) => new DialectTool(definition, memory));
}
