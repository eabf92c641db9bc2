import { type OptionValues } from "commander";
import { getField } from "../core/values/unknown-values.js";
import { type AddCommand, type CommandTexts, createCommand, type Report } from "./command.js";
import type { CliContext } from "./context.js";
import { about, type Advice } from "./errors.js";
import { type OpenSettings, type OpenTarget, withMemory } from "./targets/open-target.js";
import type { TargetOptions } from "./targets/target-options.js";

export interface MemoryCommandSettings<Input, Open = OpenTarget> extends CommandTexts, Omit<OpenSettings, "access"> {
  access: OpenSettings["access"] | ((input: Input) => OpenSettings["access"]);
  /** Returns what errors name. @default the path, or the name of the memory */
  subject?: (input: Input) => string;
  /** Advice on what would be right, by error code. */
  advice?: Advice;
  /** Refuses input before the memory is opened. @throws CommandError */
  check?: (input: Input, context: CliContext) => void;
  run: (open: Open, input: Input & TargetOptions, context: CliContext) => Promise<Report | undefined>;
}

/** Creates a command for the memory that the options name. Its `options` must include the options of a target. */
export function memoryCommand<Input extends OptionValues>(settings: MemoryCommandSettings<Input>): AddCommand {
  const { access, subject, advice, check, run } = settings;
  return createCommand<Input & TargetOptions>({
    ...settings,
    run: async (input, context) => {
      check?.(input, context);
      const path = getField(input, "path");
      const use = { ...settings, access: typeof access === "function" ? access(input) : access };
      return withMemory(context, input, use, (open) =>
        about(
          subject?.(input) ?? (typeof path === "string" ? path : open.name),
          () => run(open, input, context),
          advice,
        ),
      );
    },
  });
}
