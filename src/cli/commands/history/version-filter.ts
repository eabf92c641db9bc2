import { Option } from "commander";
import type { VersionFilter, VersionOperation } from "../../../core/history/history.js";
import { actorField, maxActorChars, type MemoryActor } from "../../../core/values/actor.js";
import { anyNumber, numberOption } from "../../command.js";
import { pickDefined } from "../../collections.js";
import { usageError } from "../../errors.js";
import { parseTime } from "./parse-time.js";

export interface FilterOptions {
  path?: string;
  byUser?: string;
  byThread?: string;
  byRun?: string;
  byToolCall?: string;
  byAgent?: string;
  byClient?: string;
  operation?: VersionOperation;
  since?: Date;
  until?: Date;
  limit?: number;
}

const operations: readonly VersionOperation[] = ["created", "modified", "deleted", "renamed"];

/** `--user` and `--thread` name the memory. The options that begin with `--by` name who made a version. */
export const filterOptions: readonly Option[] = [
  new Option("--by-user <id>", "only versions that this user made"),
  new Option("--by-thread <id>", "only versions that were made in this thread"),
  new Option("--by-run <id>", "only versions that this run made"),
  new Option("--by-tool-call <id>", "only versions that this tool call made"),
  new Option("--by-agent <name>", "only versions that this agent made"),
  new Option("--by-client <name>", "only versions that were made through this program, such as an MCP client"),
  new Option("--operation <name>", "only versions of this kind").choices(operations),
  // A filter excludes its own times `after` and `before`, so they are moved by one millisecond.
  new Option(
    "--since <time>",
    "only versions from then on, such as 2026-01-31, 2026-01-31T12:00:00Z, or 30d for the last 30 days (also w, h, m " +
      "and s); UTC, unless the time names a zone",
  ).argParser((given: string) => new Date(parseTime("--since", given, Date.now()).firstMs - 1)),
  new Option("--until <time>", "only versions up to then; a day includes all of it").argParser(
    (given: string) => new Date(parseTime("--until", given, Date.now()).lastMs + 1),
  ),
  numberOption(
    "-n, --limit <versions>",
    "at most this many (default: all)",
    [1, anyNumber],
    "is not a number of versions; pass one from 1",
  ),
];

/** @throws CommandError EUSAGE */
export function createFilter(options: FilterOptions): VersionFilter {
  const { path, byUser, byThread, byRun, byToolCall, byAgent, byClient, operation, since, until, limit } = options;
  const actor: MemoryActor = pickDefined({
    userId: byUser,
    threadId: byThread,
    runId: byRun,
    toolCallId: byToolCall,
    agent: byAgent,
    client: byClient,
  });
  checkActor(actor);
  const isFiltered = Object.keys(actor).length > 0;
  return pickDefined({ path, actor: isFiltered ? actor : undefined, operation, after: since, before: until, limit });
}

/** @throws CommandError EUSAGE */
export function checkActor(actor: MemoryActor): void {
  if (actorField.safeParse(actor).success) return;
  throw usageError(
    `the ids and names of who made a version have 1 to ${maxActorChars} characters; \`log --json\` shows them`,
  );
}
