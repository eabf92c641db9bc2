import { Option } from "commander";
import { describeLaterVersion } from "../../../core/history/later-version.js";
import type { MemoryHistory, MemoryVersion, RevertTarget, TextOccurrences } from "../../../core/history/history.js";
import { MemoryError } from "../../../core/values/errors.js";
import { pickDefined } from "../../../core/settings/pick-defined.js";
import { formatChange, formatVersion } from "./format.js";
import { checkActor, historyCommand } from "./history-command.js";
import type { CliContext } from "../../context.js";
import { usageError } from "../../errors.js";
import { changeOptions } from "../../targets/target-options.js";
import { assertCanConfirm, confirm } from "../../terminal/confirm.js";
import { countText } from "../../../core/display/count-text.js";
import { readText } from "../../terminal/text-input.js";

interface RevertOptions {
  path?: string;
  to?: string;
  run?: string;
  toolCall?: string;
  force?: boolean;
  dryRun?: boolean;
}

export const revert = historyCommand<RevertOptions>({
  usage: "revert [path]",
  description:
    "Restore an earlier version, or undo a run. Restores a file or a directory as it was after a version, or undoes " +
    "all changes of a run or of a tool call. It is one step, and prints the new versions that it makes. With --run and " +
    "without --node, it does so in each memory that the run has changed. It does not ask, because you can undo it too.",
  examples: [
    "revert /notes/today --to 12 --node assistant",
    "revert --run 1f0c --dry-run --node assistant",
    "revert --tool-call call_7 --force --node assistant",
  ],
  options: [
    new Option("--to <version>", "the version to go back to; needs a path"),
    new Option("--run <id>", "undo all changes of this run"),
    new Option("--tool-call <id>", "undo all changes of this tool call"),
    new Option("--force", "also undo later changes of the same files; without it they are refused"),
    new Option("--dry-run", "say what would change, and change nothing"),
    ...changeOptions,
  ],
  // If the memory is opened for reading, a revert changes nothing and returns the versions that it would make.
  access: ({ dryRun }) => (dryRun === true ? "read" : "write"),
  check: (input) => void getRevertTarget(input),
  getRun: ({ run }) => run,
  run: async ({ history }, input, { out }) => {
    const { force = false, dryRun = false } = input;
    const versions = await history.revert(getRevertTarget(input), { force }).catch(nameFlag);
    const format = dryRun ? formatChange : formatVersion;
    const lines = versions.map((version) => `${format(version, out)}\n`);
    const nothing = `nothing ${dryRun ? "would be" : "was"} changed, as all is as it was then\n`;
    return {
      json: dryRun ? { dryRun, changes: versions.map(getChange) } : { versions },
      text: lines.join("") || nothing,
    };
  },
});

/** Rewrites the advice in an error of the core: it names the flag of this program. */
function nameFlag(error: unknown): never {
  const laterVersion = MemoryError.isInstance(error) ? error.details?.laterVersion : undefined;
  if (!MemoryError.isInstance(error) || laterVersion === undefined) throw error;
  const message = `ECONFLICT: ${describeLaterVersion(laterVersion, error.path)}; pass --force to undo it`;
  throw new MemoryError("ECONFLICT", message, { cause: error });
}

/** Returns the facts about a version that a dry run does not make: it has no id and no time. */
function getChange({ operation, path, from, sizeBytes, sha256 }: MemoryVersion): object {
  return { operation, path, from, sizeBytes, sha256 };
}

/** @throws CommandError EUSAGE */
function getRevertTarget({ path, to, run, toolCall }: RevertOptions): RevertTarget {
  const ways = [path ?? to, run, toolCall].filter((way) => way !== undefined);
  if (ways.length !== 1)
    throw usageError("revert takes a path with --to, or --run, or --tool-call; pass one of the three");
  checkActor(pickDefined({ runId: run, toolCallId: toolCall }));
  if (run !== undefined) return { runId: run };
  if (toolCall !== undefined) return { toolCallId: toolCall };
  if (path === undefined) throw usageError("--to needs a path; / is the whole memory");
  if (to === undefined || to === "") throw usageError("--to is missing: the version to go back to; `log` shows them");
  return { path, to };
}

