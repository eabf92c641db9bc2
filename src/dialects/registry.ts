import { z } from "zod";
import { getField } from "../core/values/unknown-values.js";
import { createClaudeDialect } from "./claude/claude-dialect.js";
import { type AdaptedTool, adaptTool, type Dialect, type KnownMemory } from "./dialect.js";
import { createJournalDialect } from "./journal/journal-dialect.js";
import { createRecordsDialect } from "./records/records-dialect.js";
import type { ClaudeDialectOptions } from "./claude/options.js";
import type { JournalOptions } from "./journal/options.js";
import type { RecordToolsOptions } from "./records/options.js";
import { allMemoryCommands, type UnifiedDialectOptions } from "./unified/options.js";
import { createUnifiedDialect } from "./unified/unified-dialect.js";

/** All dialects of the package. No other module lists them. */
export const dialects = {
  unified: createUnifiedDialect,
  claude: createClaudeDialect,
  journal: createJournalDialect,
  records: createRecordsDialect,
} satisfies Record<string, () => Dialect>;

/** The options with which each dialect has its search. The journal always has one. */
const searchOptions = {
  unified: { commands: [...allMemoryCommands] },
  claude: { search: true },
  journal: {},
  records: { search: true },
} satisfies Record<DialectName, object>;

/**
 * The name of a dialect of this package.
 * @useDeclaredType
 */
export type DialectName = keyof typeof dialects;

/**
 * A dialect of this package with options: `{ name: "claude", ifExists: "replace" }`.
 * @useDeclaredType
 */
export type DialectWithOptions<Run = object> =
  | ({ name: "unified" } & UnifiedDialectOptions)
  | ({ name: "claude" } & ClaudeDialectOptions)
  | ({ name: "journal" } & JournalOptions<Run>)
  | ({ name: "records" } & RecordToolsOptions);

/**
 * How an option names a dialect: by its name, by its name with options, or as a dialect of the program's own.
 * @useDeclaredType
 */
export type ChosenDialect<Run = object> = DialectName | DialectWithOptions<Run> | Dialect;

/** The names in the order in which users see them. */
export const dialectNames = Object.keys(dialects).filter(isDialectName);

export function isDialectName(value: unknown): value is DialectName {
  return typeof value === "string" && Object.hasOwn(dialects, value);
}

/** The schema of an option that names a dialect, or gives one. */
export const dialectField = z.custom<ChosenDialect>(
  (value) => isDialectName(value) || isDialectName(getField(value, "name")) || isDialect(value),
  `must be one of ${dialectNames.join(", ")}, { name, ...options }, or a Dialect`,
);

function isDialect(value: unknown): value is Dialect {
  return typeof getField(value, "name") === "string" && Array.isArray(getField(value, "tools"));
}

/**
 * Creates a dialect.
 * @param options `search`: whether it includes its search, if it is given by name. Default: false
 * @throws TypeError for bad options
 */
export function createDialect<Run>(given: ChosenDialect<Run>, { search = false }: { search?: boolean } = {}): Dialect {
  if (isDialect(given)) return given;
  const { name, ...options } = typeof given === "string" ? { name: given } : given;
  // The checks of each dialect refuse the options of others.
  const create: (options: object) => Dialect = dialects[name];
  return create({ ...(search && searchOptions[name]), ...options });
}

/** Two dialects have a tool of the same name. */
export class SharedToolError extends TypeError {
  /** The error without the advice. */
  readonly reason: string;

  constructor(tool: string, [one, other]: readonly [string, string]) {
    const reason = `the dialects ${one} and ${other} both have a tool called ${tool}`;
    super(`${reason}; leave one of them out, or give one another name: { name: "unified", toolName }`);
    this.reason = reason;
  }
}

/**
 * Returns the tools of all dialects by name, with the descriptions for a memory.
 *
 * @param known default: nothing
 * @param options as in `createDialect`
 * @throws TypeError for bad options
 * @throws SharedToolError if two tools have the same name: a model could call only one of them
 */
export function toolsByName<Run>(
  given: readonly ChosenDialect<Run>[],
  known: KnownMemory = {},
  options: { search?: boolean } = {},
): Map<string, AdaptedTool> {
  const tools = new Map<string, AdaptedTool>();
  const owners = new Map<string, string>();
  for (const each of given) {
    const dialect = createDialect(each, options);
    for (const tool of dialect.tools) {
      const owner = owners.get(tool.name);
      if (owner !== undefined) throw new SharedToolError(tool.name, [owner, dialect.name]);
      owners.set(tool.name, dialect.name);
      tools.set(tool.name, adaptTool(tool, known));
    }
  }
  return tools;
}
