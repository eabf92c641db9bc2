import { Option } from "commander";
import { isPaged } from "../../../core/backend-history.js";
import type { BlamedLine, MemoryHistory, MemoryVersion } from "../../../core/history/history.js";
import type { MemoryActor } from "../../../core/values/actor.js";
import type { CheckedAddress } from "../../../core/values/address.js";
import { pickDefined } from "../../../core/settings/pick-defined.js";
import { anyNumber, numberOption } from "../../command.js";
import { formatAuthor, formatChange, formatVersion, styleDiff } from "./format.js";
import { checkActor, historyCommand } from "./history-command.js";
import { memoryOptions } from "../../targets/target-options.js";
import type { Output } from "../../terminal/output.js";
import { printEach } from "../../terminal/print-each.js";

const limitOption = numberOption(
  "-n, --limit <versions>",
  "at most this many (default: all)",
  [1, anyNumber],
  "is not a number of versions; pass one from 1",
);

export const log = historyCommand<{ path?: string; limit?: number; runs?: boolean; byRun?: string }>({
  usage: "log [path]",
  description:
    "List the versions of a memory, newest first. With a path, lists those of a directory or a file, also under its " +
    "earlier names. With --json, it prints an object for each version.",
  examples: [
    "log --node assistant",
    "log /notes/today --node assistant --limit 10",
    "log --node assistant --user ada --json",
    "log --by-run 1f0c",
  ],
  options: [
    new Option("--runs", "group versions in a row by run: who, when, and the id that `revert --run` takes"),
    new Option("--by-run <id>", "only versions of this run; without --node, those in all memories"),
    limitOption,
    ...memoryOptions,
  ],
  access: "read",
  check: ({ byRun }) => checkActor(pickDefined({ runId: byRun })),
  getRun: ({ byRun }) => byRun,
  run: async ({ history, address }, { path, limit, byRun, runs, json }, context) => {
    const actor = byRun === undefined ? undefined : { runId: byRun };
    const versions = history.list(pickDefined({ path, limit, actor }));
    const format = runs === true ? createRunFormat() : formatVersion;
    const shown = json === true && byRun !== undefined ? withAddress(versions, address) : versions;
    await printEach(context, json, shown, format, "no version was found");
    return undefined;
  },
});

async function* withAddress(
  versions: AsyncIterable<MemoryVersion>,
  address: CheckedAddress,
): AsyncGenerator<MemoryVersion & { address: CheckedAddress }> {
  for await (const version of versions) yield { address, ...version };
}

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

interface DiffInput {
  from: string;
  to?: string;
  patch?: boolean;
}

/** Reads the difference for people, or the exact one if the history has no other. */
function readDiff(history: MemoryHistory, from: string, to: string | undefined): Promise<string> {
  return isPaged(history) ? history.readableDiff(from, to) : history.diff(from, to);
}

export const diff = historyCommand<DiffInput>({
  usage: "diff <from> [to]",
  description:
    "Compare the texts of two versions. Without a second version, compare with the file now. Prints nothing if they " +
    "are equal.",
  examples: ["diff 12 --node assistant", "diff 12 17 --patch --node assistant > change.patch"],
  options: [
    new Option("--patch", "print the exact difference, which the program patch applies; --json has it too"),
    ...memoryOptions,
  ],
  access: "read",
  subject: ({ from, to }) => (to === undefined ? `version ${from}` : `versions ${from} and ${to}`),
  run: async ({ history }, { from, to, patch, json }, { out }) => {
    const isExact = patch === true || json === true;
    const text = await (isExact ? history.diff(from, to) : readDiff(history, from, to));
    return { json: { from, to: to ?? null, diff: text }, text: styleDiff(text, out) };
  },
});

export const blame = historyCommand<{ path: string }>({
  usage: "blame <path>",
  description:
    "Show who wrote each line of a file, and when. Names the version of each line. With --json, it prints an object " +
    "for each line.",
  examples: ["blame /notes/today --node assistant", "blame /notes/today --node assistant --json | grep eggs"],
  options: memoryOptions,
  access: "read",
  run: async ({ history }, { path, json }, { out }) => {
    const lines = await history.blame(path);
    if (json) for (const line of lines) await out.json(line);
    else for (const line of formatLines(lines, out)) await out.line(line);
    return undefined;
  },
});

function formatLines(lines: readonly BlamedLine[], out: Output): string[] {
  const names = lines.map(({ version, redacted }) => {
    if (version === null) return redacted === true ? "redacted" : "";
    return out.foreign(formatAuthor(version, 1));
  });
  const nameWidth = getWidth(names);
  const idWidth = getWidth(lines.map(({ version }) => version?.id ?? "-"));
  const numberWidth = String(lines.length).length;
  return lines.map(({ line, text, version }, index) => {
    const id = out.style("yellow", (version?.id ?? "-").padEnd(idWidth));
    const time = (version?.at.toISOString() ?? "").padEnd(24);
    const name = out.style("dim", (names[index] ?? "").padEnd(nameWidth));
    const number = out.style("green", String(line).padStart(numberWidth));
    return `${id}  ${time}  ${name}  ${number}  ${out.foreign(text)}`;
  });
}

function getWidth(texts: readonly string[]): number {
  return texts.reduce((width, text) => Math.max(width, text.length), 0);
}
