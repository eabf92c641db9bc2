import { type OptionValues } from "commander";
import { getField } from "../core/values/unknown-values.js";
import { type AddCommand, type CommandTexts, createCommand, type Report } from "./command.js";
import type { CliContext } from "./context.js";
import { about, type Advice, CommandError, exitCodes } from "./errors.js";
import { openMemoryIn, type OpenSettings, type OpenTarget, withMemories, withMemory } from "./targets/open-target.js";
import { getOptionalAddress, type TargetOptions } from "./targets/target-options.js";
import { pickDefined } from "../core/settings/pick-defined.js";

export interface MemoryCommandSettings<Input, Open = OpenTarget> extends CommandTexts, Omit<OpenSettings, "access"> {
  access: OpenSettings["access"] | ((input: Input) => OpenSettings["access"]);
  /** Returns what errors name. @default the path, or the name of the memory */
  subject?: (input: Input) => string;
  /** Advice on what would be right, by error code. */
  advice?: Advice;
  /** Returns a run. Without --node, the command works on each memory that the run has changed. @default none */
  getRun?: (input: Input) => string | undefined;
  /** Refuses input before the memory is opened. @throws CommandError */
  check?: (input: Input, context: CliContext) => void;
  run: (open: Open, input: Input & TargetOptions, context: CliContext) => Promise<Report | undefined>;
}

/** Creates a command for the memory that the options name. Its `options` must include the options of a target. */
export function memoryCommand<Input extends OptionValues>(settings: MemoryCommandSettings<Input>): AddCommand {
  const { access, subject, advice, check, getRun, run } = settings;
  return createCommand<Input & TargetOptions>({
    ...settings,
    run: async (input, context) => {
      check?.(input, context);
      const path = getField(input, "path");
      const use = { ...settings, access: typeof access === "function" ? access(input) : access };
      const runOpen = (open: OpenTarget): Promise<Report | undefined> =>
        about(
          subject?.(input) ?? (typeof path === "string" ? path : open.name),
          () => run(open, input, context),
          advice,
        );
      const runId = input.node === undefined ? getRun?.(input) : undefined;
      if (runId === undefined) return withMemory(context, input, use, runOpen);
      return runInEach(context, input, { ...use, runId }, runOpen);
    },
  });
}

/** Runs a command in each memory that a run has changed. A conflict in one of them does not keep it from the others. */
async function runInEach(
  context: CliContext,
  input: TargetOptions,
  { runId, ...use }: OpenSettings & { runId: string },
  run: (open: OpenTarget) => Promise<Report | undefined>,
): Promise<undefined> {
  const { out, err } = context;
  getOptionalAddress(input);
  await withMemories(context, input, async (database) => {
    const addresses = await database.memoriesOfRun(runId);
    if (addresses.length === 0)
      throw new CommandError(
        "ENOENT",
        `no history has a version of run ${runId}; \`log --runs\` shows those of a memory`,
      );
    for (const address of addresses) {
      const open = openMemoryIn(database, address, { ...use, ...pickDefined({ paths: input.paths, as: input.as }) });
      if (input.json !== true) await out.line(out.style("bold", out.foreign(open.name)));
      try {
        const report = await run(open);
        if (input.json === true && report !== undefined) await out.json({ ok: true, address, ...report.json });
        else await out.write(report?.text ?? "");
      } catch (error) {
        if (!(error instanceof CommandError) || error.code !== "ECONFLICT") throw error;
        await err.line(err.foreign(`${open.name}: ${error.message}`));
        context.exitCode = exitCodes.refused;
      }
    }
  });
}