interface RedactInput {
  path?: string;
  text?: string;
  cut?: boolean;
  yes?: boolean;
}

export const redact = historyCommand<RedactInput>({
  usage: "redact [path]",
  description:
    "Remove text for good. Keeps who made the versions and when. With --text, it covers the text in every version, " +
    "proposal and vector that contains it; in the files as they are now only with --cut. With a path, it removes the " +
    "texts, paths, sizes and hashes of all earlier versions of the file. It shows what it changes, and asks. Then it " +
    "lists the versions that rest on the redacted text.",
  examples: [
    'redact --text "sk-live-4711" --node assistant',
    "redact --text - --cut --node assistant --yes < key.txt",
    "redact /notes/today --node assistant",
  ],
  options: [
    new Option("--text <text>", "the text to remove wherever it is; - reads it from the standard input"),
    new Option("--cut", "with --text: also cover the text in the files as they are now"),
    new Option("--yes", "do not ask; needed without a terminal"),
    ...changeOptions,
  ],
  access: "write",
  subject: ({ path }) => path ?? "a text",
  check: ({ path, text, cut, yes }, context) => {
    if ((text === undefined) === (path === undefined)) throw usageError("redact takes either --text or a path");
    if (cut === true && text === undefined) throw usageError("--cut goes with --text");
    if (yes === true) return;
    if (text === "-") throw usageError("redact asks before it erases, and --text - takes the terminal; pass --yes");
    assertCanConfirm("redact", "--yes", context);
  },
  run: async ({ history }, { path = "", text, cut = false, yes }, context) => {
    const what = text === undefined ? { path } : { text: await readSecret(text, context), cut };
    const found = "path" in what ? await findVersions(history, what.path) : await history.findText(what.text);
    if (yes !== true && !(await isConfirmed(what, found, context))) return undefined;
    const redacted = await history.redact(what);
    const dependents = await listDependents(history, found.versions);
    const hasDependents = dependents.length > 0;
    const lines = dependents.map((dependent) => `${formatVersion(dependent, context.out)}\n`);
    const advice = hasDependents ? `look at these versions, which rest on the redacted text:\n${lines.join("")}` : "";
    return {
      json: { redacted, ...(hasDependents && { dependents }) },
      text: `redacted ${countText(redacted, "version")}\n${advice}`,
    };
  },
});

/** Finds the versions of a file. */
async function findVersions(history: MemoryHistory, path: string): Promise<TextOccurrences> {
  const versions: MemoryVersion[] = [];
  for await (const version of history.list({ path })) versions.push(version);
  return { versions, proposals: [], files: [] };
}

/** Lists the versions that rest on these versions. */
async function listDependents(history: MemoryHistory, versions: readonly MemoryVersion[]): Promise<MemoryVersion[]> {
  const dependents: MemoryVersion[] = [];
  const sources = versions.map(({ id }) => `version:${id}`);
  for await (const version of history.list({ sources })) dependents.push(version);
  return dependents;
}

/** A file ends with a newline that is not part of the secret. */
async function readSecret(text: string, { io }: CliContext): Promise<string> {
  return text === "-" ? (await readText(text, io.stdin)).replace(/\r?\n$/, "") : text;
}

async function isConfirmed(
  what: { text: string; cut: boolean } | { path: string },
  { versions, proposals, files }: TextOccurrences,
  context: CliContext,
): Promise<boolean> {
  const { err } = context;
  for (const shown of versions) await err.line(formatVersion(shown, err));
  if ("path" in what)
    return confirm(
      `Redact all versions of ${err.foreign(what.path)} but the present one for good?`,
      "redacted",
      context,
    );
  for (const id of proposals) await err.line(`proposal ${id}`);
  for (const path of files) await err.line(`present file ${err.foreign(path)}`);
  const places = [countText(versions.length, "version"), countText(proposals.length, "proposal")];
  if (what.cut) places.push(countText(files.length, "present file"));
  return confirm(`Redact the text in ${places.join(", ")} for good?`, "redacted", context);
}
