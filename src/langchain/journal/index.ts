import type { StructuredTool } from "@langchain/core/tools";
import { DialectTool } from "../dialect-tool.js";
import { journalDialect } from "../../dialects/journal/journal-dialect.js";
import type { JournalToolsOptions } from "../../dialects/journal/options.js";
import { checkMemorySource, type MemorySource } from "../memory-source.js";

export type { JournalToolsOptions } from "../../dialects/journal/options.js";

/**
 * The tools memory_write, memory_update, memory_read and memory_search as agentool has them: named notes in `MEMORY.md`
 * and in a Markdown file for each day. Each answers one JSON string, `{"data":…,"success":true}` or
 * `{"success":false,"error":{"code","message"}}`, to whatever it is called with; it throws only to pass on an interrupt
 * or an abort.
 *
 * @param memory as of `MemoryTool`; names are created by the rule `posix`, whatever the memory's own is.
 * @throws TypeError for bad options, or what is no memory
 */
export function createJournalTools(memory: MemorySource, options?: JournalToolsOptions): StructuredTool[] {
  checkMemorySource(memory);
  return journalDialect(options).tools.map((definition) => new DialectTool(definition, memory));
}
