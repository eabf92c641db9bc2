import { Option } from "commander";
import { visible } from "../../../core/display/visible.js";
import { MemoryError, type MemoryErrorDetails } from "../../../core/values/errors.js";
import { formatNames, formats, type MoveInFormatName } from "../../../move-in/formats.js";
import type { MoveInOutcome } from "../../../move-in/options.js";
import type { MoveInReport } from "../../../move-in/report.js";
import { pickDefined } from "../../../core/settings/pick-defined.js";
import type { Report } from "../../command.js";
import type { CliContext } from "../../context.js";
import { about, exitCodes, isSystemError, usageError, withFile } from "../../errors.js";
import { withMemory } from "../../targets/open-target.js";
import { type SourceOptions, withSourceCollection } from "../../targets/source-collection.js";
import {
  collectionNameOption,
  databaseNameOption,
  getDatabaseTarget,
  refuseOptions,
  type TargetOptions,
} from "../../targets/target-options.js";
import { countText } from "../../terminal/format.js";

type MovedCounts = NonNullable<MemoryErrorDetails["moved"]>;

/** The options of `import --from`. */
export interface MoveInInput extends TargetOptions, SourceOptions {
  file?: string;
  from?: MoveInFormatName;
  into?: string;
  propose?: boolean;
  fromUser?: string;
  fromNamespace?: string[];
  toDir?: string;
  overwrite?: boolean;
  dryRun?: boolean;
}

export const moveInOptions: readonly Option[] = [
  new Option("--from <format>", "move in the memories of another program, from its file, folder or collection").choices(
    formatNames,
  ),
  new Option("--into <path>", 'with --from: the directory that receives everything (default: "/")'),
  new Option("--propose", "with --from: propose each file to a person, all of one run"),
  new Option("--from-user <id>", "with --from: the person in the source (default: that of --user)"),
  new Option("--from-namespace <labels...>", "with --from: the first labels of the namespaces of a store's items"),
  collectionNameOption("--from-collection <name>", "with --from: the collection of a store or of mem0"),
  databaseNameOption("--from-db <name>", "with --from-collection: its database (default: that of the memory)"),
  new Option("--from-uri <string>", "with --from-collection: its connection string (default: that of the memory)"),
];

/** Refuses options that need `--from`. @throws CommandError EUSAGE */
export function refuseMoveInOptions(input: MoveInInput): void {
  const names = ["into", "propose", "fromUser", "fromNamespace", "fromCollection", "fromDb", "fromUri"];
  refuseOptions(input, names, "goes with --from, which names the format of another program");
}

/** Moves in the memories of another program. */
export async function moveInFrom(from: MoveInFormatName, input: MoveInInput, context: CliContext): Promise<Report> {
  const { toDir: dir, into, propose, overwrite, dryRun = false, fromUser, fromNamespace: namespace } = input;
  refuseOptions(input, ["dir"], "does not go with --from; name the folder without an option");
  const use = { access: dryRun ? "read" : "write", missing: "allow" } as const;
  return withMemory(context, { ...input, dir }, use, ({ memory, name }) =>
    withSource(from, input, context, async (source, sourceName) => {
      const { moveIn } = await import("../../../move-in/move-in.js");
      const outcomes: MoveInOutcome[] = [];
      const listsAll = dryRun || input.json === true;
      const onOutcome = (outcome: MoveInOutcome): void => void (listsAll && outcomes.push(outcome));
      const given = pickDefined({ into, propose, overwrite, fromUser, namespace });
      const options = { from, source, dryRun, onOutcome, ...given };
      const report = await withFile(sourceName, "read", () =>
        about(`${sourceName}: ${name}`, () => moveIn(memory, options).catch((error) => endMove(error, context))),
      );
      return reportMove(from, report, outcomes, input, context);
    }),
  );
}

/** Opens the file, folder or collection that the options name. @throws CommandError */
async function withSource<T>(
  from: MoveInFormatName,
  input: MoveInInput,
  { io }: CliContext,
  run: (source: string | object, name: string) => Promise<T>,
): Promise<T> {
  const { file, fromCollection } = input;
  const takes: readonly string[] = formats[from].takes;
  const isItems = takes.every((kind) => kind === "items");
  if ((file === undefined) === (fromCollection === undefined) || (isItems && file !== undefined))
    throw usageError(`--from ${from} takes ${takes.map(describeSource).join(" or ")}; pass one of them`);
  if (!takes.includes("items") && fromCollection !== undefined)
    throw usageError(`--from ${from} reads no collection; name its ${takes.join(" or ")}`);
  if (file === "-") return run(io.stdin, "standard input");
  if (file !== undefined) return run(file, file);
  return withSourceCollection(input, getDatabaseTarget({ ...input, dir: undefined }, io.env), run);
}

const describeSource = (kind: string): string => (kind === "items" ? "--from-collection" : `a ${kind}`);

/** Losses that are named without `--json`. */
const maxNamed = 100;

/** Names the entries that were not taken whole. @param count how many there are */
export async function printLosses(
  kinds: string,
  losses: readonly Pick<MoveInOutcome, "what" | "result" | "why">[],
  count: number,
  { err }: CliContext,
): Promise<void> {
  const named = losses.slice(0, maxNamed);
  for (const { what, result, why } of named)
    await err.line(visible(`${result === "skipped" ? result : "shortened"}: ${quote(what)}: ${why}`));
  if (count > named.length) await err.line(`${kinds}: ${count - named.length} more; --json names all`);
}

async function reportMove(
  from: MoveInFormatName,
  { losses, ...counts }: MoveInReport,
  outcomes: readonly MoveInOutcome[],
  { dryRun = false, json }: MoveInInput,
  context: CliContext,
): Promise<Report> {
  const { written, proposed, logged, unchanged, skipped, shortened } = counts;
  const isTaken = written + proposed + logged + unchanged > 0;
  if (!isTaken) context.exitCode = exitCodes.refused;
  if (!json) {
    if (!isTaken && skipped === 0)
      await context.err.line(`note: found nothing of ${from} in the source; check its name and --from-namespace`);
    await printLosses("skipped or shortened", losses, skipped + shortened, context);
  }
  const tree = outcomes.flatMap(({ path, what, result }) =>
    result === "skipped" || path === null ? [] : [visible(`${result} ${path} (${quote(what)})`) + "\n"],
  );
  const done = dryRun ? "checked, not imported," : "imported";
  return {
    json: { dryRun, ...counts, items: outcomes },
    text: `${tree.join("")}${done} from ${from}: ${formatCounts(counts)}\n`,
  };
}

function formatCounts({ written, proposed, logged, unchanged, skipped, shortened }: MovedCounts): string {
  const others = {
    [`${countText(proposed, "file")} proposed`]: proposed,
    [`${countText(logged, "conversation")} logged`]: logged,
    [`${unchanged} there already`]: unchanged,
    [`${skipped} skipped`]: skipped,
    [`${shortened} shortened`]: shortened,
  };
  const parts = Object.entries(others).flatMap(([text, count]) => (count === 0 ? [] : [text]));
  return [`${countText(written, "file")} written`, ...parts].join(", ");
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
  return Promise.reject(error.code === "EINVAL" && isSystemError(error.cause) ? error.cause : error);
}

/** A name with a line end must not look like a line of its own. */
const quote = (name: string): string => (/\p{Cc}/u.test(name) ? JSON.stringify(name) : name);
