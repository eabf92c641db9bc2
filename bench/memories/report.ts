import { readFile } from "node:fs/promises";
import { cpus, totalmem } from "node:os";
import type { ImportResult } from "../package/import-time.js";
import type { Comparison } from "../measuring/measure.js";
import type { MemoryResult } from "./memory-bench.js";

export interface ServerResults {
  title: string;
  results: MemoryResult[];
}

export interface Machine {
  mongod: string;
  rounds: number;
}

const commandGoal = 1.15;
const importGoal = 1.2;

export async function reportOf(machine: Machine, servers: ServerResults[], imported: ImportResult): Promise<string> {
  return [
    "## Measured",
    "",
    await machineLine(machine),
    "",
    ...servers.flatMap(({ title, results }) => [`### ${title}`, "", ...commandTable(results), ""]),
    "### Import",
    "",
    ...importTable(imported),
    "",
  ].join("\n");
}

export async function machineLine({ mongod, rounds }: Machine): Promise<string> {
  const [cpu] = cpus();
  const [driver, self] = await Promise.all([
    versionOfPackage("mongodb"),
    versionIn(new URL("../../package.json", import.meta.url)),
  ]);
  const memory = Math.round(totalmem() / 2 ** 30);
  return (
    `${new Date().toISOString().slice(0, 10)}: ${cpus().length} cores of ${cpu?.model.trim()}, ${memory} GB; node ${process.versions.node}, ` +
    `mongod ${mongod} on the same machine, driver ${driver}, this package ${self}; ${rounds} rounds.`
  );
}

export function versionOfPackage(name: string): Promise<string> {
  return versionIn(new URL(`../../node_modules/${name}/package.json`, import.meta.url));
}

async function versionIn(packageFile: URL): Promise<string> {
  return (JSON.parse(await readFile(packageFile, "utf8")) as { version: string }).version;
}

/** A row for each command, a group of columns for each size. */
function commandTable(results: MemoryResult[]): string[] {
  const counts = [...new Set(results.map((result) => result.fileCount))];
  const commands = [...new Set(results.map((result) => result.command))];
  const cell = (command: string, fileCount: number): string => {
    const result = results.find((one) => one.command === command && one.fileCount === fileCount);
    return result ? comparisonCell(result, command === "noise" ? Number.POSITIVE_INFINITY : commandGoal) : "";
  };
  const columns = counts.map((count) => {
    const iterations = results.find((result) => result.fileCount === count)?.iterations ?? 0;
    return `${count} files (n = ${iterations} a round)`;
  });
  return [
    row(["command", ...columns]),
    row(["---", ...counts.map(() => "---")]),
    ...commands.map((command) => row([command, ...counts.map((count) => cell(command, count))])),
  ];
}

function importTable(result: ImportResult): string[] {
  return [
    row(["", `n = ${result.runs} processes each`]),
    row(["---", "---"]),
    row(["index of dist", comparisonCell(result, importGoal)]),
    "",
    `The other side imports ${result.peers.join(", ")}.`,
  ];
}

function comparisonCell(comparison: Comparison, goal: number): string {
  const { ratio, oursMs, theirsMs } = comparison;
  const shown = ratio.toFixed(2);
  return `${ratio > goal ? `**${shown}**` : shown} ${rangeOf(comparison)} ${milliseconds(oursMs)} / ${milliseconds(theirsMs)} ms`;
}

export function rangeOf({ ratioMin, ratioMax }: Pick<Comparison, "ratioMin" | "ratioMax">): string {
  const [least, most] = [ratioMin, ratioMax].map((ratio) => ratio.toFixed(ratioMax < 10 ? 2 : 0));
  return `[${least}..${most}]`;
}

export const milliseconds = (value: number): string => value.toFixed(value < 10 ? 2 : 0);

export const row = (cells: string[]): string => `| ${cells.join(" | ")} |`;
