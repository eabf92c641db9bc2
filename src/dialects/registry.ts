import { claudeDialect } from "./claude/claude-dialect.js";
import type { Dialect } from "./dialect.js";
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

/** The same dialects, each with its search. */
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
