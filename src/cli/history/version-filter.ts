import { type Command, Option } from "commander";
import { actorField, maxActorChars, type MemoryActor } from "../../core/values/actor.js";
import type { VersionFilter, VersionOperation } from "../../core/history/history.js";
import { usageFault } from "../fault.js";

export interface FilterOptions {
  byUser?: string;
  byThread?: string;
  byRun?: string;
  byToolCall?: string;
  byAgent?: string;
  byClient?: string;
  operation?: VersionOperation;
  since?: string;
  until?: string;
  limit?: string;
}

const operations: readonly VersionOperation[] = ["created", "modified", "deleted", "renamed"];

/** `--user` and `--thread` name the memory; who made a version is named by what begins with `--by`. */
export function addFilterOptions(command: Command): Command {
  return command
    .option("--by-user <id>", "only versions that this user made")
    .option("--by-thread <id>", "only versions that were made in this thread")
    .option("--by-run <id>", "only versions that this run made")
    .option("--by-tool-call <id>", "only versions that this tool call made")
    .option("--by-agent <name>", "only versions that this agent made")
    .option("--by-client <name>", "only versions that were made through this program, such as an MCP client")
    .addOption(new Option("--operation <name>", "only versions of this kind").choices(operations))
    .option(
      "--since <time>",
      "only versions from then on, such as 2026-01-31 or 2026-01-31T12:00:00Z; UTC, unless the time names a zone",
    )
    .option("--until <time>", "only versions up to then; a date includes that day")
    .option("-n, --limit <versions>", "at most this many (default: all)");
}

/** @throws CommandFault EUSAGE */
export function versionFilter(path: string | undefined, options: FilterOptions): VersionFilter {
  const { byUser, byThread, byRun, byToolCall, byAgent, byClient, operation, since, until, limit } = options;
  const actor: Partial<MemoryActor> = {
    ...(byUser !== undefined && { userId: byUser }),
    ...(byThread !== undefined && { threadId: byThread }),
    ...(byRun !== undefined && { runId: byRun }),
    ...(byToolCall !== undefined && { toolCallId: byToolCall }),
    ...(byAgent !== undefined && { agent: byAgent }),
    ...(byClient !== undefined && { client: byClient }),
  };
  checkActor(actor);
  return {
    ...(path !== undefined && { path }),
    ...(Object.keys(actor).length > 0 && { actor }),
    ...(operation !== undefined && { operation }),
    // The times of a filter are not among those that it finds.
    ...(since !== undefined && { after: new Date(timesOf("--since", since).first - 1) }),
    ...(until !== undefined && { before: new Date(timesOf("--until", until).last + 1) }),
    ...(limit !== undefined && { limit: parseLimit(limit) }),
  };
}

/** @throws CommandFault EUSAGE */
export function checkActor(actor: Partial<MemoryActor>): void {
  if (actorField.safeParse(actor).success) return;
  throw usageFault(
    `the ids and names of who made a version have 1 to ${maxActorChars} characters; \`log --json\` shows them`,
  );
}

const dayMs = 86_400_000;
const timePattern = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)?)?$/;

/** What a time covers, in milliseconds. @throws CommandFault EUSAGE */
function timesOf(flag: string, given: string): { first: number; last: number } {
  const [match, time, zone] = timePattern.exec(given) ?? [];
  const first = match === undefined ? NaN : Date.parse(time === undefined || zone !== undefined ? given : `${given}Z`);
  if (Number.isNaN(first))
    throw usageFault(`${flag} ${given} is no time; pass one such as 2026-01-31 or 2026-01-31T12:00:00Z`);
  return { first, last: time === undefined ? first + dayMs - 1 : first };
}

/** @throws CommandFault EUSAGE */
function parseLimit(given: string): number {
  if (!/^[1-9]\d{0,8}$/.test(given)) throw usageFault(`--limit ${given} is not a number of versions; pass one from 1`);
  return Number(given);
}
