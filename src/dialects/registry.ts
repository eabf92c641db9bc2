import { z } from "zod";
import { claudeDialect } from "./claude/claude-dialect.js";
import { type AdaptedTool, adaptTool, type Dialect, type KnownMemory } from "./dialect.js";
import { journalDialect } from "./journal/journal-dialect.js";
import { recordsDialect } from "./records/records-dialect.js";
import { allMemoryCommands } from "./unified/options.js";
import { unifiedDialect } from "./unified/unified-dialect.js";

/** All dialects of the package, with their default options. No other module lists them. */
export const dialects = {
  unified: unifiedDialect,
  claude: claudeDialect,
  journal: journalDialect,
  records: recordsDialect,
} satisfies Record<string, () => Dialect>;

/** All dialects of the package, each with its search. */
export const searchingDialects: Record<DialectName, () => Dialect> = {
  unified: () => unifiedDialect({ commands: [...allMemoryCommands] }),
  claude: () => claudeDialect({ search: true }),
  journal: journalDialect,
  records: () => recordsDialect({ search: true }),
};

/**
 * The name of a dialect of this package.
 * @useDeclaredType
 */
export type DialectName = keyof typeof dialects;

/** The names in the order in which users see them. */
export const dialectNames = Object.keys(dialects).filter(isDialectName);

export function isDialectName(value: unknown): value is DialectName {
  return typeof value === "string" && Object.hasOwn(dialects, value);
}

/** The schema of an option that names a dialect, or gives one. */
export const dialectField = z.custom<DialectName | Dialect>(
  (value) => isDialect(value) || isDialectName(value),
  `must be one of ${dialectNames.join(", ")}, or a Dialect`,
);

function isDialect(value: unknown): value is Dialect {
  return (
    typeof value === "object" && value !== null && "name" in value && "tools" in value && Array.isArray(value.tools)
  );
}

/** Two dialects have a tool of the same name. */
export class SharedToolError extends TypeError {
  /** The error without the advice. */
  readonly reason: string;

  constructor(tool: string, [one, other]: readonly [string, string]) {
    const reason = `the dialects ${one} and ${other} both have a tool called ${tool}`;
    super(`${reason}; leave one of them out, or give one another name: unifiedDialect({ name })`);
    this.reason = reason;
  }
}

/**
 * Returns the tools of all dialects by name, with the descriptions for a memory.
 *
 * @param known default: nothing
 * @param options `search`: whether the dialects given by name include their search. Default: false
 * @throws SharedToolError if two tools have the same name: a model could call only one of them
 */
export function toolsByName(
  given: readonly (DialectName | Dialect)[],
  known: KnownMemory = {},
  { search = false }: { search?: boolean } = {},
): Map<string, AdaptedTool> {
  const tools = new Map<string, AdaptedTool>();
  const owners = new Map<string, string>();
  for (const each of given) {
    const dialect = typeof each === "string" ? (search ? searchingDialects : dialects)[each]() : each;
    for (const tool of dialect.tools) {
      const owner = owners.get(tool.name);
      if (owner !== undefined) throw new SharedToolError(tool.name, [owner, dialect.name]);
      owners.set(tool.name, dialect.name);
      tools.set(tool.name, adaptTool(tool, known));
    }
  }
  return tools;
}
