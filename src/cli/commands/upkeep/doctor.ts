import { createCommand } from "../../command.js";
import { exitCodes } from "../../exit-codes.js";
import { memoryOptions, type TargetOptions } from "../../targets/target-options.js";
import { getDatabaseTarget, getOptionalAddress } from "../../targets/targets.js";
import type { Output } from "../../terminal/output.js";
import { checkDatabase } from "./database-health.js";
import type { Check } from "./health.js";

export const doctor = createCommand<TargetOptions>({
  usage: "doctor",
  description:
    "Check a database, and change nothing. Checks the connection, the server version, the indexes and their use, " +
    "documents of the earlier format, default collations, and on a standalone server the size of each memory against " +
    "its limit. Exits with 1 if a check fails.",
  examples: ["doctor", "doctor --node assistant --json"],
  options: memoryOptions,
  run: async (input, context) => {
    const health = await checkDatabase(getDatabaseTarget(input, context.io.env), getOptionalAddress(input));
    const hasFailed = health.checks.some(({ status }) => status === "fail");
    if (hasFailed) context.exitCode = exitCodes.refused;
    const lines = health.checks.map((check) => `${formatCheck(check, context.out)}\n`);
    return { json: { ok: !hasFailed, ...health }, text: lines.join("") };
  },
});

const marks = { ok: ["green", "ok  "], warn: ["yellow", "warn"], fail: ["red", "FAIL"] } as const;

function formatCheck({ name, status, message, advice }: Check, out: Output): string {
  const [colour, mark] = marks[status];
  const hint = advice === undefined ? "" : `; ${advice}`;
  return `${out.style(colour, mark)}  ${out.style("bold", name)}: ${out.foreign(message)}${hint}`;
}
