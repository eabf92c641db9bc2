import { Option } from "commander";
import type { MemoryVersion } from "../../../core/history/history.js";
import type { MemoryActor } from "../../../core/values/actor.js";
import { pickDefined } from "../../collections.js";
import { readOptions } from "../../targets/target-options.js";
import type { Output } from "../../terminal/output.js";
import { printEach } from "../../terminal/print-each.js";
import { historyCommand } from "./history-command.js";
import { createFilter, filterOptions, type FilterOptions } from "./version-filter.js";
import { formatChange, formatVersion } from "./version-text.js";

export const log = historyCommand<FilterOptions & { runs?: boolean }>({
  usage: "log [path]",
  description:
    "List the versions of a memory, a directory or a file, newest first. Shows a file under its earlier names too. " +
    "With --json, it prints an object for each version.",
  examples: [
    "log --node assistant",
    "log /notes/today --node assistant --limit 10",
    "log --by-run 1f0c --node assistant --user ada --json",
    "log --since 2d --node assistant",
  ],
  options: [
    new Option("--runs", "group versions in a row by run: who, when, and the id that `revert --run` takes"),
    ...filterOptions,
    ...readOptions,
  ],
  access: "read",
  check: (input) => void createFilter(input),
  run: async ({ history }, input, context) => {
    const versions = history.list(createFilter(input));
    const format = input.runs === true ? createRunFormat() : formatVersion;
    await printEach(context, input.json, versions, format, "no version was found");
    return undefined;
  },
});

/** Prints a line about the run above the first of its versions. */
function createRunFormat(): (version: MemoryVersion, out: Output) => string {
  let last: string | undefined;
  return (version, out) => {
    const { actor, at } = version;
    const run = formatRun(actor);
    const isSame = run === last;
    last = run;
    const line = `  ${out.style("yellow", version.id.padEnd(5))}  ${at.toISOString()}  ${formatChange(version, out)}`;
    return isSame ? line : `${out.style("bold", out.foreign(run))}\n${line}`;
  };
}

/** Names the user, the agent and the thread, and the run that can be undone. */
function formatRun(actor: MemoryActor | null): string {
  const { userId, agent, threadId, runId, client } = actor ?? {};
  const facts = pickDefined({ user: userId, agent, thread: threadId, client, run: runId });
  return (
    Object.entries(facts)
      .map(([label, fact]) => `${label} ${fact}`)
      .join(", ") || "a program without a name"
  );
}
