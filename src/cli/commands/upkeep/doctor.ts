import { anyNumber, createCommand, numberOption } from "../../command.js";
import { exitCodes } from "../../exit-codes.js";
import { formatAddress } from "../../targets/format-address.js";
import { targetOptions, type TargetOptions } from "../../targets/target-options.js";
import { getDatabaseTarget, getOptionalAddress, getTarget } from "../../targets/targets.js";
import { bytesText } from "../../terminal/format.js";
import type { Output } from "../../terminal/output.js";
import { checkDatabase } from "./database-health.js";
import { checkFolder } from "./folder-health.js";
import type { Check, Health, MemorySize } from "./health.js";

export const doctor = createCommand<TargetOptions & { top: number }>({
  usage: "doctor",
  description:
    "Check a database or a folder, and change nothing. Checks the connection, the server version, the indexes and " +
    "their use, the size of each memory against its limit, documents of the earlier format, and default " +
    "collations. Exits with 1 if a check fails.",
  examples: ["doctor", "doctor --node assistant --json", "doctor --dir ./memory"],
  options: [
    numberOption(
      "--top <memories>",
      "how many of the largest memories to list",
      [0, anyNumber],
      "is not a number; pass one from 0",
    ).default(10),
    ...targetOptions,
  ],
  run: async (input, context) => {
    const { out, io } = context;
    const target = input.dir === undefined ? getDatabaseTarget(input, io.env) : getTarget(input, io.env);
    const health =
      target.kind === "folder"
        ? await checkFolder(target, input.top)
        : await checkDatabase(target, getOptionalAddress(input), input.top);
    const hasFailed = health.checks.some(({ status }) => status === "fail");
    if (hasFailed) context.exitCode = exitCodes.refused;
    return { json: { ok: !hasFailed, ...health }, text: formatHealth(health, out) };
  },
});

function formatHealth({ checks, largest, memories }: Health, out: Output): string {
  const lines = checks.map((check) => formatCheck(check, out));
  if (largest.length > 0) lines.push("", `The largest of ${memories}, in bytes and in % of the limit:`);
  for (const size of largest) lines.push(formatSize(size, out));
  return `${lines.join("\n")}\n`;
}

const marks = { ok: ["green", "ok  "], warn: ["yellow", "warn"], fail: ["red", "FAIL"] } as const;

function formatCheck({ name, status, message, advice }: Check, out: Output): string {
  const [colour, mark] = marks[status];
  const hint = advice === undefined ? "" : `; ${advice}`;
  return `${out.style(colour, mark)}  ${out.style("bold", name)}: ${out.foreign(message)}${hint}`;
}

function formatSize({ address, sizeBytes, limitBytes }: MemorySize, out: Output): string {
  const percent = limitBytes === null ? "" : `${((100 * sizeBytes) / limitBytes).toFixed(1).padStart(6)} %`;
  const name = address === null ? "the folder" : out.foreign(formatAddress(address));
  return `${bytesText(sizeBytes).padStart(12)} ${percent}  ${name}`;
}
