import { Option } from "commander";
import { visible } from "../../../core/display/visible.js";
import { MemoryError, type MemoryErrorDetails } from "../../../core/values/errors.js";
import type { MoveInReport } from "../../../move-in/move-in.js";
import { type MoveInFormat, moveInFormats, readEntries } from "../../../move-in/read-entries.js";
import { pickDefined } from "../../../core/settings/pick-defined.js";
import type { Report } from "../../command.js";
import type { CliContext } from "../../context.js";
import { about, exitCodes, isSystemError, usageError, withFile } from "../../errors.js";
import { type OpenFolder, openFolder } from "../../targets/open-folder.js";
import { type OpenTarget, withMemory } from "../../targets/open-target.js";
import { type SourceOptions, withSourceCollection } from "../../targets/source-collection.js";
import {
  collectionNameOption,
  databaseNameOption,
  getDatabaseTarget,
  refuseOptions,
  type TargetOptions,
} from "../../targets/target-options.js";
import { countText } from "../../../core/display/count-text.js";

type MovedCounts = NonNullable<MemoryErrorDetails["moved"]>;

/** The options of `import --from`. */
export interface MoveInInput extends TargetOptions, SourceOptions {
  file?: string;
  dir?: string;
  from?: MoveInFormat;
  into?: string;
  fromUser?: string;
  fromNamespace?: string[];
  include?: string[];
  toDir?: string;
  overwrite?: boolean;
  dryRun?: boolean;
}

export const moveInOptions: readonly Option[] = [
  new Option("--from <format>", "move in the memories of another program, from its file or collection").choices(
    moveInFormats,
  ),
  new Option("--into <path>", 'with --from: the directory that receives everything (default: "/")'),
  new Option("--from-user <id>", "with --from: the person in the source (default: that of --user)"),
  new Option("--from-namespace <labels...>", "with --from: the first labels of the namespaces of a store's items"),
  collectionNameOption("--from-collection <name>", "with --from: the collection of a store or of mem0"),
  databaseNameOption("--from-db <name>", "with --from-collection: its database (default: that of the memory)"),
  new Option("--from-uri <string>", "with --from-collection: its connection string (default: that of the memory)"),
];

/** Refuses options that need `--from`. @throws CommandError EUSAGE */
export function refuseMoveInOptions(input: MoveInInput): void {
  const names = ["into", "fromUser", "fromNamespace", "fromCollection", "fromDb", "fromUri"];
  refuseOptions(input, names, "goes with --from, which names the format of another program");
}

/** Moves in the memories of another program. */
export async function moveInFrom(from: MoveInFormat, input: MoveInInput, context: CliContext): Promise<Report> {
  const { toDir, into, overwrite, dryRun = false, fromUser, fromNamespace: namespace } = input;
  refuseOptions(input, ["dir", "include"], "does not go with --from, which takes a file or --from-collection");
  const moveTo = ({ memory, name }: OpenFolder | OpenTarget): Promise<Report> =>
    withSource(from, input, context, async (source, sourceName) => {
      const { moveIn } = await import("../../../move-in/move-in.js");
      const entries = readEntries({ from, source, ...pickDefined({ namespace }) });
      const options = { dryRun, ...pickDefined({ into, overwrite, fromUser }) };
      const report = await withFile(sourceName, "read", () =>
        about(`${sourceName}: ${name}`, () =>
          moveIn(memory, entries, options).catch((error) => endMove(error, context)),
        ),
      );
      return reportMove(from, report, input, context);
    });
  if (toDir !== undefined) return moveTo(await openFolder("--to-dir", toDir, input));
  return withMemory(context, input, { access: dryRun ? "read" : "write", missing: "allow" }, moveTo);
}

/** Opens the file or collection that the options name. @throws CommandError */
async function withSource<T>(
  from: MoveInFormat,
  input: MoveInInput,
  { io }: CliContext,
  run: (source: string | object, name: string) => Promise<T>,
): Promise<T> {
  const { file, fromCollection } = input;
  const takes =
    from === "server-memory" ? "a file" : from === "mem0" ? "a file or --from-collection" : "--from-collection";
  const isTaken = file === undefined ? takes.includes("--from") : takes.includes("file");
  if ((file === undefined) === (fromCollection === undefined) || !isTaken)
    throw usageError(`--from ${from} takes ${takes}; pass ${takes.includes(" or ") ? "one of them" : "that"}`);
  if (file === "-") return run(io.stdin, "standard input");
  if (file !== undefined) return run(file, file);
  return withSourceCollection(input, getDatabaseTarget(input, io.env), run);
}

/** Losses that are named without `--json`. */
const maxNamed = 100;

/** Names the entries that were not taken whole. @param count how many there are */
export async function printLosses(
  kinds: string,
  losses: MoveInReport["losses"],
  count: number,
  { err }: CliContext,
): Promise<void> {
  const named = losses.slice(0, maxNamed);
  for (const { what, result, why } of named)
    await err.line(visible(`${result === "skipped" ? result : "shortened"}: ${quote(what)}: ${why}`));
  if (count > named.length) await err.line(`${kinds}: ${count - named.length} more; --json names all`);
}

async function reportMove(
  from: MoveInFormat,
  { losses, ...counts }: MoveInReport,
  { dryRun = false, json }: MoveInInput,
  context: CliContext,
): Promise<Report> {
  const { written, unchanged, skipped, shortened } = counts;
  const isTaken = written + unchanged > 0;
  if (!isTaken) context.exitCode = exitCodes.refused;
  if (!json) {
    if (!isTaken && skipped === 0)
      await context.err.line(`note: found nothing of ${from} in the source; check its name and --from-namespace`);
    await printLosses("skipped or shortened", losses, skipped + shortened, context);
  }
  const done = dryRun ? "checked, not imported," : "imported";
  return { json: { dryRun, ...counts, losses }, text: `${done} from ${from}: ${formatCounts(counts)}\n` };
}

function formatCounts({ written, unchanged, skipped, shortened }: MovedCounts): string {
  const others = {
    [`${unchanged} there already`]: unchanged,
    [`${skipped} skipped`]: skipped,
    [`${shortened} shortened`]: shortened,
  };
  const parts = Object.entries(others).flatMap(([text, count]) => (count === 0 ? [] : [text]));
  return [`${countText(written, "entry")} written`, ...parts].join(", ");
}

/**
 * Says what was done before an error.
 * @throws the error, in the words of the command line
 */
async function endMove(error: unknown, { err }: CliContext): Promise<never> {
  if (!MemoryError.isInstance(error)) throw error;
  const { moved } = error.details ?? {};
  if (moved !== undefined && Object.values(moved).some((count) => count > 0))
    await err.line(`before the error: ${formatCounts(moved)}`);
  if (error.code === "EINVAL" && isSystemError(error.cause)) throw error.cause;
  throw error;
}

/** A name with a line end must not look like a line of its own. */
const quote = (name: string): string => (/\p{Cc}/u.test(name) ? JSON.stringify(name) : name);
