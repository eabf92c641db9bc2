import type { Command } from "commander";
import { newCommand } from "../command.js";
import { exitCodes } from "../exit-codes.js";
import { usageFault } from "../fault.js";
import { checkDatabase } from "../health/database-health.js";
import { checkFolder } from "../health/folder-health.js";
import type { Health } from "../health/health.js";
import { bytesText } from "../terminal/format.js";
import type { CliContext } from "../context.js";
import { checkedAddressOf } from "../targets/open-target.js";
import { nameOf } from "../targets/memory-name.js";
import {
  addTargetOptions,
  databaseOf,
  optionalAddress,
  type TargetOptions,
  targetOf,
} from "../targets/target-options.js";

interface DoctorOptions extends TargetOptions {
  top: string;
  json?: boolean;
}
export function addDoctor(program: Command, context: CliContext): void {
  const command = newCommand(
    program,
    "doctor",
    "Check a database or a folder, and change nothing. Checks the connection, the server version, the indexes and their use, the size of each " +
      "memory against its limit, documents of the earlier format, and default collations. Exits with 1 if a check fails.",
    ["doctor", "doctor --node assistant --json", "doctor --dir ./memory"],
  ).option("--top <memories>", "how many of the largest memories to list", "10");
  addTargetOptions(command).action(async (options: DoctorOptions) => {
    if (!/^\d{1,6}$/.test(options.top)) throw usageFault(`--top ${options.top} is not a number; pass one from 0`);
    const health = await healthOf(options, Number(options.top), context);
    if (options.json) await context.out.json({ ok: !health.checks.some(({ status }) => status === "fail"), ...health });
    else await print(health, context);
    if (health.checks.some(({ status }) => status === "fail")) context.exitCode = exitCodes.refused;
  });
}

function healthOf(options: DoctorOptions, top: number, { io }: CliContext): Promise<Health> {
  if (options.dir !== undefined) {
    const target = targetOf(options, io.env);
    return checkFolder({ dir: options.dir, paths: target.paths }, top);
  }
  const address = optionalAddress(options);
  return checkDatabase(databaseOf(options, io.env), address && checkedAddressOf(address), top);
}

const marks = { ok: ["green", "ok  "], warn: ["yellow", "warn"], fail: ["red", "FAIL"] } as const;

async function print({ checks, largest, memories }: Health, { out }: CliContext): Promise<void> {
  for (const { name, status, message, advice } of checks) {
    const [colour, mark] = marks[status];
    await out.line(
      `${out.style(colour, mark)}  ${out.style("bold", name)}: ${out.foreign(message)}${advice === undefined ? "" : `; ${advice}`}`,
    );
  }
  if (largest.length === 0) return;
  await out.line(`\nThe largest of ${memories}, in bytes and in % of the limit:`);
  for (const { address, sizeBytes, limitBytes } of largest) {
    const percent = limitBytes === null ? "" : `${((100 * sizeBytes) / limitBytes).toFixed(1).padStart(6)} %`;
    await out.line(
      `${bytesText(sizeBytes).padStart(12)} ${percent}  ${address === null ? "the folder" : out.foreign(nameOf(address))}`,
    );
  }
}
