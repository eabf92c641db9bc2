import { claudeDialect } from "./claude/claude-dialect.js";
import type { Dialect } from "./dialect.js";
import { journalDialect } from "./journal/journal-dialect.js";
import { recordsDialect } from "./records/records-dialect.js";
import { allMemoryCommands } from "./unified/options.js";
import { unifiedDialect } from "./unified/unified-dialect.js";

/** Every dialect of the package, made with its default options: the one place that lists them. */
export const dialects = {
  unified: unifiedDialect,
  claude: claudeDialect,
  journal: journalDialect,
  records: recordsDialect,
} satisfies Record<string, () => Dialect>;

/** The same, each with its search. */
export const searchingDialects: Record<DialectName, () => Dialect> = {
  unified: () => unifiedDialect({ commands: [...allMemoryCommands] }),
  claude: () => claudeDialect({ search: true }),
  journal: journalDialect,
  records: () => recordsDialect({ search: true }),
};

/**
 * A dialect of this package, with its default options.
 * @useDeclaredType
 */
export type DialectName = keyof typeof dialects;

/** In the order in which users are told of them. */
export const dialectNames = Object.keys(dialects).filter(isDialectName);

export function isDialectName(value: unknown): value is DialectName {
  return typeof value === "string" && Object.hasOwn(dialects, value);
}
