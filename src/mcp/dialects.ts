import { z } from "zod";
import { checkOptions } from "../core/options.js";
import { claudeTool } from "../dialects/claude/definition.js";
import { checkClaudeOptions, type ClaudeMemoryOptions } from "../dialects/claude/options.js";
import type { Dialect, ToolDefinition } from "../dialects/dialect.js";
import { journalDialect as journalTools } from "../dialects/journal/definitions.js";
import { checkJournalOptions, type JournalToolsOptions } from "../dialects/journal/options.js";
import { memoryToolFields, type MemoryToolOptions } from "../dialects/unified/memory-tool.js";
import { recordsDialect } from "../dialects/records/definitions.js";
import { unifiedTool } from "../dialects/unified/definition.js";
import type { DialectName } from "./options.js";

const unifiedSchema = z.object(memoryToolFields).strict();

/**
 * The dialect `unified` with options of its own: `unifiedDialect({ commands: ["read", "list"] })` cannot change a memory.
 *
 * @throws TypeError for bad options
 */
export function unifiedDialect(options: Omit<MemoryToolOptions, "memory"> = {}): Dialect {
  checkOptions("MemoryToolOptions", unifiedSchema, options);
  return { name: "unified", tools: [unifiedTool(options)] };
}

/** The dialect `claude` with options of its own. @throws TypeError for bad options */
export function claudeDialect(options?: ClaudeMemoryOptions): Dialect {
  return { name: "claude", tools: [claudeTool(checkClaudeOptions(options))] };
}

/** The dialect `journal` with options of its own. @throws TypeError for bad options */
export function journalDialect(options: JournalToolsOptions = {}): Dialect {
  checkJournalOptions(options);
  return journalTools(options);
}

const dialectsByName: Record<DialectName, () => Dialect> = {
  unified: unifiedDialect,
  claude: claudeDialect,
  journal: journalDialect,
  records: recordsDialect,
};

/**
 * The tools of all the dialects by their names.
 *
 * @throws TypeError where two of them share a name: a client could call only one of the two
 */
export function toolsOf(dialects: readonly (DialectName | Dialect)[]): Map<string, ToolDefinition> {
  const tools = new Map<string, ToolDefinition>();
  const owners = new Map<string, string>();
  for (const given of dialects) {
    const dialect = typeof given === "string" ? dialectsByName[given]() : given;
    for (const tool of dialect.tools) {
      const owner = owners.get(tool.name);
      if (owner !== undefined) {
        throw new TypeError(
          `the dialects ${owner} and ${dialect.name} both have a tool called ${tool.name}; serve them from two servers, ` +
            "or one under another name: unifiedDialect({ name })",
        );
      }
      owners.set(tool.name, dialect.name);
      tools.set(tool.name, tool);
    }
  }
  return tools;
}
